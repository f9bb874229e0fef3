import { describe, expect, it } from 'vitest';
import { Histogram } from '../../../../shared/histogram/histogram.ts';
import { type BlockShare, blockQuantile, widerInterval } from '../../../../shared/stats/block-quantile.ts';
import { quantileInterval } from '../../../../shared/stats/order-statistics.ts';
import { simulateQueue } from '../../../../shared/stats/queue-simulation.ts';
import { histogramOf } from '../../../support/histogram-of.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

const BLOCKS = 30;
const UNIT = 1e6;

function merge(blocks: readonly Histogram[]): Histogram {
  const merged = new Histogram();
  for (const block of blocks) merged.add(block);
  return merged;
}

/** Shares of the blocks above the percentile of their merged histogram. */
function sharesAbove(merged: Histogram, blocks: readonly Histogram[], probability: number): BlockShare[] {
  const value = merged.percentile(probability * 100)!;
  return blocks.map((block) => ({ count: block.count, above: block.countAbove(value) }));
}

/** Independent exponential samples in blocks of a random size. */
function independentBlocks(seed: number, perBlock: number): Histogram[] {
  const random = seededRandom(seed);
  return Array.from({ length: BLOCKS }, () =>
    histogramOf(Array.from({ length: perBlock + random.below(perBlock / 10) }, () => random.exponential(UNIT))),
  );
}

/** Response times of an M/M/1 queue in consecutive blocks. */
function queueBlocks(seed: number, utilisation: number, perBlock: number): Histogram[] {
  const random = seededRandom(seed);
  const count = BLOCKS * perBlock;
  let now = 0;
  const arrivals = Float64Array.from({ length: count }, () => (now += random.exponential(UNIT / utilisation)));
  const services = Float64Array.from({ length: count }, () => random.exponential(UNIT));
  const { responses } = simulateQueue({ arrivals, services, servers: 1 });
  return Array.from({ length: BLOCKS }, (_, b) => histogramOf(responses.slice(b * perBlock, (b + 1) * perBlock)));
}

describe('blockQuantile', () => {
  it('agrees with order statistics on independent samples', () => {
    const blocks = independentBlocks(1, 2000);
    const merged = merge(blocks);
    const byBlocks = blockQuantile(merged, sharesAbove(merged, blocks, 0.9), 0.9, 0.95)!;
    expect(byBlocks.varianceInflation).toBeGreaterThan(0.4);
    expect(byBlocks.varianceInflation).toBeLessThan(1.8);
    const byRanks = quantileInterval(merged, 0.9, 0.95);
    const ratio = (byBlocks.high! - byBlocks.low!) / (byRanks.high! - byRanks.low!);
    expect(ratio).toBeGreaterThan(0.6);
    expect(ratio).toBeLessThan(1.6);
  });

  it('sees the dependence behind a queue: at utilisation 0.8 far fewer effective samples than samples', () => {
    const blocks = queueBlocks(2, 0.8, 5000);
    const merged = merge(blocks);
    const judged = blockQuantile(merged, sharesAbove(merged, blocks, 0.99), 0.99, 0.95)!;
    // M§4.3: about 70 for the exceedance of p99.
    expect(judged.varianceInflation).toBeGreaterThan(20);
    expect(judged.varianceInflation).toBeLessThan(200);
    expect(judged.effectiveSamples).toBeCloseTo(merged.count / judged.varianceInflation, 6);
    const byRanks = quantileInterval(merged, 0.99, 0.95);
    expect(widerInterval(judged, byRanks)).toEqual({ low: judged.low, high: judged.high });
  });

  it('covers the true percentile of a queue where order statistics do not', () => {
    const truth = (Math.log(10) / (1 - 0.8)) * UNIT;
    let byBlocks = 0;
    let byRanks = 0;
    const runs = 40;
    for (let seed = 100; seed < 100 + runs; seed += 1) {
      const blocks = queueBlocks(seed, 0.8, 800);
      const merged = merge(blocks);
      const block = blockQuantile(merged, sharesAbove(merged, blocks, 0.9), 0.9, 0.95)!;
      const ranks = quantileInterval(merged, 0.9, 0.95);
      if (block.low! <= truth && (block.high ?? Infinity) >= truth) byBlocks += 1;
      if (ranks.low! <= truth && ranks.high! >= truth) byRanks += 1;
    }
    expect(byBlocks).toBeGreaterThanOrEqual(33);
    expect(byRanks).toBeLessThanOrEqual(24);
  });

  it('is unbounded where the tail is swung by whole blocks', () => {
    const calm = Array.from({ length: 9 }, () => histogramOf(Array.from({ length: 100 }, () => 1000)));
    const wild = histogramOf(Array.from({ length: 100 }, () => 9_000_000));
    const blocks = [...calm, wild];
    const merged = merge(blocks);
    const judged = blockQuantile(
      merged,
      [{ count: 900, above: 0 }, ...blocks.map((b) => ({ count: b.count, above: b === wild ? 100 : 0 }))].slice(1),
      0.9,
      0.95,
    )!;
    expect(judged.high).toBeNull();
    expect(judged.varianceInflation).toBeGreaterThan(50);
  });

  it('has no value with fewer than six blocks that have samples', () => {
    const blocks = [...independentBlocks(1, 10).slice(0, 5), new Histogram()];
    const merged = merge(blocks);
    expect(blockQuantile(merged, sharesAbove(merged, blocks, 0.5), 0.5, 0.95)).toBeNull();
  });
});

describe('widerInterval', () => {
  it('takes the outer end on each side, and an unbounded one over any', () => {
    expect(widerInterval({ low: 1, high: 5 }, { low: 2, high: 9 })).toEqual({ low: 1, high: 9 });
    expect(widerInterval({ low: null, high: 5 }, { low: 2, high: null })).toEqual({ low: null, high: null });
  });
});
