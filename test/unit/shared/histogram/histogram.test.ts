import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../../shared/fleet-error.ts';
import { Histogram } from '../../../../shared/histogram/histogram.ts';
import { bucketHighOf, bucketIndexOf } from '../../../../shared/histogram/layout.ts';
import { blockOf, histogramOf } from '../../../support/histogram-of.ts';

const thousandSteps = Array.from({ length: 1000 }, (_, i) => (i + 1) * 1000);
const repeated = (value: number, times: number): number[] => Array.from({ length: times }, () => value);

describe('Histogram', () => {
  it('reads the percentiles of 1000..1,000,000 step 1000 as the top of the bucket, p100 as the true maximum (M§7)', () => {
    const histogram = histogramOf(thousandSteps);
    expect([50, 90, 99, 99.9, 100].map((p) => histogram.percentile(p))).toEqual([
      500_223, 900_095, 990_207, 999_423, 1_000_000,
    ]);
    expect(histogram.percentile(0)).toBe(1000);
    expect(histogram.mean()).toBe(500_500);
    expect(histogram.sum).toBe(500_500_000n);
  });

  it('has no value at all while it is empty', () => {
    const empty = new Histogram();
    expect(empty.isEmpty()).toBe(true);
    expect([empty.min, empty.max, empty.mean(), empty.percentile(50), empty.percentile(0)]).toEqual(
      repeated(0, 5).map(() => null),
    );
    expect([empty.count, empty.sum, empty.overflow, empty.countAtOrBelow(1), empty.countAbove(1)]).toEqual([
      0,
      0n,
      0,
      0,
      0,
    ]);
  });

  it('R063 reads a single sample of 575 ms as 575 ms at every percentile', () => {
    const histogram = histogramOf([575e6]);
    for (const p of [0, 1, 50, 99, 100]) expect(histogram.percentile(p)).toBe(575e6);
  });

  it('R064 takes the nearest rank, rounded up, of a handful of samples', () => {
    expect(histogramOf([1]).percentile(99)).toBe(1);
    expect(histogramOf([1, 2]).percentile(95)).toBe(2);
    expect(histogramOf([10, 20, 30]).percentile(99)).toBe(30);
    expect(histogramOf([10, 20, 30]).percentile(50)).toBe(20);
  });

  it('R063 has no mean above the maximum, however often one sample is repeated', () => {
    // The sum is above 2^53: as a double, divided back, it comes out some ten-thousandths of a ns above what was recorded.
    const value = 2_907_586_780_108;
    const histogram = new Histogram();
    for (const digit of (8_124_277).toString(2)) {
      histogram.add(histogram.clone());
      if (digit === '1') histogram.add(histogramOf([value]));
    }
    expect([histogram.count, histogram.max, histogram.mean()]).toEqual([8_124_277, value, value]);
  });

  it('R069 merges two shards before it reads p95: 10 ms, neither 2000 nor 1005', () => {
    const shardA = histogramOf(repeated(10e6, 1000));
    const shardB = histogramOf(repeated(2000e6, 10));
    const merged = shardA.clone();
    merged.add(shardB);
    expect(merged.percentile(95)).toBe(bucketHighOf(bucketIndexOf(10e6)));
    expect(merged.percentile(95)! / 10e6).toBeCloseTo(1, 3);
    expect(merged.percentile(99.5)).toBe(2000e6);
    expect(merged.equals(histogramOf([...repeated(10e6, 1000), ...repeated(2000e6, 10)]))).toBe(true);
  });

  it('R069 reads p99 of two exponential shards from their merge, not from an average (M§4.4)', () => {
    /** Evenly spaced quantiles of an exponential law, in us: a sample without sampling noise. */
    const exponential = (meanMs: number, count: number): Histogram =>
      histogramOf(Array.from({ length: count }, (_, i) => Math.round(-meanMs * 1000 * Math.log1p(-(i + 0.5) / count))));
    const p99 = (...shards: Histogram[]): number => {
      const merged = new Histogram();
      for (const shard of shards) merged.add(shard);
      return (merged.percentile(99) as number) / 1000;
    };
    const near = (value: number, expected: number): void => expect(Math.abs(value / expected - 1)).toBeLessThan(0.002);
    near(p99(exponential(10, 50_000)), 46.05);
    near(p99(exponential(100, 50_000)), 460.52);
    // The average of the two would be 253.28; weighted 90 to 10 it would be 87.50.
    near(p99(exponential(10, 50_000), exponential(100, 50_000)), 391.2023);
    near(p99(exponential(10, 90_000), exponential(100, 10_000)), 230.2585);
  });

  it('R070 takes an empty histogram as the identity, on either side', () => {
    const some = histogramOf([5, 6e9]);
    const left = new Histogram();
    left.add(some);
    const right = some.clone();
    right.add(new Histogram());
    right.addBlock(blockOf([]));
    expect(left.equals(some)).toBe(true);
    expect(right.equals(some)).toBe(true);
  });

  it('reads a sample by its rank, with the range that is sure to hold it', () => {
    const histogram = histogramOf([10_001, 10_003, 20_000]);
    expect(histogram.rangeAtRank(1)).toEqual({ low: 10_001, high: 10_007 });
    expect(histogram.rangeAtRank(3)).toEqual({ low: 20_000, high: 20_000 });
    expect(histogram.valueAtRank(2)).toBe(10_007);
    for (const rank of [0, 4, NaN]) expect(() => histogram.valueAtRank(rank)).toThrow(InvariantError);
  });

  it('counts what is surely at or below a value, in agreement with the percentile', () => {
    const histogram = histogramOf(thousandSteps);
    expect(histogram.countAtOrBelow(999)).toBe(0);
    expect(histogram.countAtOrBelow(1000)).toBe(1);
    expect(histogram.countAtOrBelow(1_000_000)).toBe(1000);
    expect(histogram.countAtOrBelow(Infinity)).toBe(1000);
    expect(histogram.countAtOrBelow(-5)).toBe(0);
    expect(histogram.countAtOrBelow(NaN)).toBe(0);
    expect(histogram.countAtOrBelow(500_223)).toBe(500);
    expect(histogram.countAtOrBelow(500_222)).toBe(499);
    expect(histogram.countAbove(500_223)).toBe(500);
  });

  it('is independent of its clone and of what it was added to', () => {
    const original = histogramOf([5]);
    const copy = original.clone();
    copy.addBlock(blockOf([6]));
    expect(original.equals(histogramOf([5]))).toBe(true);
    expect(original.equals(copy)).toBe(false);
    expect(copy.count).toBe(2);
  });

  it('can be used again after clear', () => {
    const histogram = histogramOf([5, 7e9, NaN]);
    histogram.clear();
    expect(histogram.equals(new Histogram())).toBe(true);
    histogram.addBlock(blockOf([9]));
    expect(histogram.equals(histogramOf([9]))).toBe(true);
  });

  it('can be added to itself', () => {
    const histogram = histogramOf([5, 6]);
    histogram.add(histogram);
    expect(histogram.equals(histogramOf([5, 6, 5, 6]))).toBe(true);
  });

  it('refuses a block whose buckets do not add up to its count, and changes nothing', () => {
    const histogram = histogramOf([5]);
    const block = blockOf([6, 7]);
    block.count = 3;
    expect(() => histogram.addBlock(block)).toThrow('bucket counts add up to 2, count says 3');
    expect(histogram.equals(histogramOf([5]))).toBe(true);
  });

  it('tells histograms apart that differ in one total only', () => {
    // The same bucket, another exact minimum.
    expect(histogramOf([10_000, 10_003]).equals(histogramOf([10_001, 10_003]))).toBe(false);
    expect(histogramOf([NaN]).equals(histogramOf([3.6e12]))).toBe(false);
  });
});
