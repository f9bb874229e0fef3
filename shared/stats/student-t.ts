/** Student's t distribution, for intervals of block means and of repeated runs. Degrees of freedom may be fractions (Welch). */

import { assertInvariant } from '../fleet-error.ts';
import { solveRisingFromZero } from './bisection.ts';
import { incompleteBeta } from './incomplete-beta.ts';

/** P(T <= t) with `degrees` (> 0) degrees of freedom. */
export function studentTCdf(t: number, degrees: number): number {
  const upper = incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2;
  return t < 0 ? upper : 1 - upper;
}

/** The t with P(T <= t) = `probability`, in (0, 1). */
export function studentTQuantile(probability: number, degrees: number): number {
  assertInvariant(probability > 0 && probability < 1, `probability is ${probability}, must be between 0 and 1`);
  if (probability < 0.5) return -studentTQuantile(1 - probability, degrees);
  return solveRisingFromZero((t) => studentTCdf(t, degrees), probability, 1);
}
