/**
 * How much queueing inflates the variance of a measured share or mean against independent samples (M§4.3): at utilisation
 * 0.9 "270,336 queries" tell as much as about 750 independent ones.
 */

import { assertInvariant } from '../fleet-error.ts';

/** Inflation for the mean wait in M/M/1 (Daley 1968): (2 + 5r - 4r^2 + r^3) / ((2 - r)(1 - r)^2). 9.67 at 0.5. */
export function mm1MeanWaitInflation(utilisation: number): number {
  checkUtilisation(utilisation);
  const r = utilisation;
  return (2 + 5 * r - 4 * r * r + r * r * r) / ((2 - r) * (1 - r) ** 2);
}

/** Rule of thumb from 0.8 on: 3.6 / (1 - r)^2 for service times like the exponential, half of it for near-constant ones. */
export function inflationRule(utilisation: number, service: 'exponential' | 'constant'): number {
  checkUtilisation(utilisation);
  return (service === 'exponential' ? 3.6 : 1.8) / (1 - utilisation) ** 2;
}

/**
 * Three standard errors of a percentile of exponential-like samples, relative to the percentile (M§6.3):
 * 3 sqrt(p (1 - p) inflation / n) / ((1 - p) ln(1 / (1 - p))).
 */
export function quantileTolerance(probability: number, count: number, inflation: number): number {
  const tail = 1 - probability;
  return (3 * Math.sqrt((probability * tail * inflation) / count)) / (tail * Math.log(1 / tail));
}

function checkUtilisation(utilisation: number): void {
  assertInvariant(utilisation > 0 && utilisation < 1, `utilisation is ${utilisation}, must be between 0 and 1`);
}
