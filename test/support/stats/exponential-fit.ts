/**
 * Goodness-of-fit tests of gaps against the exponential law: Anderson and Darling, Kolmogorov and Smirnov (M§3.2). For CI of
 * the generator with about 10^4 gaps and fixed seeds. Not for judging runs: with 10^8 gaps everything is rejected, and
 * independent lag is invisible to them.
 */

import { assertInvariant } from '../../../shared/fleet-error.ts';

/** Upper points of A^2 with the rate known, by significance level (asymptotic, M§3.2). */
export const ANDERSON_DARLING_KNOWN = { 0.15: 1.621, 0.1: 1.933, 0.05: 2.492, 0.025: 3.077, 0.01: 3.878, 0.001: 5.969 };

/** Upper points of A* (rate estimated from the same gaps), by significance level (Stephens 1979). */
export const ANDERSON_DARLING_ESTIMATED = { 0.15: 0.918, 0.1: 1.062, 0.05: 1.321, 0.025: 1.591, 0.01: 1.959 };

/** Upper points of sqrt(n) D with the law known, by significance level. */
export const KOLMOGOROV_KNOWN = { 0.05: 1.3581, 0.01: 1.6276, 0.001: 1.9495 };

/** Upper points of D* (rate estimated), by significance level. */
export const KOLMOGOROV_ESTIMATED = { 0.1: 0.99, 0.05: 1.09, 0.01: 1.29 };

/** Gaps are known to a ns only; a gap of 0 is taken as this part of the mean, so that one tie is not infinite evidence. */
const GAP_LEAST = 1e-15;

/**
 * A^2 = -n - (1/n) sum (2i - 1) [ln u_(i) + ln(1 - u_(n+1-i))] with u = 1 - exp(-gap / meanGap), gaps in any order and
 * unit. `meanGap` is the known mean, or the gaps' own (then use `andersonDarlingAdjusted`).
 */
export function andersonDarling(gaps: ArrayLike<number>, meanGap: number): number {
  const sorted = scaledAscending(gaps, meanGap);
  const n = sorted.length;
  let sum = 0;
  for (let i = 0; i < n; i += 1) {
    const lower = Math.max(sorted[i] as number, GAP_LEAST);
    // ln(1 - u) is -gap / meanGap itself, which keeps its digits far out in the tail.
    sum += (2 * i + 1) * (Math.log(-Math.expm1(-lower)) - (sorted[n - 1 - i] as number));
  }
  return -n - sum / n;
}

/** A* = A^2 (1 + 0.6 / n), for a rate that was estimated from the same n gaps. */
export function andersonDarlingAdjusted(statistic: number, count: number): number {
  return statistic * (1 + 0.6 / count);
}

/** D = largest distance between the gaps' distribution and the exponential one with mean `meanGap`. */
export function kolmogorovExponential(gaps: ArrayLike<number>, meanGap: number): number {
  return distanceToUniform(scaledAscending(gaps, meanGap).map((gap) => -Math.expm1(-gap)));
}

/** D* = (D - 0.2 / n)(sqrt n + 0.26 + 0.5 / sqrt n), for a rate that was estimated from the same n gaps. */
export function kolmogorovAdjusted(statistic: number, count: number): number {
  const root = Math.sqrt(count);
  return (statistic - 0.2 / count) * (root + 0.26 + 0.5 / root);
}

/** D of values on [0, 1] against the uniform law, in any order. */
export function kolmogorovUniform(values: ArrayLike<number>): number {
  assertInvariant(values.length > 0, 'a distribution test needs at least 1 value');
  return distanceToUniform(Float64Array.from(values).sort());
}

/**
 * Arrivals of a varying rate as uniform values: u_i = L(t_i) / L(T), given the count (conditional uniformity, M§3.2).
 * `mass` is L, `end` is T; instants in the same unit.
 */
export function conditionalUniforms(
  instants: ArrayLike<number>,
  mass: (instant: number) => number,
  end: number,
): Float64Array {
  const total = mass(end);
  return Float64Array.from(instants, (instant) => mass(instant) / total);
}

function scaledAscending(gaps: ArrayLike<number>, meanGap: number): Float64Array {
  assertInvariant(gaps.length > 0, 'a distribution test needs at least 1 gap');
  assertInvariant(meanGap > 0, `meanGap is ${meanGap}, must be above 0`);
  return Float64Array.from(gaps, (gap) => gap / meanGap).sort();
}

function distanceToUniform(ascending: Float64Array): number {
  const n = ascending.length;
  return ascending.reduce((distance, u, i) => Math.max(distance, (i + 1) / n - u, u - i / n), 0);
}
