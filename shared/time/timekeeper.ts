/**
 * A clock together with timers, as one argument: what deadlines, heartbeats and state machines are given. Tests give a fake
 * one and move it by hand. Not for pacing: a timer is right to about a millisecond.
 */
import { type LongTimer, startLongTimer } from './long-timer.ts';
import { type Clock, hostClock } from './monotonic-clock.ts';

const NS_PER_MS = 1e6;

/** A clock that can also call back. */
export interface Timekeeper extends Clock {
  /** The wall clock in ms since the epoch: a label for people, never subtracted (R067). */
  wallMs(): number;
  /** Calls back once, not before `delayNs` (>= 0) from now. */
  after(delayNs: number, callback: () => void): LongTimer;
}

/** The host's monotonic clock and the platform's timers. */
export const hostTimekeeper: Timekeeper = {
  nowNs: () => hostClock.nowNs(),
  wallMs: () => Date.now(),
  after: (delayNs, callback) => startLongTimer(callback, Math.max(0, delayNs) / NS_PER_MS),
};

/** Calls back every `intervalNs` until cancelled. */
export function repeatEvery(timekeeper: Timekeeper, intervalNs: number, callback: () => void): LongTimer {
  let timer: LongTimer;
  const again = (): void => {
    timer = timekeeper.after(intervalNs, () => {
      again();
      callback();
    });
  };
  again();
  return { cancel: () => timer.cancel() };
}
