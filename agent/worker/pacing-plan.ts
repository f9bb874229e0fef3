/**
 * The pure half of pacing: how long a worker may sleep before the next instant, and how early a timer must be set so that it
 * is not late (design §6). It sees numbers only; `pacer.ts` holds the timers. It never decides that something is due: an
 * instant is due when the clock has reached it, so nothing can go early (R012).
 */

import type { Pacing } from '../../shared/plan/plan.ts';
import { MAX_TIMER_MS } from '../../shared/time/long-timer.ts';

/** How a worker waits; `auto` has been resolved before. */
export type PacingMode = Exclude<Pacing, 'auto'>;

const NS_PER_MS = 1e6;

/**
 * Whole milliseconds to sleep before looking again; 0 = do not sleep, take the next turn of the loop.
 * - `hybrid` sleeps to `marginNs` before `arrivalNs` and takes turns from there; `spin` always takes turns; `timer` sleeps to the
 *   first millisecond that is not before `arrivalNs`.
 * - `choreNs` is the next instant of housekeeping (a window's end, a deadline): it may be late by a timer's error, never early.
 * A wait longer than one platform timer can hold is cut, and the caller asks again (R013).
 * @param arrivalNs next intended instant, Infinity when there is none.
 */
export function sleepMs(mode: PacingMode, nowNs: number, arrivalNs: number, choreNs: number, marginNs: number): number {
  if (mode === 'spin') return 0;
  const arrivalMs =
    mode === 'hybrid'
      ? Math.floor((arrivalNs - marginNs - nowNs) / NS_PER_MS)
      : Math.ceil((arrivalNs - nowNs) / NS_PER_MS);
  if (!(arrivalMs >= 1)) return 0;
  const choreMs = Math.max(1, Math.ceil((choreNs - nowNs) / NS_PER_MS));
  return Math.min(arrivalMs, choreMs, MAX_TIMER_MS);
}

/** A block is never longer, ns: the loop sees its sockets and messages between two. */
const BLOCK_MAX_NS = 1_000_000;
/** A shorter one is not worth its system call, ns. */
const BLOCK_MIN_NS = 50_000;

/**
 * Nanoseconds that a worker without open requests may block outside of its loop, where a timer is too coarse; 0 = none. Only `hybrid` does,
 * to `marginNs` before `arrivalNs`, and not beyond `choreNs`.
 */
export function blockNs(mode: PacingMode, nowNs: number, arrivalNs: number, choreNs: number, marginNs: number): number {
  if (mode !== 'hybrid') return 0;
  const leftNs = Math.min(arrivalNs - marginNs, choreNs) - nowNs;
  return leftNs < BLOCK_MIN_NS ? 0 : Math.min(Math.floor(leftNs), BLOCK_MAX_NS);
}

/** How a margin begins, moves and ends, ns. */
export interface MarginBounds {
  readonly startNs: number;
  readonly minNs: number;
  readonly maxNs: number;
  /** How far it grows with one wake-up that came too late. */
  readonly stepNs: number;
}

/** Of the platform's timers: right to about 1 ms; above 5 ms the host is not usable anyway. */
export const TIMER_MARGIN: MarginBounds = { startNs: 1_500_000, minNs: 100_000, maxNs: 5_000_000, stepNs: 200_000 };
/** Of blocks: the system's slack of 50 us and the way back to a processor. */
export const BLOCK_MARGIN: MarginBounds = { startNs: 300_000, minNs: 100_000, maxNs: 1_000_000, stepNs: 100_000 };

/** The share of wake-ups that may come later than the margin: both kinds before an arrival are half of what a 99th percentile leaves out. */
const LATE_SHARE = 0.0025;

/**
 * A margin of `hybrid`, adapted to the error of wake-ups seen: it follows the 99.75th percentile of (wake - instant asked for) by the
 * Robbins-Monro rule m += step * (late ? 1 : -a / (1 - a)), a = 0.0025, in balance when the share a of the wake-ups is later than m.
 */
export class WakeMargin {
  readonly #bounds: MarginBounds;
  #marginNs: number;

  constructor(bounds: MarginBounds) {
    this.#bounds = bounds;
    this.#marginNs = bounds.startNs;
  }

  /** The present margin in ns. */
  get marginNs(): number {
    return this.#marginNs;
  }

  /** Learns from one wake-up: `errorNs` = instant of waking - instant asked for. */
  observe(errorNs: number): void {
    const { minNs, maxNs, stepNs } = this.#bounds;
    const moveNs = errorNs > this.#marginNs ? stepNs : (-stepNs * LATE_SHARE) / (1 - LATE_SHARE);
    this.#marginNs = Math.min(maxNs, Math.max(minNs, this.#marginNs + moveNs));
  }
}
