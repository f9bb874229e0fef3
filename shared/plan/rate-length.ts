/** Over what length a phase's requests make a rate. */

import type { Phase } from './plan.ts';

/**
 * Scheduled length of a phase to divide its requests by, ns. 0 where all fall due at one instant, as those of a trace of one row, or of rows
 * with one time stamp, do: such a phase lasts the 1 ns that holds them, and a rate over that would be a billion a second.
 */
export function rateLengthNs({ arrivals, durationNs }: Pick<Phase, 'arrivals' | 'durationNs'>): number {
  return arrivals.kind === 'trace' && durationNs <= 1 ? 0 : durationNs;
}
