/**
 * Measures the time between turns of a worker's loop while it was not waiting for I/O: an answer that arrived in such a gap was
 * seen that much too late at most (design §9, H = wakeLag + receive delay). Turns that follow each other quickly are put together
 * into one sample of at least `GAP_MERGE_NS`: that makes gaps look longer, never shorter, and keeps an idle spin cheap.
 */

/** Consecutive gaps are summed up to at least this before they become a sample, ns. */
export const GAP_MERGE_NS = 20_000;

export class LoopGapMeter {
  readonly #readIdleNs: () => number;
  readonly #note: (gapNs: number, tNs: number) => void;
  #lastNs: number | null = null;
  #lastIdleNs = 0;
  #mergedNs = 0;

  /** `readIdleNs`: time this thread's loop has spent blocked in its poll so far, ns. `note` gets each sample and its end. */
  constructor(readIdleNs: () => number, note: (gapNs: number, tNs: number) => void) {
    this.#readIdleNs = readIdleNs;
    this.#note = note;
  }

  /**
   * A turn began at `nowNs`. `mayHaveSlept`: the loop was free to block in its poll since the last call, so the time it did is taken off;
   * without it the poll cannot have blocked and is not asked for. Returns the gap, 0 for the first turn.
   */
  turn(nowNs: number, mayHaveSlept: boolean): number {
    const lastNs = this.#lastNs;
    this.#lastNs = nowNs;
    if (lastNs === null) {
      this.#lastIdleNs = this.#readIdleNs();
      return 0;
    }
    let gapNs = nowNs - lastNs;
    if (mayHaveSlept) {
      const idleNs = this.#readIdleNs();
      gapNs = Math.max(0, gapNs - (idleNs - this.#lastIdleNs));
      this.#lastIdleNs = idleNs;
    }
    this.#mergedNs += gapNs;
    if (this.#mergedNs < GAP_MERGE_NS && !mayHaveSlept) return gapNs;
    this.#note(this.#mergedNs, nowNs);
    this.#mergedNs = 0;
    return gapNs;
  }

  /** Forgets the last turn, so that a pause that belongs to nobody (between trials) is no gap. */
  reset(): void {
    this.#lastNs = null;
    this.#mergedNs = 0;
  }
}
