/**
 * What differs between whole runs (M§4.4): one value of a statistic per run, their t interval and their median. Within a run counts are
 * merged before a percentile is read; percentiles of parts are never averaged. Pure.
 */

import { shareText, timeText, rateText } from '../coordinator/report/text-format.ts';
import { meanInterval } from '../shared/stats/batch-means.ts';

/** Two-sided confidence. */
const CONFIDENCE = 0.95;

/** Unit of a statistic. */
export type StatisticUnit = 'ns' | 'share' | '1/s';

/** One statistic over runs. */
export interface BetweenRuns {
  readonly statistic: string;
  readonly unit: StatisticUnit;
  /** In the order of the runs; runs without the statistic are left out. */
  readonly values: readonly number[];
  readonly median: number | null;
  /** 95 % t interval of the mean; null below two values. `low` is never below 0, `high` of a share never above 1. */
  readonly interval: {
    readonly mean: number;
    readonly deviation: number;
    readonly halfWidth: number;
    readonly low: number;
    readonly high: number;
  } | null;
}

/** Judges the values of one statistic, one per run. */
export function betweenRuns(statistic: string, unit: StatisticUnit, perRun: readonly (number | null)[]): BetweenRuns {
  const values = perRun.filter((value) => value !== null);
  const sorted = [...values].sort((a, b) => a - b);
  const median = medianOf(sorted);
  const found = meanInterval(values, CONFIDENCE);
  if (found === null) return { statistic, unit, values, median, interval: null };
  const { mean, deviation, halfWidth } = found;
  // A t interval knows no bounds; a time or a rate below 0, or more than all that failed, cannot be.
  const low = Math.max(0, found.low);
  const high = unit === 'share' ? Math.min(1, found.high) : found.high;
  return { statistic, unit, values, median, interval: { mean, deviation, halfWidth, low, high } };
}

/** The middle one, or the mean of the two in the middle: the lower of two runs is the better one, not their median. */
function medianOf(sorted: readonly number[]): number | null {
  const half = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]];
  return low === undefined || high === undefined ? null : low + (high - low) / 2;
}

/** `p99(response): mean of 5 runs 219 ms, 95 % 203 ms to 235 ms; median 215 ms`. */
export function betweenRunsText({ statistic, unit, values, median, interval }: BetweenRuns): string {
  const show = (value: number | null): string => {
    if (unit === 'ns') return timeText(value);
    return unit === 'share' ? shareText(value) : rateText(value);
  };
  if (interval === null) return `${statistic}: ${values.length} of the runs have it, which is too few for an interval`;
  return `${statistic}: mean of ${values.length} runs ${show(interval.mean)}, 95 % ${show(interval.low)} to ${show(interval.high)}; median ${show(median)}`;
}
