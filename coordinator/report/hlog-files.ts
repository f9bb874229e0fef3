/**
 * One `.hlog` per headline metric, by window: what other HdrHistogram tools plot. Tag = the metric for the measured phases, and
 * `<metric>.warmup` for the others; ok requests only, as the headline. Encoding costs about half a millisecond a line, so a long run
 * has longer intervals: never more than `INTERVALS_MAX` per file. Counts are exact; min and max are rounded to buckets.
 */
import { Histogram } from '../../shared/histogram/histogram.ts';
import { hlogHeader, hlogLine, hlogTag } from '../../shared/histogram/hlog.ts';
import type { MetricId } from '../../shared/metrics/metric.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import type { RunMerge } from '../merge/run-merge.ts';
import type { WindowRow } from '../merge/window-rows.ts';

/** Metrics that get a file. */
export const HLOG_METRICS: readonly MetricId[] = ['response', 'service', 'lag', 'wakeLag', 'wait'];

/** Intervals of a file at most: five minutes of one-second windows. */
export const INTERVALS_MAX = 300;

/** The files by name. */
export function hlogFiles(plan: Plan, merge: RunMerge, startedAtMs: number): ReadonlyMap<string, string> {
  const rows = plan.phases.flatMap((phase, index) =>
    merge.rows.ofPhase(index).map((row) => ({ row, warmup: phase.warmup })),
  );
  const lastNs = rows.reduce((last, { row }) => Math.max(last, row.startNs), 0);
  let lengthNs = merge.rows.lengthNs;
  while (lastNs / lengthNs >= INTERVALS_MAX) lengthNs *= 2;
  const files = new Map<string, string>();
  for (const metric of HLOG_METRICS) {
    const lines = [
      ...linesOf(
        metric,
        hlogTag(metric),
        lengthNs,
        rows.filter(({ warmup }) => !warmup).map(({ row }) => row),
      ),
      ...linesOf(
        metric,
        hlogTag(`${metric}.warmup`),
        lengthNs,
        rows.filter(({ warmup }) => warmup).map(({ row }) => row),
      ),
    ];
    lines.sort((a, b) => a.startNs - b.startNs);
    files.set(`${metric}.hlog`, hlogHeader(startedAtMs) + lines.map((line) => line.text).join(''));
  }
  return files;
}

interface Line {
  readonly startNs: number;
  readonly text: string;
}

/** One line per interval that has a sample. */
function linesOf(metric: MetricId, tag: string, lengthNs: number, rows: readonly WindowRow[]): readonly Line[] {
  const intervals = new Map<number, WindowRow[]>();
  for (const row of rows) {
    const startNs = Math.floor(row.startNs / lengthNs) * lengthNs;
    const known = intervals.get(startNs);
    if (known === undefined) intervals.set(startNs, [row]);
    else known.push(row);
  }
  const histogram = new Histogram();
  const lines: Line[] = [];
  for (const [startNs, own] of [...intervals].sort(([a], [b]) => a - b)) {
    histogram.clear();
    for (const row of own) row.totals.addSeriesTo(metric, 'ok', histogram);
    if (histogram.isEmpty()) continue;
    lines.push({ startNs, text: hlogLine({ tag, startNs, lengthNs, histogram }) });
  }
  return lines;
}
