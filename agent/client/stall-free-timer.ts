/**
 * A limit on how long something outside may take, told by a loop that may stand still itself: what came meanwhile is seen only after the
 * timers, so time in which the loop was busy does not count (R017).
 */
import { MAX_TIMER_MS } from '../../shared/time/long-timer.ts';
import { hostMonotonicNs } from '../../shared/time/monotonic-clock.ts';

/** A timer this late means that the loop was busy and has not seen its sockets, ns. */
const STALL_NS = 20_000_000;

/** One limit; it runs from its making on. */
export class StallFreeTimer {
  readonly #timeoutMs: number;
  readonly #onDue: () => void;
  #timer: NodeJS.Timeout;
  #dueNs: number;

  /** `onDue` comes once, when `timeoutMs` have passed and `stop` was not called. */
  constructor(timeoutMs: number, onDue: () => void) {
    this.#timeoutMs = timeoutMs;
    this.#onDue = onDue;
    this.#dueNs = hostMonotonicNs() + timeoutMs * 1e6;
    this.#timer = setTimeout(() => this.#check(), Math.min(timeoutMs, MAX_TIMER_MS));
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #check(): void {
    const lateNs = hostMonotonicNs() - this.#dueNs;
    if (lateNs < STALL_NS) {
      this.#onDue();
      return;
    }
    const moreMs = Math.min(lateNs / 1e6, this.#timeoutMs);
    this.#dueNs += lateNs + moreMs * 1e6;
    this.#timer = setTimeout(() => this.#check(), moreMs);
  }
}
