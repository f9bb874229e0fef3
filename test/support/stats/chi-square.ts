/** The chi-square distribution: for counts in windows and in bins, in the tests of the generator (M§3.2). */

import { solveRisingFromZero } from '../../../shared/stats/bisection.ts';
import { lowerGamma, upperGamma } from './incomplete-gamma.ts';

/** P(chi2 <= x) with `degrees` degrees of freedom. */
export function chiSquareCdf(x: number, degrees: number): number {
  return lowerGamma(degrees / 2, x / 2);
}

/** The x with P(chi2 <= x) = `probability`, in (0, 1). */
export function chiSquareQuantile(probability: number, degrees: number): number {
  return solveRisingFromZero((x) => chiSquareCdf(x, degrees), probability, degrees);
}

/** Two-sided p-value: twice the smaller tail, at most 1. */
export function chiSquareTwoSided(x: number, degrees: number): number {
  return Math.min(1, 2 * Math.min(chiSquareCdf(x, degrees), upperGamma(degrees / 2, x / 2)));
}
