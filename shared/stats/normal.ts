/** The standard normal distribution. */

import { assertInvariant } from '../fleet-error.ts';
import { solveRisingFromZero } from './bisection.ts';
import { lowerGamma, upperGamma } from './incomplete-gamma.ts';

/** P(Z <= z). */
export function normalCdf(z: number): number {
  const half = (z * z) / 2;
  return z < 0 ? upperGamma(0.5, half) / 2 : 0.5 + lowerGamma(0.5, half) / 2;
}

/** The z with P(Z <= z) = `probability`, in (0, 1). */
export function normalQuantile(probability: number): number {
  assertInvariant(probability > 0 && probability < 1, `probability is ${probability}, must be between 0 and 1`);
  if (probability < 0.5) return -normalQuantile(1 - probability);
  return solveRisingFromZero(normalCdf, probability, 1);
}
