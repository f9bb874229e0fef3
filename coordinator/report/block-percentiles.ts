/** A percentile of the response for each of a run's blocks: what two runs are compared by, since blocks hardly depend on each other. */
import { Histogram } from '../../shared/histogram/histogram.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import type { RunMerge } from '../merge/run-merge.ts';
import type { WindowRow } from '../merge/window-rows.ts';

/** Most blocks. */
const BLOCKS_MOST = 20;

/** Samples above the percentile that a block should have at least: fewer make its value little more than a maximum. */
const ABOVE_LEAST = 5;

/**
 * The percentile (0..100, ends excluded) of ok requests' response in consecutive blocks of windows of the measured phases, ns.
 * At most 20 blocks, fewer where there are not enough samples, none where no request was ok. A stretch shorter than a block
 * at the end joins the last one.
 */
export function blockPercentiles(plan: Plan, merge: RunMerge, percentage: number): readonly number[] {
  const rows = plan.phases.flatMap((phase, index) => (phase.warmup ? [] : merge.rows.ofPhase(index)));
  const counts = rows.map((row) => row.totals.histogram('response', 'ok').count);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const blocks = Math.min(BLOCKS_MOST, rows.length, Math.floor((total * (1 - percentage / 100)) / ABOVE_LEAST));
  if (blocks < 1) return [];
  return groupsOf(rows, counts, total / blocks).flatMap((members) => {
    const histogram = new Histogram();
    for (const row of members) row.totals.addSeriesTo('response', 'ok', histogram);
    return histogram.percentile(percentage) ?? [];
  });
}

/** Consecutive rows in groups of about `size` samples. */
function groupsOf(rows: readonly WindowRow[], counts: readonly number[], size: number): WindowRow[][] {
  const groups: WindowRow[][] = [[]];
  let seen = 0;
  for (const [index, row] of rows.entries()) {
    // Half a sample of slack for the rounding of `size` times a whole number.
    if (seen + 0.5 >= groups.length * size) groups.push([]);
    groups.at(-1)?.push(row);
    seen += counts[index] as number;
  }
  const last = groups.at(-1) ?? [];
  const lastCount = last.reduce((sum, row) => sum + (counts[rows.indexOf(row)] as number), 0);
  if (groups.length > 1 && lastCount < size / 2) groups.at(-2)?.push(...(groups.pop() ?? []));
  return groups;
}
