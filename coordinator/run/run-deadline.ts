/** The deadline of a run's state, as a timer that forgives this process its own absence. */
import type { LongTimer } from '../../shared/time/long-timer.ts';
import type { Timekeeper } from '../../shared/time/timekeeper.ts';

/** A deadline that is noticed this much late, ns, passed while this process was stopped or starved. */
const LATE_NS = 2_000_000_000;

export class RunDeadline {
  readonly #timekeeper: Timekeeper;
  readonly #graceNs: number;
  readonly #onPassed: () => void;
  #timer: LongTimer | null = null;

  /** `graceNs`: how much longer it waits when it was noticed late. `onPassed` is called once for each deadline that passes. */
  constructor(timekeeper: Timekeeper, graceNs: number, onPassed: () => void) {
    this.#timekeeper = timekeeper;
    this.#graceNs = graceNs;
    this.#onPassed = onPassed;
  }

  /** From here on it is `deadlineNs`, on the timekeeper's clock; null = none. */
  set(deadlineNs: number | null): void {
    this.cancel();
    if (deadlineNs === null) return;
    const timekeeper = this.#timekeeper;
    this.#timer = timekeeper.after(Math.max(0, deadlineNs - timekeeper.nowNs()), () => {
      // This process did not run when it passed: what agents said meanwhile is heard first, and they may have to dial again.
      if (timekeeper.nowNs() - deadlineNs <= LATE_NS) this.#onPassed();
      else this.#timer = timekeeper.after(this.#graceNs, this.#onPassed);
    });
  }

  /** There is none any more; its late notice does not come either. */
  cancel(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }
}
