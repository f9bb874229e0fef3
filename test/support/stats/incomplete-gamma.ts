/**
 * The regularised incomplete gamma function P(a, x), on which the chi-square and the normal distribution rest.
 * Series below a + 1, continued fraction above. About 13 digits.
 */

import { assertInvariant } from '../../../shared/fleet-error.ts';
import { logGamma } from '../../../shared/stats/log-gamma.ts';

const TINY = 1e-300;
const PRECISION = 1e-16;
const STEPS_MAX = 1_000_000;

/** P(a, x), the lower tail, for a > 0 and x >= 0. */
export function lowerGamma(a: number, x: number): number {
  checkArguments(a, x);
  if (x === 0) return 0;
  return x < a + 1 ? gammaSeries(a, x) : 1 - gammaFraction(a, x);
}

/** Q(a, x) = 1 - P(a, x), without loss of digits where it is small. */
export function upperGamma(a: number, x: number): number {
  checkArguments(a, x);
  if (x === 0) return 1;
  return x < a + 1 ? 1 - gammaSeries(a, x) : gammaFraction(a, x);
}

function checkArguments(a: number, x: number): void {
  assertInvariant(a > 0 && x >= 0, `the incomplete gamma function needs a > 0 and x >= 0, got ${a}, ${x}`);
}

/** x^a e^-x / Gamma(a). */
function density(a: number, x: number): number {
  return Math.exp(a * Math.log(x) - x - logGamma(a));
}

function gammaSeries(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; n < STEPS_MAX; n += 1) {
    term *= x / (a + n);
    sum += term;
    if (term < sum * PRECISION) return sum * density(a, x);
  }
  assertInvariant(false, `the incomplete gamma series does not converge at a = ${a}, x = ${x}`);
}

function gammaFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1 / TINY;
  let d = 1 / b;
  let fraction = d;
  for (let i = 1; i < STEPS_MAX; i += 1) {
    const numerator = -i * (i - a);
    b += 2;
    d = 1 / awayFromZero(numerator * d + b);
    c = awayFromZero(b + numerator / c);
    const change = d * c;
    fraction *= change;
    if (Math.abs(change - 1) <= 4 * PRECISION) return fraction * density(a, x);
  }
  assertInvariant(false, `the incomplete gamma fraction does not converge at a = ${a}, x = ${x}`);
}

function awayFromZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}
