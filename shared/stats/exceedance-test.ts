/**
 * Do two runs exceed a common bound equally often? The two-sample test behind the doubling and probe experiments (M§9.3),
 * with the variance inflated for queueing. It can show a difference; for sameness use `compareBlocks`.
 */

import { assertInvariant } from '../fleet-error.ts';

/** Samples of one run, and how many were above the pooled percentile. */
export interface Exceedances {
  readonly count: number;
  readonly above: number;
}

/**
 * z = (k1/n1 - k2/n2) / sqrt(p (1 - p) (1/n1 + 1/n2) inflation), p the pooled share. Null when a side is empty or the pooled
 * share is 0 or 1. 1040 against 960 of 100,000: 1.798 for independent samples.
 */
export function exceedanceZ(first: Exceedances, second: Exceedances, inflation: number): number | null {
  assertInvariant(inflation > 0, `inflation is ${inflation}, must be above 0`);
  if (first.count === 0 || second.count === 0) return null;
  const pooled = (first.above + second.above) / (first.count + second.count);
  if (pooled === 0 || pooled === 1) return null;
  const variance = pooled * (1 - pooled) * (1 / first.count + 1 / second.count) * inflation;
  return (first.above / first.count - second.above / second.count) / Math.sqrt(variance);
}
