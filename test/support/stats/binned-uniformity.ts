/**
 * Uniformity of values on [0, 1) from counts in equal bins: O(1) memory, adds up over workers (M§3.3). Gate on the effect
 * size, which does not grow with the number of samples; the statistic is for CI of the generator.
 */

import { assertInvariant } from '../../../shared/fleet-error.ts';

/** Bins of a worker's uniformity counts. */
export const UNIFORMITY_BINS = 64;

/** How far counts are from equal. */
export interface BinnedUniformity {
  /** sum (count - mean)^2 / mean: chi-square with (bins - 1) degrees if uniform. */
  readonly statistic: number;
  /** w = sqrt(max(statistic - degrees, 0) / n). */
  readonly effect: number;
}

/** Bin of a value on [0, 1); what is out of range falls into the nearest bin. */
export function uniformityBin(value: number): number {
  return Math.min(UNIFORMITY_BINS - 1, Math.max(0, Math.floor(value * UNIFORMITY_BINS)));
}

/** Judges counts of equal bins; null when they are empty. */
export function binnedUniformity(counts: ArrayLike<number>): BinnedUniformity | null {
  assertInvariant(counts.length >= 2, `${counts.length} bins, the least is 2`);
  const total = Array.from(counts).reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const mean = total / counts.length;
  const statistic = Array.from(counts).reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0);
  const degrees = counts.length - 1;
  return { statistic, effect: Math.sqrt(Math.max(statistic - degrees, 0) / total) };
}
