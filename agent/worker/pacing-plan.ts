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

/** Bounds and start of the margin, ns. A timer of the platform is right to about 1 ms; above 5 ms the host is not usable anyway. */
const MARGIN_MIN_NS = 100_000;
const MARGIN_MAX_NS = 5_000_000;
const MARGIN_START_NS = 1_500_000;

/** The share of wake-ups that may come later than the margin: less than half of what the 99th percentile of wakeLag leaves out. */
const LATE_SHARE = 0.004;
const STEP_UP_NS = 200_000;
const STEP_DOWN_NS = (STEP_UP_NS * LATE_SHARE) / (1 - LATE_SHARE);

/**
 * The margin of `hybrid`, adapted to the timer error seen: it follows the 99.6th percentile of (wake - instant asked for) by the
 * Robbins-Monro rule m += step * (late ? 1 - a : -a), a = 0.004, which is in balance when 0.4 % of the wake-ups are later than m.
 */
export class TimerMargin {
  #marginNs = MARGIN_START_NS;

  /** The present margin in ns. */
  get marginNs(): number {
    return this.#marginNs;
  }

  /** Learns from one wake-up: `errorNs` = instant of waking - instant asked for. */
  observe(errorNs: number): void {
    const moved = this.#marginNs + (errorNs > this.#marginNs ? STEP_UP_NS : -STEP_DOWN_NS);
    this.#marginNs = Math.min(MARGIN_MAX_NS, Math.max(MARGIN_MIN_NS, moved));
  }
}
