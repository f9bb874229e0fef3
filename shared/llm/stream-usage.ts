/**
 * The usage of one stream from what its events say of it. Most servers send it once, at the end; some beside every chunk, as a running count
 * (vLLM's and SGLang's continuous usage, Gemini's). A few count each chunk for itself (vLLM 0.6.2): their counts are added up (R047).
 */

import type { Usage } from './stream-delta.ts';
import { laterUsage } from './usage-of.ts';

/** Collects the usage of one stream at a time. */
export class StreamUsage {
  #latest: Usage | null = null;
  /** Counts of output tokens above 0 beside payload: how many, their sum, the last one, and how many were above and below the one before. */
  #counts = 0;
  #sum = 0;
  #last = 0;
  #rises = 0;
  #falls = 0;
  /** The largest count in an event without payload, and the sum of them. */
  #besideMax = 0;
  #besideSum = 0;

  /** Makes ready for another stream. */
  reset(): void {
    this.#latest = null;
    this.#counts = 0;
    this.#sum = 0;
    this.#last = 0;
    this.#rises = 0;
    this.#falls = 0;
    this.#besideMax = 0;
    this.#besideSum = 0;
  }

  /** Takes the usage of the next event that has one. `hasPayload`: the event is a chunk. */
  take(usage: Usage, hasPayload: boolean): void {
    this.#latest = laterUsage(this.#latest, usage);
    // 0 is what servers write that have not counted yet.
    const count = usage.outputTokens ?? 0;
    if (count === 0) return;
    if (!hasPayload) {
      this.#besideMax = Math.max(this.#besideMax, count);
      this.#besideSum += count;
      return;
    }
    if (this.#counts > 0 && count > this.#last) this.#rises += 1;
    if (this.#counts > 0 && count < this.#last) this.#falls += 1;
    this.#counts += 1;
    this.#sum += count;
    this.#last = count;
  }

  /**
   * The usage of the stream so far; null = none. `chunks`: chunks with payload so far. `isOneChoice`: no other choice than the first has any;
   * each of several may have a running count of its own.
   */
  of(chunks: number, isOneChoice: boolean): Usage | null {
    const latest = this.#latest;
    if (latest === null || !isOneChoice || !this.isAddedUp(chunks)) return latest;
    return { ...latest, outputTokens: this.#sum + this.#besideSum, reasoningTokens: null };
  }

  /** Whether the counts are those of single chunks, and no event says what they come to. */
  isAddedUp(chunks: number): boolean {
    // A running count never falls, but for a correction. One that stays the same, with fewer tokens than chunks, does not run.
    const isUneven = this.#falls > 0 && 2 * this.#falls >= this.#rises;
    const isLevel = this.#falls + this.#rises === 0 && this.#counts > 1 && this.#last < chunks;
    return (isUneven || isLevel) && this.#besideMax < this.#sum;
  }
}
