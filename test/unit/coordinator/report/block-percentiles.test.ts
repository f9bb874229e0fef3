import { describe, expect, it } from 'vitest';
import { blockPercentiles, percentilesOfBlocks } from '../../../../coordinator/report/block-percentiles.ts';
import type { Histogram } from '../../../../shared/histogram/histogram.ts';
import { histogramOf } from '../../../support/histogram-of.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { mergeOf } from '../../../support/result-of.ts';
import { syntheticRun } from '../../../support/synthetic-run.ts';

describe('block percentiles', () => {
  it('reads each block’s percentile from merged windows, as many blocks as have samples enough', () => {
    const plan = createPlan({ ratePerSecond: 300, durationNs: 12e9 });
    const run = syntheticRun({ plan });
    const merge = mergeOf(run, run.reports);
    const medians = blockPercentiles(plan, merge, 50);
    expect(medians.length).toBeGreaterThanOrEqual(11);
    for (const median of medians) expect(Math.abs(median / 10.5e6 - 1)).toBeLessThan(0.4);
    // About 3,600 samples have 36 above their p99: no more than 7 blocks have 5 of them each.
    const tails = blockPercentiles(plan, merge, 99);
    expect(tails.length).toBeGreaterThanOrEqual(5);
    expect(tails.length).toBeLessThanOrEqual(7);
    expect(blockPercentiles(plan, merge, 99.99)).toEqual([]);
  });

  it('has as many blocks as have 5 samples above the percentile, to the sample', () => {
    const stretches = Array.from({ length: 20 }, () => ({
      count: 250,
      addTo: (into: Histogram) => into.add(histogramOf(Array.from({ length: 250 }, (_, i) => i))),
    }));
    const blocksAt = (percentage: number, windows: number): number =>
      percentilesOfBlocks(stretches.slice(0, windows), percentage).length;
    // 5 of 5,000 are above p99.9, and 50 of 500 above p90; 1 - 0.999 and 1 - 0.9 are a hair less in doubles.
    expect([blocksAt(99.9, 20), blocksAt(99.9, 19), blocksAt(99, 20), blocksAt(99, 0)]).toEqual([1, 0, 10, 0]);
  });

  it('has none without an answer', () => {
    const plan = createPlan({ ratePerSecond: 100, durationNs: 2e9 });
    const run = syntheticRun({ plan, fate: () => ({ kind: 'unfinished', wakeLagNs: 0 }) });
    expect(blockPercentiles(plan, mergeOf(run, run.reports), 50)).toEqual([]);
  });
});
