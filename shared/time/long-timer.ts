/**
 * Timers for any delay. The platform's timer takes at most 2^31 - 1 ms (24.8 days) and turns anything longer into 1 ms (R013);
 * here a longer delay is a chain of timers, so a plan of 30 days ends after 30 days.
 * Deadlines and limits use this. Not for pacing: timers are right to about a millisecond.
 */

import { FleetError } from '../fleet-error.ts';

/** The longest delay one platform timer can hold, in ms. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The two functions of the platform that are needed; tests give fakes. */
export interface TimerFunctions<Handle> {
  setTimeout(callback: () => void, delayMs: number): Handle;
  clearTimeout(handle: Handle): void;
}

/** A running long timer. */
export interface LongTimer {
  /** Stops the timer; the callback never runs afterwards. Harmless when it has run already. */
  cancel(): void;
}

/**
 * Runs `callback` once, `delayMs` after now.
 * @param delayMs any finite number >= 0; fractions are rounded up, so that a deadline is never early by rounding.
 * @param timers the platform's functions; the real ones by default.
 * @throws FleetError code `internal` for a negative, infinite or NaN delay.
 */
export function startLongTimer(callback: () => void, delayMs: number): LongTimer;
export function startLongTimer<Handle>(
  callback: () => void,
  delayMs: number,
  timers: TimerFunctions<Handle>,
): LongTimer;
export function startLongTimer(
  callback: () => void,
  delayMs: number,
  timers: TimerFunctions<unknown> = platformTimers,
): LongTimer {
  if (!(delayMs >= 0) || delayMs === Infinity) {
    throw new FleetError('internal', `long timer: delay of ${String(delayMs)} ms is not a finite number >= 0`);
  }
  let handle: unknown;
  const arm = (restMs: number): void => {
    const stepMs = Math.min(restMs, MAX_TIMER_MS);
    const afterMs = restMs - stepMs;
    handle = timers.setTimeout(afterMs > 0 ? () => arm(afterMs) : callback, stepMs);
  };
  arm(Math.ceil(delayMs));
  return { cancel: () => timers.clearTimeout(handle) };
}

const platformTimers: TimerFunctions<unknown> = {
  setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
};
