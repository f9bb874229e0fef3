/**
 * Gives the worker its turns: by setImmediate while an arrival is near, by one coarse timer while none is (design §6).
 * One timer at most is set at any time; it stays set over turns that come before it, for setting one costs more than such a turn.
 * It decides when to look, never what is due; a turn that comes early or late is harmless.
 */

import type { Clock } from '../../shared/time/monotonic-clock.ts';
import { type PacingMode, sleepMs, TimerMargin } from './pacing-plan.ts';

/** The platform's scheduling functions; tests give fakes. */
export interface TurnScheduler {
  /** Runs `turn` in the next turn of the loop, after its I/O. */
  soon(turn: () => void): void;
  /** Runs `turn` after `delayMs` (1..2^31-1). Returns what cancels it. */
  later(turn: () => void, delayMs: number): () => void;
}

/** The real thing. */
export const platformScheduler: TurnScheduler = {
  soon: (turn) => {
    setImmediate(turn);
  },
  later: (turn, delayMs) => {
    const handle = setTimeout(turn, delayMs);
    return () => clearTimeout(handle);
  },
};

/** What the pacer waits for: nothing, the loop to come round, or its timer. */
type PacerState = 'stopped' | 'spinning' | 'sleeping';

/** The timer that is set, and the instant it was set for. */
interface SetTimer {
  readonly cancel: () => void;
  readonly wakeNs: number;
}

const NS_PER_MS = 1e6;

export class Pacer {
  readonly #mode: PacingMode;
  readonly #clock: Clock;
  readonly #scheduler: TurnScheduler;
  readonly #onTurn: () => void;
  readonly #margin = new TimerMargin();
  #state: PacerState = 'stopped';
  #timer: SetTimer | null = null;
  /** An immediate is under way: it is never cancelled, it looks at the state when it comes. */
  #immediatePending = false;

  /** `onTurn` is called once per turn and must end by calling `waitFor` or `stop`. */
  constructor(mode: PacingMode, clock: Clock, scheduler: TurnScheduler, onTurn: () => void) {
    this.#mode = mode;
    this.#clock = clock;
    this.#scheduler = scheduler;
    this.#onTurn = onTurn;
  }

  /** The margin of `hybrid` now, ns. */
  get marginNs(): number {
    return this.#margin.marginNs;
  }

  /** True while the loop may block in its poll. */
  get sleeping(): boolean {
    return this.#state === 'sleeping';
  }

  /** Plans the next turn from `nowNs`: see `sleepMs` for the two instants. */
  waitFor(nowNs: number, arrivalNs: number, choreNs: number): void {
    const delayMs = sleepMs(this.#mode, nowNs, arrivalNs, choreNs, this.#margin.marginNs);
    if (delayMs === 0) {
      this.turnSoon();
      return;
    }
    this.#state = 'sleeping';
    const wakeNs = nowNs + delayMs * NS_PER_MS;
    if (this.#timer !== null) {
      if (this.#timer.wakeNs <= wakeNs) return;
      this.#timer.cancel();
    }
    this.#timer = { cancel: this.#scheduler.later(this.#wake, delayMs), wakeNs };
  }

  /** Takes a turn as soon as the loop comes round, also out of a sleep. */
  turnSoon(): void {
    this.#state = 'spinning';
    if (this.#immediatePending) return;
    this.#immediatePending = true;
    this.#scheduler.soon(this.#spin);
  }

  /** No further turn until `waitFor` or `turnSoon`. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#state = 'stopped';
  }

  readonly #spin = (): void => {
    this.#immediatePending = false;
    if (this.#state !== 'spinning') return;
    this.#state = 'stopped';
    this.#onTurn();
  };

  readonly #wake = (): void => {
    const timer = this.#timer;
    this.#timer = null;
    // Set for a sleep that something else has ended: the turn that is under way looks itself.
    if (this.#state !== 'sleeping' || timer === null) return;
    this.#margin.observe(this.#clock.nowNs() - timer.wakeNs);
    this.#state = 'stopped';
    this.#onTurn();
  };
}
