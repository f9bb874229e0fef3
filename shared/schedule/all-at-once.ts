/**
 * All arrivals at the phase start: the offline scenario. How fast they leave is the workers' limits, not the schedule's.
 */

import { FleetError } from '../fleet-error.ts';
import type { IndexedInstants } from './indexed-instants.ts';

/**
 * `count` arrivals at instant 0 of the phase.
 * @throws FleetError 'plan' unless `count` is an integer in 0..2^53-1.
 */
export function allAtOnceInstants(count: number): IndexedInstants {
  if (!Number.isSafeInteger(count) || count < 0) {
    throw new FleetError('plan', `all-at-once: count ${count} is not an integer >= 0`);
  }
  return { count, nsOf: () => 0 };
}
