/**
 * Laws whose i-th instant can be had directly: evenly spaced, recorded, all at once. A law states how many arrivals there
 * are and where the i-th lies; `IndexedStream` walks a worker's share of it, without memory or work ahead.
 */

import type { Arrival, ArrivalStream } from './arrival-stream.ts';
import { OwnIndices } from './own-indices.ts';

/** A finite, ascending sequence of instants with random access. */
export interface IndexedInstants {
  /** Number of arrivals in the phase, over all lanes. */
  readonly count: number;
  /** Instant of arrival `index` (0..count-1): integer ns from the phase start. */
  nsOf(index: number): number;
}

/** The least index whose instant is at or after `ns` (from the phase start); `count` if none is. */
export function firstIndexFrom(instants: IndexedInstants, ns: number): number {
  let low = 0;
  let high = instants.count;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (instants.nsOf(middle) < ns) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What an indexed stream is made of. */
export interface IndexedStreamOptions {
  readonly instants: IndexedInstants;
  /** S, a power of two. */
  readonly laneCount: number;
  /** Own lanes, ascending. */
  readonly lanes: Int32Array;
  /** Position of the phase in the plan. */
  readonly phase: number;
  /** Phase start in ns from T0. */
  readonly startNs: number;
  /** Arrivals before this instant, in ns from T0, are someone else's. */
  readonly fromNs: number;
}

/** A worker's share of an indexed law, as an `ArrivalStream` in the order of the index. */
export class IndexedStream implements ArrivalStream {
  readonly #instants: IndexedInstants;
  readonly #own: OwnIndices;
  readonly #laneCount: number;
  readonly #phase: number;
  readonly #startNs: number;
  readonly #ordinalEnd: number;
  #ordinal: number;
  #headIndex = 0;
  #headNs = Infinity;

  constructor(options: IndexedStreamOptions) {
    this.#instants = options.instants;
    this.#own = new OwnIndices(options.lanes, options.laneCount);
    this.#laneCount = options.laneCount;
    this.#phase = options.phase;
    this.#startNs = options.startNs;
    this.#ordinalEnd = this.#own.countBelow(options.instants.count);
    this.#ordinal = this.#own.countBelow(firstIndexFrom(options.instants, options.fromNs - options.startNs));
    this.#setHead();
  }

  peekNs(): number {
    return this.#headNs;
  }

  next(into: Arrival): boolean {
    if (this.#ordinal >= this.#ordinalEnd) return false;
    into.phase = this.#phase;
    into.intendedNs = this.#headNs;
    into.lane = this.#headIndex % this.#laneCount;
    into.block = 0;
    into.rank = 0;
    into.index = this.#headIndex;
    this.#ordinal++;
    this.#setHead();
    return true;
  }

  workAhead(): boolean {
    return false;
  }

  #setHead(): void {
    if (this.#ordinal >= this.#ordinalEnd) {
      this.#headNs = Infinity;
      return;
    }
    this.#headIndex = this.#own.at(this.#ordinal);
    this.#headNs = this.#startNs + this.#instants.nsOf(this.#headIndex);
  }
}
