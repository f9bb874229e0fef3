/**
 * How busy a worker's loop is, by its own account (M§9.2): turns that carried an event, and turns that took longer than an empty spin
 * does, are work; empty spins and time blocked in the poll are not. The platform's event-loop utilisation would call a spinning
 * loop busy all the time.
 */

/** An empty turn of the loop takes less than this, ns; one that takes longer was held up by something. */
const EMPTY_TURN_NS = 20_000;

/** What a loop did in a stretch of time. */
export interface LoopAccount {
  readonly busyNs: number;
  readonly totalNs: number;
  /** Longest time between two turns, poll left out. */
  readonly gapMaxNs: number;
}

export class LoopWork {
  #lastNs: number | null = null;
  #busyNs = 0;
  #totalNs = 0;
  #gapMaxNs = 0;

  /** A turn began at `nowNs`, `gapNs` (poll left out) after the last; `hadEvent`: something happened in between. */
  turn(nowNs: number, gapNs: number, hadEvent: boolean): void {
    const lastNs = this.#lastNs;
    this.#lastNs = nowNs;
    if (lastNs === null) return;
    this.#totalNs += nowNs - lastNs;
    if (hadEvent || gapNs > EMPTY_TURN_NS) this.#busyNs += gapNs;
    if (gapNs > this.#gapMaxNs) this.#gapMaxNs = gapNs;
  }

  /** The account since the last call. */
  take(): LoopAccount {
    const account = { busyNs: this.#busyNs, totalNs: this.#totalNs, gapMaxNs: this.#gapMaxNs };
    this.#busyNs = 0;
    this.#totalNs = 0;
    this.#gapMaxNs = 0;
    return account;
  }
}
