/**
 * The gate that all answers pass: open, it lets each go at its instant; during a stall it holds them back, and at the end of the
 * stall (or when released) everything that was held leaves at once, in the order in which it was due.
 */

import type { Clock } from '../shared/time/monotonic-clock.ts';
import type { DueLoop } from './due-loop.ts';

/** Holds callbacks until their instant, and longer while stalled. */
export class StallGate {
  readonly #dueLoop: DueLoop;
  readonly #clock: Clock;
  #stalledUntilNs = -Infinity;
  #held: (() => void)[] = [];

  constructor(dueLoop: DueLoop, clock: Clock) {
    this.#dueLoop = dueLoop;
    this.#clock = clock;
  }

  /** True during a stall. */
  isStalled(nowNs: number): boolean {
    return nowNs < this.#stalledUntilNs;
  }

  /** Runs `run` at the instant, or at the end of the stall that covers it. */
  later(atNs: number, run: () => void): void {
    this.#dueLoop.at(atNs, () => {
      if (this.isStalled(this.#clock.nowNs())) this.#held.push(run);
      else run();
    });
  }

  /** Begins a stall, or makes the present one end no earlier than that. */
  stall(durationNs: number): void {
    const untilNs = this.#clock.nowNs() + durationNs;
    if (untilNs <= this.#stalledUntilNs) return;
    this.#stalledUntilNs = untilNs;
    this.#dueLoop.at(untilNs, () => {
      if (!this.isStalled(this.#clock.nowNs())) this.#releaseHeld();
    });
  }

  /** Ends a stall now. */
  release(): void {
    this.#stalledUntilNs = -Infinity;
    this.#releaseHeld();
  }

  /** Through the due loop, which keeps the order and takes turns with reads and accepts. */
  #releaseHeld(): void {
    const held = this.#held;
    this.#held = [];
    for (const run of held) this.later(-Infinity, run);
  }
}
