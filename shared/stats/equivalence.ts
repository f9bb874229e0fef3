/**
 * Are two sets of block values the same, within a margin? Two one-sided tests (TOST) on the log ratio with Welch's degrees
 * of freedom (M§9.3). It answers "equivalent" only when that is shown: absence of a significant difference proves nothing.
 */

import { assertInvariant } from '../fleet-error.ts';
import { studentTQuantile } from './student-t.ts';
import { momentsOf, varianceOf } from './welford.ts';

/** What was found about the ratio second / first. */
export interface Equivalence {
  /** `equivalent`: the interval is inside the margin. `different`: it is outside. `open`: neither is shown. */
  readonly kind: 'equivalent' | 'different' | 'open';
  /** Ratio of the geometric means, second over first. */
  readonly ratio: number;
  /** Welch's degrees of freedom. */
  readonly degrees: number;
  /** Interval of the ratio at confidence 1 - 2 * risk. */
  readonly low: number;
  readonly high: number;
}

/**
 * Compares `first` and `second` (block p99s, say; all above 0). They are equivalent when the interval of the ratio lies in
 * [1 / (1 + margin), 1 + margin]; `risk` is that of each one-sided test: 0.05 gives the usual 90 % interval.
 * Null below two values on a side.
 */
export function compareBlocks(
  first: readonly number[],
  second: readonly number[],
  margin: number,
  risk: number,
): Equivalence | null {
  assertInvariant(margin > 0, `margin is ${margin}, must be above 0`);
  assertInvariant(risk > 0 && risk < 0.5, `risk is ${risk}, must be between 0 and 0.5`);
  const a = meanOfLogs(first);
  const b = meanOfLogs(second);
  if (a === null || b === null) return null;
  const squared = a.squaredError + b.squaredError;
  const difference = b.mean - a.mean;
  // Without any spread on either side Welch's formula is 0 / 0; the interval is then a point, whatever the degrees.
  const degrees =
    squared === 0
      ? a.count + b.count - 2
      : squared ** 2 / (a.squaredError ** 2 / (a.count - 1) + b.squaredError ** 2 / (b.count - 1));
  const reach = studentTQuantile(1 - risk, degrees) * Math.sqrt(squared);
  const low = Math.exp(difference - reach);
  const high = Math.exp(difference + reach);
  const lowest = 1 / (1 + margin);
  const highest = 1 + margin;
  const inside = low >= lowest && high <= highest;
  const outside = high < lowest || low > highest;
  return {
    kind: inside ? 'equivalent' : outside ? 'different' : 'open',
    ratio: Math.exp(difference),
    degrees,
    low,
    high,
  };
}

interface LogMean {
  readonly count: number;
  readonly mean: number;
  /** Squared standard error of the mean. */
  readonly squaredError: number;
}

function meanOfLogs(values: readonly number[]): LogMean | null {
  for (const value of values) assertInvariant(value > 0, `a block value is ${value}, must be above 0`);
  const moments = momentsOf(values.map((value) => Math.log(value)));
  const variance = varianceOf(moments);
  return variance === null
    ? null
    : { count: moments.count, mean: moments.mean, squaredError: variance / moments.count };
}
