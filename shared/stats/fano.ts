/**
 * The Fano factor: variance over mean of counts in equal windows. 1 for Poisson, 0 for evenly spaced. Comparing the factor
 * of what was sent with that of what was planned, in the same windows, shows batching that lag alone may call small
 * (F4 of M§3.1); both see the same arrivals, so sampling noise cancels.
 */

import { chiSquareQuantile, chiSquareTwoSided } from './chi-square.ts';
import { type Moments, varianceOf } from './welford.ts';

/** Variance / mean of the counts; null below two windows or when nothing arrived. */
export function fanoFactor(counts: Moments): number | null {
  const variance = varianceOf(counts);
  return variance === null || counts.mean === 0 ? null : variance / counts.mean;
}

/** Factor of what was sent over factor of what was planned; null where either has no meaning or the plan's is 0. */
export function fanoRatio(sent: Moments, planned: Moments): number | null {
  const numerator = fanoFactor(sent);
  const denominator = fanoFactor(planned);
  return numerator === null || denominator === null || denominator === 0 ? null : numerator / denominator;
}

/** Index of dispersion of counts: D = sum (x - mean)^2 / mean, chi-square with (windows - 1) degrees if Poisson. */
export interface DispersionTest {
  readonly statistic: number;
  readonly degrees: number;
  /** Two-sided. */
  readonly pValue: number;
}

/** Tests counts of equal windows for Poisson; null below two windows or when nothing arrived. For CI of the generator. */
export function dispersionTest(counts: Moments): DispersionTest | null {
  if (counts.count < 2 || counts.mean === 0) return null;
  const statistic = counts.squares / counts.mean;
  const degrees = counts.count - 1;
  return { statistic, degrees, pValue: chiSquareTwoSided(statistic, degrees) };
}

/** Range in which the factor of a Poisson process lies with probability `confidence`, from `windows` windows. */
export function fanoBand(windows: number, confidence: number): { readonly low: number; readonly high: number } {
  const degrees = windows - 1;
  const outside = (1 - confidence) / 2;
  return {
    low: chiSquareQuantile(outside, degrees) / degrees,
    high: chiSquareQuantile(1 - outside, degrees) / degrees,
  };
}
