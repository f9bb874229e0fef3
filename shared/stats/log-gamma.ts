/**
 * ln Gamma and the remainder of Stirling's formula, to about 14 digits for positive arguments. The remainder is what lets
 * binomial tails keep their digits at counts of millions, where ln Gamma itself is too large a number.
 */

import { assertInvariant } from '../fleet-error.ts';

const HALF_LN_TWO_PI = 0.5 * Math.log(2 * Math.PI);

/** From here on the series of Stirling's remainder is exact to a double with the terms below. */
const SERIES_FROM = 16;

/** Coefficients 1/12, -1/360, 1/1260, ... of the remainder in 1/x, 1/x^3, 1/x^5, ... (Abramowitz and Stegun 6.1.40). */
const SERIES = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360_360, 1 / 156];

/** ln Gamma(x) for x > 0. */
export function logGamma(x: number): number {
  assertInvariant(x > 0, `ln Gamma is asked for ${x}, must be above 0`);
  return (x - 0.5) * Math.log(x) - x + HALF_LN_TWO_PI + stirlingRemainder(x);
}

/** ln Gamma(x) - [(x - 1/2) ln x - x + ln(2 pi) / 2] for x > 0: about 1 / (12 x). */
export function stirlingRemainder(x: number): number {
  if (x >= SERIES_FROM) return remainderSeries(x);
  // Gamma(x) = Gamma(x + n) / (x (x + 1) ... (x + n - 1)) moves a small argument to where the series holds.
  let product = 1;
  let shifted = x;
  for (; shifted < SERIES_FROM; shifted += 1) product *= shifted;
  const ofShifted = (shifted - 0.5) * Math.log(shifted) - shifted + remainderSeries(shifted);
  return ofShifted - Math.log(product) - ((x - 0.5) * Math.log(x) - x);
}

function remainderSeries(x: number): number {
  const inverse = 1 / x;
  const square = inverse * inverse;
  return inverse * SERIES.reduceRight((sum, coefficient) => sum * square + coefficient, 0);
}
