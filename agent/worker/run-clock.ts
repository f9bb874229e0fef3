/**
 * Run time on a worker thread: integer ns from T0, read from the host's monotonic clock (design §6). Every stamp of a request
 * comes from here, so stamps of one host's workers can be compared and no step of the wall clock is seen (R067).
 * Not for dates, and not before T0 is set for anything that is recorded.
 */

import type { Clock } from '../../shared/time/monotonic-clock.ts';

/** A clock whose zero is T0. Before `setOrigin` it counts from the host clock's own origin. */
export class RunClock implements Clock {
  readonly #host: Clock;
  #originNs = 0;

  constructor(host: Clock) {
    this.#host = host;
  }

  /** Fixes T0, given on the host's monotonic clock. */
  setOrigin(t0HostNs: number): void {
    this.#originNs = t0HostNs;
  }

  /** Run time in integer ns; negative before T0. */
  nowNs(): number {
    return this.#host.nowNs() - this.#originNs;
  }
}
