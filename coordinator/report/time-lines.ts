/** The times of the measured phases as the summary shows them, the failure share and the verdict beside them (P7, R058). */
import type { MetricSummary } from './metric-summary.ts';
import { type KnownStatistics, percentileText, SHOWN, TOO_FEW } from './percentile-text.ts';
import type { ResultValue } from './result-value.ts';
import { countText, MISSING, shareText, table, timeText } from './text-format.ts';

/** The lines: a title and one row per metric. */
export function timeLines(value: ResultValue): readonly string[] {
  const { metrics } = value;
  const rows: string[][] = [['', ...SHOWN.map((key) => `p${key}`), 'mean', 'max', 'samples']];
  const add = (label: string, metric: MetricSummary | undefined, statistics: KnownStatistics = {}): void => {
    if (metric === undefined) return;
    rows.push([label, ...shown(metric, statistics), ...tail(metric)]);
  };
  const known = value.statistics.metrics;
  add('response', metrics['response'], known.response);
  add('service', metrics['service'], known.service);
  add('wakeLag (ours)', metrics['wakeLag']);
  add('wait', metrics['wait']);
  if ((value.metricsFailed['response']?.count ?? 0) > 0) add('response, failed', value.metricsFailed['response']);
  const all = value.responseWithFailures;
  if (all.count > (metrics['response']?.count ?? 0)) {
    const cells = SHOWN.map((key) => {
      const ns = all.percentiles[key];
      if (ns === null) return 'beyond';
      return `${all.lowerBounds.includes(key) ? '>=' : ''}${timeText(ns)}`;
    });
    rows.push(['response, failures as infinite', ...cells, MISSING, MISSING, countText(all.count)]);
  }
  const few = SHOWN.filter((_, column) => rows.some((row) => row[column + 1] === TOO_FEW));
  return [
    `times of ok requests, from the intended instant; failure share ${shareText(value.failureShare)}, verdict ${value.verdict.status}`,
    ...table(rows, '  '),
    ...(few.length === 0
      ? []
      : [
          `  ${TOO_FEW} few samples: not enough samples for ${few.map((key) => `p${key}`).join(', ')}, of which the interval has no upper end`,
        ]),
  ];
}

function shown(metric: MetricSummary, statistics: KnownStatistics): readonly string[] {
  return SHOWN.map((key) => percentileText(metric, key, statistics));
}

function tail(metric: MetricSummary): readonly string[] {
  return [timeText(metric.mean), timeText(metric.max), countText(metric.count)];
}
