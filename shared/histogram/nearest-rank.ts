/**
 * Which sample a percentile means: nearest rank, rounded up (R064). No interpolation anywhere in the project.
 */

import { assertInvariant } from '../fleet-error.ts';

/** The decimal's own error and the roundings of the product stay below this relative slack. */
const ROUNDING = 2 ** -50;

/**
 * 1-based rank of `percentage` (0..100) among `count` (>= 1) samples: ceil(percentage / 100 * count), at least 1.
 * The percentage is taken as the decimal it was written as: 99.9 of 1,000 is rank 999, though 99.9 / 100 * 1000 is not
 * exactly 999 in doubles. Among [10, 20, 30], 99 is rank 3.
 */
export function nearestRank(percentage: number, count: number): number {
  assertInvariant(percentage >= 0 && percentage <= 100, `percentile ${percentage} is outside 0..100`);
  assertInvariant(count >= 1, `a percentile needs at least 1 sample, count is ${count}`);
  const exact = (percentage * count) / 100;
  return Math.min(count, Math.max(1, Math.ceil(exact * (1 - ROUNDING))));
}

/** Of `count` (>= 1) samples, those above the rank of `percentage`: how many may fail, or be slower, without moving it. p99.9 of 1,000: 1. */
export function samplesAbove(percentage: number, count: number): number {
  return count - nearestRank(percentage, count);
}
