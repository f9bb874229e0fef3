/**
 * Is the target falling behind? A test on block means of the number in flight (M§6.2). A regression on single requests
 * alarms on a third of all *stable* queues, because neighbours depend on each other; block means do not.
 */

import { assertInvariant } from '../fleet-error.ts';
import { studentTQuantile } from './student-t.ts';

/** What the block means say. */
export type BacklogJudgement =
  | {
      /** `unstable`: the slope is significant and the growth is more than a stable queue's swing. */
      readonly kind: 'unstable' | 'stable';
      /** Least-squares slope in requests per block. */
      readonly slopePerBlock: number;
      /** Slope over the stretch: requests gained from its first block to its last. */
      readonly growth: number;
      /** Slope over its standard error; null when the means lie on a line exactly. */
      readonly t: number | null;
    }
  | { readonly kind: 'too-few-blocks'; readonly count: number };

/** Least number of block means. */
const BLOCKS_LEAST = 6;

/** Growth must exceed this many standard deviations of a stable queue. */
const DEVIATIONS = 3;

/** One-sided confidence of the slope. */
const CONFIDENCE = 0.99;

/**
 * Judges means of in-flight requests over consecutive equal blocks. `stableDeviation` is the standard deviation of the
 * number in flight that a stable queue would show (`mm1BacklogDeviation` at the highest utilisation that is acceptable).
 */
export function judgeBacklog(blockMeans: readonly number[], stableDeviation: number): BacklogJudgement {
  assertInvariant(stableDeviation >= 0, `stableDeviation is ${stableDeviation}, the least is 0`);
  const count = blockMeans.length;
  if (count < BLOCKS_LEAST) return { kind: 'too-few-blocks', count };
  const { slope, standardError } = leastSquares(blockMeans);
  const growth = slope * (count - 1);
  const t = standardError === 0 ? null : slope / standardError;
  const significant = t === null ? slope > 0 : t > studentTQuantile(CONFIDENCE, count - 2);
  const unstable = significant && growth > DEVIATIONS * stableDeviation;
  return { kind: unstable ? 'unstable' : 'stable', slopePerBlock: slope, growth, t };
}

/** Slope of `values` over 0, 1, 2, ..., with its standard error. */
function leastSquares(values: readonly number[]): { slope: number; standardError: number } {
  const count = values.length;
  const middle = (count - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  let products = 0;
  let squares = 0;
  for (let i = 0; i < count; i += 1) {
    products += (i - middle) * ((values[i] as number) - mean);
    squares += (i - middle) ** 2;
  }
  const slope = products / squares;
  const residual = values.reduce((sum, value, i) => sum + (value - mean - slope * (i - middle)) ** 2, 0);
  return { slope, standardError: Math.sqrt(residual / (count - 2) / squares) };
}
