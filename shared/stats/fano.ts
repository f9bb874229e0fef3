/**
 * The Fano factor: variance over mean of counts in equal windows. 1 for Poisson, 0 for evenly spaced. Comparing the factor
 * of what was sent with that of what was planned, in the same windows, shows batching that lag alone may call small
 * (F4 of M§3.1); both see the same arrivals, so sampling noise cancels.
 */

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
