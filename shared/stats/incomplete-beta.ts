/**
 * The regularised incomplete beta function, on which binomial tails, Student's t and MLPerf's early stopping rest.
 * Continued fraction by Lentz's method; the factor before it in Loader's saddle-point form, which stays accurate at
 * millions of samples. About 12 digits.
 */

import { assertInvariant } from '../fleet-error.ts';
import { stirlingRemainder } from './log-gamma.ts';

const TINY = 1e-300;
const PRECISION = 1e-15;

/** The fraction converges in O(sqrt(max(a, b))) steps; this many times that is a defect. */
const STEPS_PER_ROOT = 50;
const STEPS_LEAST = 1000;

/** I_x(a, b) for a, b > 0 and x in [0, 1]. */
export function incompleteBeta(x: number, a: number, b: number): number {
  assertInvariant(a > 0 && b > 0, `the incomplete beta function needs a, b above 0, got ${a}, ${b}`);
  assertInvariant(x >= 0 && x <= 1, `the incomplete beta function needs x in [0, 1], got ${x}`);
  if (x === 0 || x === 1) return x;
  // The fraction is fast below the mean a / (a + b); beyond it the other tail is computed.
  return x < (a + 1) / (a + b + 2) ? lowerTail(x, 1 - x, a, b) : 1 - lowerTail(1 - x, x, b, a);
}

/** I_x(a, b) = x^a y^b / (a B(a, b)) * fraction, with y = 1 - x. */
function lowerTail(x: number, y: number, a: number, b: number): number {
  return (betaDensityFactor(x, y, a, b) * betaFraction(x, a, b)) / a;
}

/**
 * x^a y^b / B(a, b). With n = a + b, writing both Gammas by Stirling leaves
 * sqrt(a b / (2 pi n)) * exp(delta(n) - delta(a) - delta(b) - D(a, n x) - D(b, n y)), where D is the deviance.
 */
function betaDensityFactor(x: number, y: number, a: number, b: number): number {
  const n = a + b;
  const remainders = stirlingRemainder(n) - stirlingRemainder(a) - stirlingRemainder(b);
  const exponent = remainders - deviance(a, n * x) - deviance(b, n * y);
  return Math.sqrt((a / n) * (b / (2 * Math.PI))) * Math.exp(exponent);
}

/** k ln(k / mean) + mean - k, without loss of digits where k is near the mean (Loader 2000). */
function deviance(k: number, mean: number): number {
  const difference = k - mean;
  if (Math.abs(difference) >= 0.1 * (k + mean)) return k * Math.log(k / mean) - difference;
  const v = difference / (k + mean);
  let sum = difference * v;
  let term = 2 * k * v;
  for (let j = 3; ; j += 2) {
    term *= v * v;
    const next = sum + term / j;
    if (next === sum) return sum;
    sum = next;
  }
}

/** The continued fraction of I_x(a, b) (Abramowitz and Stegun 26.5.8), by the modified Lentz method. */
function betaFraction(x: number, a: number, b: number): number {
  const steps = STEPS_LEAST + STEPS_PER_ROOT * Math.sqrt(Math.max(a, b));
  let c = 1;
  let d = awayFromZero(1 - ((a + b) * x) / (a + 1));
  d = 1 / d;
  let fraction = d;
  for (let m = 1; m <= steps; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / awayFromZero(1 + even * d);
    c = awayFromZero(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / awayFromZero(1 + odd * d);
    c = awayFromZero(1 + odd / c);
    const change = d * c;
    fraction *= change;
    if (Math.abs(change - 1) < PRECISION) return fraction;
  }
  assertInvariant(false, `the incomplete beta fraction does not converge at x = ${x}, a = ${a}, b = ${b}`);
}

function awayFromZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}
