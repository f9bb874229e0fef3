/**
 * Intervals of a mean from blocks of a run (batch means) and from repeated runs: what dependence between neighbours cannot fool, as
 * long as the blocks are long against the queue's memory (M§4.3, M§4.4). Percentiles are never averaged over agents;
 * averaging one statistic over *runs* is what the between-run interval is for.
 */

import { assertInvariant } from '../fleet-error.ts';
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
