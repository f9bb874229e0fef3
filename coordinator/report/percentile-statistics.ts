/**
 * How far a percentile can be trusted: its confidence interval, from order statistics (as if requests were independent) and from
 * blocks of windows (which sees that they are not), the wider of both; how many independent samples it is worth; MLPerf's
 * early stopping beside it; and how much of it can be the fleet (M§4, M§9.1). For the headline metrics of ok requests.
 */
import { Histogram } from '../../shared/histogram/histogram.ts';
import { blockQuantile, type BlockShare, widerInterval } from '../../shared/stats/block-quantile.ts';
import { independentBlocks } from '../../shared/stats/blocks.ts';
import { mlperfRule, overBoundAllowed } from '../../shared/stats/early-stopping.ts';
import type { QuantileFunction } from '../../shared/stats/excess-bound.ts';
import { quantileInterval, type QuantileInterval } from '../../shared/stats/order-statistics.ts';
import type { WindowRow } from '../merge/window-rows.ts';
import { excessOf } from './excess-part.ts';
import { PERCENTILES } from './metric-summary.ts';
import type { ScopeData } from './scope-data.ts';

/** Metrics that have statistics. */
export const STATISTICS_METRICS = ['response', 'service'] as const;

/** Two-sided confidence of every interval. */
export const CONFIDENCE = 0.95;

type PercentileKey = (typeof PERCENTILES)[number];

/** What blocks of windows say. */
export interface BlocksValue extends QuantileInterval {
  /** Number of blocks. */
  readonly count: number;
  /** Variance of the share above the percentile over that of independent samples. */
  readonly varianceInflation: number;
  /** Independent samples that would tell as much. */
  readonly effectiveSamples: number;
  /** Between neighbouring blocks, -1..1; null where it has no meaning. */
  readonly autocorrelation: number | null;
  /** Neighbours depend on each other and the run is too short for longer blocks: the interval is too narrow. */
  readonly dependent: boolean;
}

/** One percentile. Ends of intervals are null where they are unbounded. */
export interface PercentileStatistics {
  readonly value: number;
  /** False: the interval has no upper end, "not enough samples". */
  readonly enough: boolean;
  /** The wider of `iid` and `blocks`. */
  readonly interval: QuantileInterval;
  readonly iid: QuantileInterval;
  /** null: fewer than six windows with samples. */
  readonly blocks: BlocksValue | null;
  /**
   * MLPerf's early stopping at 99 %, which takes requests for independent: how many may lie over a bound so that the percentile is
   * shown to meet it, and the least bound that these samples show. Null where there are too few.
   */
  readonly earlyStopping: { readonly overBoundAllowed: number | null; readonly shownBound: number | null };
  /** Null: not measured. `bound` of the percentile can be the fleet, `share` = bound / value. */
  readonly excess: { readonly bound: number; readonly share: number | null; readonly alpha: number | null } | null;
}

/** Statistics of a part of a run, by metric and percentile; null where there was no sample. */
export interface StatisticsValue {
  readonly confidence: number;
  readonly metrics: Readonly<
    Record<(typeof STATISTICS_METRICS)[number], Readonly<Record<PercentileKey, PercentileStatistics | null>>>
  >;
}

/** The statistics of `data`, whose samples came in the windows `rows`. */
export function statisticsOf(
  data: ScopeData,
  rows: readonly WindowRow[],
  receiveDelay: QuantileFunction | null,
): StatisticsValue {
  const entries = STATISTICS_METRICS.map((metric) => {
    const histogram = data.histogram(metric, 'ok');
    const shares = sharesByPercentile(histogram, rows, metric);
    const byKey = PERCENTILES.map((key, place) => {
      const statistics = percentileStatistics(histogram, Number(key), shares[place] as readonly BlockShare[]);
      if (statistics === null) return [key, null] as const;
      const bound = excessOf(data, metric, Number(key), receiveDelay);
      const excess = bound === null ? null : { bound: bound.excess, share: bound.share, alpha: bound.alpha };
      return [key, { ...statistics, excess }] as const;
    });
    return [metric, Object.fromEntries(byKey)] as const;
  });
  return { confidence: CONFIDENCE, metrics: Object.fromEntries(entries) as StatisticsValue['metrics'] };
}

/** One percentile of `histogram` from its order statistics and from the shares above it by window. Null without a sample. */
export function percentileStatistics(
  histogram: Histogram,
  percentage: number,
  windows: readonly BlockShare[],
): Omit<PercentileStatistics, 'excess'> | null {
  const value = histogram.percentile(percentage);
  if (value === null) return null;
  const probability = percentage / 100;
  const iid = quantileInterval(histogram, probability, CONFIDENCE);
  const { shares, autocorrelation, dependent } = independentBlocks(windows);
  const found = blockQuantile(histogram, shares, probability, CONFIDENCE);
  const interval = found === null ? iid : widerInterval(iid, found);
  const allowed = overBoundAllowed(histogram.count, mlperfRule(probability));
  return {
    value,
    enough: interval.high !== null,
    interval: { low: interval.low, high: interval.high },
    iid: { low: iid.low, high: iid.high },
    blocks:
      found === null
        ? null
        : {
            low: found.low,
            high: found.high,
            count: found.blocks,
            varianceInflation: found.varianceInflation,
            effectiveSamples: found.effectiveSamples,
            autocorrelation,
            dependent,
          },
    earlyStopping: {
      overBoundAllowed: allowed,
      shownBound: allowed === null ? null : histogram.valueAtRank(histogram.count - allowed),
    },
  };
}

const scratch = new Histogram();

/** For each percentile, the samples of every window and how many of them were above it. One pass over the windows. */
function sharesByPercentile(
  merged: Histogram,
  rows: readonly WindowRow[],
  metric: (typeof STATISTICS_METRICS)[number],
): readonly (readonly BlockShare[])[] {
  const values = PERCENTILES.map((key) => merged.percentile(Number(key)));
  const shares: BlockShare[][] = PERCENTILES.map(() => []);
  for (const row of rows) {
    scratch.clear();
    row.totals.addSeriesTo(metric, 'ok', scratch);
    if (scratch.isEmpty()) continue;
    for (const [place, value] of values.entries()) {
      if (value !== null) shares[place]?.push({ count: scratch.count, above: scratch.countAbove(value) });
    }
  }
  return shares;
}
