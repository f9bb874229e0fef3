/**
 * Which sample a percentile means: nearest rank, rounded up (R064). No interpolation anywhere in the project.
 */

import { assertInvariant } from '../fleet-error.ts';

/** A percentage of at most so many decimals is one that was written; as an integer at this scale it is exact. */
const DECIMALS = 12;

/** 100 % at that scale. */
const WHOLE = 100n * 10n ** BigInt(DECIMALS);

/** A percentage that was computed is off by a few roundings, which stay below this relative slack. */
const ROUNDING = 2 ** -50;

/**
 * 1-based rank of `percentage` (0..100) among `count` (>= 1) samples: ceil(percentage / 100 * count), at least 1.
 * The percentage is taken as the decimal it was written as: 99.9 of 1,000 is rank 999, though 99.9 / 100 * 1000 is not
 * exactly 999 in doubles. Among [10, 20, 30], 99 is rank 3. Exact for counts up to 2^53; a percentage of more than 12 decimals, such as
 * 100 * 2 / 3, counts as computed, and what rounding may have added to it does not move the rank up.
 */
export function nearestRank(percentage: number, count: number): number {
  assertInvariant(percentage >= 0 && percentage <= 100, `percentile ${percentage} is outside 0..100`);
  assertInvariant(count >= 1, `a percentile needs at least 1 sample, count is ${count}`);
  return Math.min(count, Math.max(1, writtenRank(percentage, count) ?? computedRank(percentage, count)));
}

/** Null for a percentage that has more decimals than one that was written. */
function writtenRank(percentage: number, count: number): number | null {
  const text = percentage.toFixed(DECIMALS);
  if (Number(text) !== percentage) return null;
  const scaled = BigInt(text.replace('.', '')) * BigInt(count);
  return Number((scaled + WHOLE - 1n) / WHOLE);
}

function computedRank(percentage: number, count: number): number {
  return Math.ceil(((percentage * count) / 100) * (1 - ROUNDING));
}

/** Of `count` (>= 1) samples, those above the rank of `percentage`: how many may fail, or be slower, without moving it. p99.9 of 1,000: 1. */
export function samplesAbove(percentage: number, count: number): number {
  return count - nearestRank(percentage, count);
}
