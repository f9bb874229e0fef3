/** Tails of the binomial distribution, by the incomplete beta function: good at 10 samples and at 10^8. */

import { incompleteBeta } from './incomplete-beta.ts';

/** P(Bin(n, p) <= k) for an integer k; 0 below 0, 1 from n on. */
export function binomialCdf(k: number, n: number, p: number): number {
  if (k < 0) return 0;
  if (k >= n) return 1;
  return incompleteBeta(1 - p, n - k, k + 1);
}
