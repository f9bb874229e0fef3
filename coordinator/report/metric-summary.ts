/**
 * A series as numbers: count, exact extremes and mean, nearest-rank percentiles. A percentile of too few samples is given and
 * marked, because the number is right and the trust in it is not (R064).
 */
import type { Histogram } from '../../shared/histogram/histogram.ts';
import type { MetricUnit } from '../../shared/metrics/metric.ts';
import { hasFewSamples } from '../../shared/stats/order-statistics.ts';

/** The percentiles of every summary, as they are written in keys. */
export const PERCENTILES = ['50', '90', '95', '99', '99.9', '99.99'] as const;

/** Values by percentile; null = no sample, or beyond. */
export type PercentileValues = Readonly<Record<(typeof PERCENTILES)[number], number | null>>;

/** One series. */
export interface MetricSummary {
  readonly unit: MetricUnit;
  readonly count: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  readonly percentiles: PercentileValues;
  /** Percentiles with fewer than one expected sample above them: p99 of fewer than 100 samples (R064). */
  readonly fewSamples: readonly string[];
}

/** The summary of `histogram`, whose values are in `unit`. */
export function summarise(histogram: Histogram, unit: MetricUnit): MetricSummary {
  return {
    unit,
    count: histogram.count,
    min: histogram.min,
    max: histogram.max,
    mean: histogram.mean(),
    percentiles: percentilesOf((percentage) => histogram.percentile(percentage)),
    fewSamples: fewSamplesOf(histogram.count),
  };
}

/** Values for all percentiles. */
export function percentilesOf(valueOf: (percentage: number) => number | null): PercentileValues {
  return Object.fromEntries(PERCENTILES.map((key) => [key, valueOf(Number(key))])) as PercentileValues;
}

/** The percentiles that `count` samples say little about: fewer than 100 / (100 - p) of them. */
export function fewSamplesOf(count: number): readonly string[] {
  return count === 0 ? [] : PERCENTILES.filter((key) => hasFewSamples(count, Number(key) / 100));
}
