/** A clock and timers that a test moves by hand. Callbacks run in the order of their instants, inside `advance`. */
import type { LongTimer } from '../../shared/time/long-timer.ts';
import type { Timekeeper } from '../../shared/time/timekeeper.ts';

export class FakeTimekeeper implements Timekeeper {
  #nowNs: number;
  #timers: { readonly atNs: number; readonly callback: () => void }[] = [];

  constructor(startNs = 0) {
    this.#nowNs = startNs;
  }

  nowNs(): number {
    return this.#nowNs;
  }

  wallMs(): number {
    return 1_700_000_000_000 + Math.floor(this.#nowNs / 1e6);
  }

  after(delayNs: number, callback: () => void): LongTimer {
    const timer = { atNs: this.#nowNs + delayNs, callback };
    this.#timers.push(timer);
    return { cancel: () => void (this.#timers = this.#timers.filter((each) => each !== timer)) };
  }

  /** Timers that are set. */
  get pending(): number {
    return this.#timers.length;
  }

  /** The process does not run for `byNs`: what falls due meanwhile comes with the next `advance`, late. */
  pause(byNs: number): void {
    this.#nowNs += byNs;
  }

  /** Moves the clock on, timers included. */
  advance(byNs: number): void {
    const untilNs = this.#nowNs + byNs;
    for (;;) {
      const due = this.#timers.filter((timer) => timer.atNs <= untilNs).sort((a, b) => a.atNs - b.atNs)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#nowNs = Math.max(this.#nowNs, due.atNs);
      due.callback();
    }
    this.#nowNs = untilNs;
  }
}
