/**
 * How late the coordinator's own event loop is (R080): a timer that should come every 100 ms, and by how much it comes later.
 * Nothing of the load depends on it; a busy coordinator shows stale progress and grants leases late.
 */
import type { LongTimer } from '../../shared/time/long-timer.ts';
import type { Timekeeper } from '../../shared/time/timekeeper.ts';

const INTERVAL_NS = 100_000_000;

export class LoopLag {
  readonly #timekeeper: Timekeeper;
  #timer: LongTimer;
  #longestNs = 0;

  /** Begins to measure. */
  constructor(timekeeper: Timekeeper) {
    this.#timekeeper = timekeeper;
    this.#timer = this.#next();
  }

  /** The longest lateness so far, ns. */
  get longestNs(): number {
    return this.#longestNs;
  }

  /** Ends the measuring; the longest lateness stays. */
  stop(): void {
    this.#timer.cancel();
  }

  #next(): LongTimer {
    const dueNs = this.#timekeeper.nowNs() + INTERVAL_NS;
    return this.#timekeeper.after(INTERVAL_NS, () => {
      this.#longestNs = Math.max(this.#longestNs, this.#timekeeper.nowNs() - dueNs);
      this.#timer = this.#next();
    });
  }
}
