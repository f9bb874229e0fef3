/** A percentile of the response for each of a run's blocks: what two runs are compared by, since blocks hardly depend on each other. */
import { Histogram } from '../../shared/histogram/histogram.ts';
import { samplesAbove } from '../../shared/histogram/nearest-rank.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import type { RunMerge } from '../merge/run-merge.ts';

/** Most blocks. */
const BLOCKS_MOST = 20;

/** Samples above the percentile that a block should have at least: fewer make its value little more than a maximum. */
const ABOVE_LEAST = 5;

/** A stretch of a run: how many samples it has, and how to add them to a histogram. */
export interface Stretch {
  readonly count: number;
  addTo(into: Histogram): void;
}

/**
 * The percentile (0..100, ends excluded) of ok requests' response in consecutive blocks of windows of the measured phases, ns.
 * At most 20 blocks, fewer where there are not enough samples, none where no request was ok. A stretch shorter than a block
 * at the end joins the last one.
 */
export function blockPercentiles(plan: Plan, merge: RunMerge, percentage: number): readonly number[] {
  const rows = plan.phases.flatMap((phase, index) => (phase.warmup ? [] : merge.rows.ofPhase(index)));
  const stretches = rows.map(
    (row): Stretch => ({
      count: row.totals.histogram('response', 'ok').count,
      addTo: (into) => row.totals.addSeriesTo('response', 'ok', into),
    }),
  );
  return percentilesOfBlocks(stretches, percentage);
}

/** The same of any consecutive stretches. */
export function percentilesOfBlocks(stretches: readonly Stretch[], percentage: number): readonly number[] {
  const total = stretches.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return [];
  const blocks = Math.min(BLOCKS_MOST, stretches.length, Math.floor(samplesAbove(percentage, total) / ABOVE_LEAST));
  if (blocks < 1) return [];
  return groupsOf(stretches, total / blocks).flatMap((members) => {
    const histogram = new Histogram();
    for (const stretch of members) stretch.addTo(histogram);
    return histogram.percentile(percentage) ?? [];
  });
}

/** Consecutive stretches in groups of about `size` samples. */
function groupsOf(stretches: readonly Stretch[], size: number): Stretch[][] {
  const groups: Stretch[][] = [[]];
  let seen = 0;
  for (const stretch of stretches) {
    // Half a sample of slack for the rounding of `size` times a whole number.
    if (seen + 0.5 >= groups.length * size) groups.push([]);
    groups.at(-1)?.push(stretch);
    seen += stretch.count;
  }
  const lastCount = (groups.at(-1) ?? []).reduce((sum, { count }) => sum + count, 0);
  if (groups.length > 1 && lastCount < size / 2) groups.at(-2)?.push(...(groups.pop() ?? []));
  return groups;
}
