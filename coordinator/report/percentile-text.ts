/** A percentile as the summary's tables show it: a time, or the sign that too few samples stand behind it (M§4.1). */
import { samplesForUpperBound } from '../../shared/stats/order-statistics.ts';
import type { MetricSummary } from './metric-summary.ts';
import { CONFIDENCE, type PercentileStatistics } from './percentile-statistics.ts';
import { timeText } from './text-format.ts';

/** Percentiles of the summary's tables; all others are in `result.json`. */
export const SHOWN = ['50', '90', '99', '99.9'] as const;

/** Statistics of a metric, as far as it has some. */
export type KnownStatistics = Partial<Readonly<Record<(typeof SHOWN)[number], PercentileStatistics | null>>>;

/** Stands for a percentile that too few samples stand behind. */
export const TOO_FEW = '*';

/** The percentile `key` of `metric`; a dash where there is none. */
export function percentileText(
  metric: MetricSummary | undefined,
  key: (typeof SHOWN)[number],
  statistics: KnownStatistics = {},
): string {
  return isTooFew(metric, key, statistics) ? TOO_FEW : timeText(metric?.percentiles[key] ?? null);
}

/** Whether the interval of the percentile has no upper end, so that no number is shown for it (M§4.1). */
function isTooFew(
  metric: MetricSummary | undefined,
  key: (typeof SHOWN)[number],
  statistics: KnownStatistics,
): boolean {
  if (metric === undefined || metric.count === 0) return false;
  const known = statistics[key] ?? null;
  if (known !== null) return !known.enough;
  return metric.count < samplesForUpperBound(Number(key) / 100, (1 + CONFIDENCE) / 2);
}

/** The line that explains the sign, where a cell of `rows` has it. */
export function fewNote(rows: readonly (readonly string[])[]): readonly string[] {
  return rows.some((cells) => cells.includes(TOO_FEW)) ? [`  ${TOO_FEW} few samples`] : [];
}
