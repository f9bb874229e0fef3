/**
 * Intervals from blocks of a run (batch means) and from repeated runs: what dependence between neighbours cannot fool, as
 * long as the blocks are long against the queue's memory (M§4.3, M§4.4). Percentiles are never averaged over agents;
 * averaging one statistic over *runs* is what the between-run interval is for.
 */

import { assertInvariant } from '../fleet-error.ts';
import { lagOneAutocorrelation } from './autocorrelation.ts';
import { studentTQuantile } from './student-t.ts';
import { momentsOf, varianceOf } from './welford.ts';

/** A mean with its t-interval, in the unit of the values. */
export interface MeanInterval {
  readonly count: number;
  readonly mean: number;
  /** Sample standard deviation of the values. */
  readonly deviation: number;
  /** Half the width of the interval. */
  readonly halfWidth: number;
  readonly low: number;
  readonly high: number;
}

/** Two-sided t-interval of the mean of independent values (blocks or runs): mean +- t s / sqrt(m). Null below two values. */
export function meanInterval(values: readonly number[], confidence: number): MeanInterval | null {
  assertInvariant(confidence > 0 && confidence < 1, `confidence is ${confidence}, must be between 0 and 1`);
  const moments = momentsOf(values);
  const variance = varianceOf(moments);
  if (variance === null) return null;
  const { count, mean } = moments;
  const deviation = Math.sqrt(variance);
  const halfWidth = (studentTQuantile((1 + confidence) / 2, count - 1) * deviation) / Math.sqrt(count);
  return { count, mean, deviation, halfWidth, low: mean - halfWidth, high: mean + halfWidth };
}

/** Whether a bound on the share of violations was shown by blocks. */
export type BlockJudgement =
  /** mean + t s / sqrt(m) <= limit: the bound is shown. */
  | { readonly kind: 'accepted'; readonly upperBound: number }
  /** The upper bound is above the limit: the bound is not shown (which does not prove the contrary). */
  | { readonly kind: 'not-shown'; readonly upperBound: number }
  /** Neighbouring blocks depend on each other: merge them in pairs and judge again. */
  | { readonly kind: 'blocks-too-short'; readonly autocorrelation: number }
  /** Fewer blocks than the least that gives a usable interval. */
  | { readonly kind: 'too-few-blocks'; readonly count: number };

/** Fewer blocks give a t factor that decides by itself. */
const BLOCKS_LEAST = 6;

/**
 * Judges violation shares per block (equal blocks) against `limit`, one-sided at `confidence` (M§4.3 uses 0.99). Blocks
 * count as dependent when |r1| > 2 / sqrt(m).
 */
export function judgeViolationShares(shares: readonly number[], limit: number, confidence: number): BlockJudgement {
  const moments = momentsOf(shares);
  const variance = varianceOf(moments);
  if (variance === null || moments.count < BLOCKS_LEAST) return { kind: 'too-few-blocks', count: moments.count };
  const autocorrelation = lagOneAutocorrelation(shares);
  if (autocorrelation !== null && Math.abs(autocorrelation) > 2 / Math.sqrt(moments.count)) {
    return { kind: 'blocks-too-short', autocorrelation };
  }
  const factor = studentTQuantile(confidence, moments.count - 1);
  const upperBound = moments.mean + (factor * Math.sqrt(variance)) / Math.sqrt(moments.count);
  return { kind: upperBound <= limit ? 'accepted' : 'not-shown', upperBound };
}
