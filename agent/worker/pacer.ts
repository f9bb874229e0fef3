/**
 * Gives the worker its turns: by setImmediate while an arrival is near, by one coarse timer while none is (design §6). What lies between
 * the two, and has no open request, is spent blocked outside of the loop, which wakes to a tenth of a millisecond.
 * One timer at most is set at any time; it stays set over turns that come before it, for setting one costs more than such a turn.
 * It decides when to look, never what is due; a turn that comes early or late is harmless.
 */

import type { Clock } from '../../shared/time/monotonic-clock.ts';
import { BLOCK_MARGIN, blockNs, type PacingMode, sleepMs, TIMER_MARGIN, WakeMargin } from './pacing-plan.ts';

const NS_PER_MS = 1e6;

/** The platform's scheduling functions; tests give fakes. */
export interface TurnScheduler {
  /** Runs `turn` in the next turn of the loop, after its I/O. */
  soon(turn: () => void): void;
  /** Runs `turn` after `delayMs` (1..2^31-1). Returns what cancels it. */
  later(turn: () => void, delayMs: number): () => void;
  /** Blocks the thread for about `ns`, its loop included. */
  block(ns: number): void;
}

/** Nobody wakes it: a block on it ends by its time. */
const blockCell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** The real thing. */
export const platformScheduler: TurnScheduler = {
  soon: (turn) => {
    setImmediate(turn);
  },
  later: (turn, delayMs) => {
    const handle = setTimeout(turn, delayMs);
    return () => clearTimeout(handle);
  },
  block: (ns) => {
    Atomics.wait(blockCell, 0, 0, ns / NS_PER_MS);
  },
};

/** What the pacer waits for: nothing, the loop to come round, or its timer. */
type PacerState = 'stopped' | 'spinning' | 'sleeping';

/** The timer that is set, and the instant it was set for. */
interface SetTimer {
  readonly cancel: () => void;
  readonly wakeNs: number;
}

export class Pacer {
  readonly #mode: PacingMode;
  readonly #clock: Clock;
  readonly #scheduler: TurnScheduler;
  readonly #onTurn: () => void;
  readonly #margin = new WakeMargin(TIMER_MARGIN);
  readonly #blockMargin = new WakeMargin(BLOCK_MARGIN);
  #blockedNs = 0;
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

  /** Time that it has been blocked outside of the loop, ns. */
  get blockedNs(): number {
    return this.#blockedNs;
  }

  /**
   * Plans the next turn from `nowNs`: see `sleepMs` for the two instants. `isQuiet`: no answer can come meanwhile, so that the thread
   * may block. True when the time until then is, or may be, spent asleep.
   */
  waitFor(nowNs: number, arrivalNs: number, choreNs: number, isQuiet: boolean): boolean {
    const delayMs = sleepMs(this.#mode, nowNs, arrivalNs, choreNs, this.#margin.marginNs);
    if (delayMs === 0) {
      this.turnSoon();
      return isQuiet && this.#block(nowNs, arrivalNs, choreNs);
    }
    this.#state = 'sleeping';
    const wakeNs = nowNs + delayMs * NS_PER_MS;
    if (this.#timer !== null && this.#timer.wakeNs <= wakeNs) return true;
    this.#timer?.cancel();
    this.#timer = { cancel: this.#scheduler.later(this.#wake, delayMs), wakeNs };
    return true;
  }

  /** False when there was no time for it. */
  #block(nowNs: number, arrivalNs: number, choreNs: number): boolean {
    const ns = blockNs(this.#mode, nowNs, arrivalNs, choreNs, this.#blockMargin.marginNs);
    if (ns === 0) return false;
    const beganNs = this.#clock.nowNs();
    this.#scheduler.block(ns);
    const tookNs = this.#clock.nowNs() - beganNs;
    this.#blockedNs += tookNs;
    this.#blockMargin.observe(tookNs - ns);
    return true;
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
