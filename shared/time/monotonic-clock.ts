/**
 * The only place that reads a clock for measuring. Every instant that is stamped comes from the host's monotonic clock, so that
 * stamps of threads and processes of one host can be compared and no step of the wall clock can make a duration negative (R067).
 * `performance.now()` is quick but starts at zero in each thread; it is aligned once per thread to the host's clock.
 * Not for dates in reports (those are wall-clock labels), and never for comparing two hosts.
 */

/** A source of instants. Real code gets `hostClock`; tests give a fake. */
export interface Clock {
  /** The present instant in integer ns from an origin that is fixed for the clock's life; never goes back. */
  nowNs(): number;
}

/** How a thread's own clock maps to the host's: host ns = own ms x 1e6 + offsetNs. */
export interface ClockAlignment {
  offsetNs: number;
  /** The offset is right to within this many ns either way. */
  errorNs: number;
}

const ALIGNMENT_SAMPLES = 32;

/**
 * Finds the offset between a clock in milliseconds and the host's in ns: each sample reads own, host, own; the tightest
 * sample wins, and half its width bounds the error (the rule of M§8, without a network).
 */
export function alignClock(
  readOwnMs: () => number,
  readHostNs: () => bigint,
  samples = ALIGNMENT_SAMPLES,
): ClockAlignment {
  let best: ClockAlignment = { offsetNs: 0, errorNs: Infinity };
  for (let i = 0; i < samples; i++) {
    const beforeMs = readOwnMs();
    const hostNs = readHostNs();
    const afterMs = readOwnMs();
    const errorNs = ((afterMs - beforeMs) / 2) * 1e6;
    if (errorNs < best.errorNs) {
      best = { offsetNs: Math.round(Number(hostNs) - (beforeMs + afterMs) * 0.5e6), errorNs };
    }
  }
  return best;
}

/** The thread's own clock, found once: the global is a getter, a quarter of a reading's cost. */
const ownClock = performance;

// Evaluated once per thread: each worker thread has its own instance of this module.
const alignment = alignClock(
  () => ownClock.now(),
  () => process.hrtime.bigint(),
);
const offsetNs = alignment.offsetNs;

/**
 * The host's monotonic clock in integer ns; the same origin (the boot of the host) in all threads and processes of this host.
 * Exact below 2^53 ns, 104 days after boot; beyond that the steps are 2 ns (4 ns after 208 days), which no measure here can see.
 */
export function hostMonotonicNs(): number {
  return Math.floor(ownClock.now() * 1e6) + offsetNs;
}

/** The host's monotonic clock as a `Clock`. */
export const hostClock: Clock = { nowNs: hostMonotonicNs };

/** Bound on this thread's error against the host's clock in ns: what two threads' stamps may disagree by, each. */
export const hostClockErrorNs: number = alignment.errorNs;
