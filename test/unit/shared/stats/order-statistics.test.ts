import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../../shared/fleet-error.ts';
import { Histogram } from '../../../../shared/histogram/histogram.ts';
import {
  hasFewSamples,
  quantileInterval,
  quantileRanks,
  samplesForUpperBound,
} from '../../../../shared/stats/order-statistics.ts';
import { histogramOf } from '../../../support/histogram-of.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

describe('quantileRanks', () => {
  it.each([
    // n, p, confidence, j, k, coverage (null where M§4.1 gives none)
    [100, 0.5, 0.95, 40, 61, 0.9648],
    [100, 0.9, 0.95, 84, 96, 0.9557],
    [1000, 0.5, 0.95, 469, 532, 0.9537],
    [1000, 0.9, 0.95, 881, 919, 0.9549],
    [1000, 0.99, 0.95, 983, 997, 0.9761],
    [10_000, 0.99, 0.95, 9880, 9920, 0.9557],
    [10_000, 0.999, 0.95, 9983, 9997, 0.9755],
    [100_000, 0.99, 0.95, 98_938, 99_062, null],
    [100_000, 0.999, 0.95, 99_880, 99_920, null],
    [1_000_000, 0.99, 0.95, 989_805, 990_196, null],
    [1_000_000, 0.999, 0.95, 998_938, 999_062, null],
    [270_336, 0.99, 0.99, 267_498, 267_766, null],
    [270_336, 0.999, 0.99, 270_022, 270_108, null],
  ])('%d samples, percentile %d at confidence %d: ranks %d and %d', (count, p, confidence, low, high, coverage) => {
    const ranks = quantileRanks(count, p, confidence);
    expect([ranks.low, ranks.high]).toEqual([low, high]);
    expect(ranks.coverage).toBeGreaterThanOrEqual(confidence);
    if (coverage !== null) expect(Math.abs(ranks.coverage - coverage)).toBeLessThan(1e-4);
  });

  it('has no upper end with too few samples, and no end at all with none', () => {
    expect(quantileRanks(100, 0.999, 0.95)).toMatchObject({ high: null });
    expect(quantileRanks(3, 0.5, 0.95)).toMatchObject({ low: null, high: null, coverage: 1 });
    expect(quantileRanks(0, 0.5, 0.95)).toMatchObject({ low: null, high: null });
  });

  it('gains its upper end when the maximum is beyond the percentile surely enough', () => {
    // Two-sided at 95 %: n >= ln(0.025) / ln(0.99) = 367.04.
    expect(quantileRanks(367, 0.99, 0.95).high).toBeNull();
    expect(quantileRanks(368, 0.99, 0.95).high).toBe(368);
  });

  it('encloses the true percentile as often as it says', () => {
    const random = seededRandom(11);
    const count = 200;
    const { low, high, coverage } = quantileRanks(count, 0.9, 0.95);
    let enclosed = 0;
    const trials = 4000;
    for (let trial = 0; trial < trials; trial += 1) {
      const sorted = Float64Array.from({ length: count }, () => random.uniform()).sort();
      if ((sorted[low! - 1] as number) <= 0.9 && (sorted[high! - 1] as number) >= 0.9) enclosed += 1;
    }
    expect(Math.abs(enclosed / trials - coverage)).toBeLessThan(4 * Math.sqrt((0.95 * 0.05) / trials));
  });

  it.each([
    [10, 0, 0.95],
    [10, 1, 0.95],
    [10, 0.5, 1],
    [-1, 0.5, 0.95],
    [1.5, 0.5, 0.95],
  ])('refuses n = %d, p = %d, confidence = %d', (count, p, confidence) => {
    expect(() => quantileRanks(count, p, confidence)).toThrow(InvariantError);
  });
});

describe('quantileInterval', () => {
  it('reads lower edge and upper edge of the buckets at the two ranks', () => {
    const histogram = histogramOf(Array.from({ length: 1000 }, (_, i) => (i + 1) * 1000));
    const interval = quantileInterval(histogram, 0.99, 0.95);
    expect(interval).toEqual({ low: histogram.rangeAtRank(983).low, high: histogram.rangeAtRank(997).high });
    expect(interval.low).toBeLessThanOrEqual(983_000);
    expect(interval.high).toBeGreaterThanOrEqual(997_000);
  });

  it('is unbounded without samples', () => {
    expect(quantileInterval(new Histogram(), 0.5, 0.95)).toEqual({ low: null, high: null });
  });
});

describe('samplesForUpperBound', () => {
  it.each([
    [0.99, 0.95, 299],
    [0.99, 0.99, 459],
    [0.999, 0.95, 2995],
    [0.999, 0.99, 4603],
  ])('percentile %d at confidence %d: %d (M§4.1)', (p, confidence, expected) => {
    expect(samplesForUpperBound(p, confidence)).toBe(expected);
  });
});

describe('hasFewSamples', () => {
  it.each([
    [0.5, 2],
    [0.9, 10],
    [0.99, 100],
    [0.999, 1000],
    [0.9999, 10_000],
  ])('R064 percentile %d has few samples below %d', (p, least) => {
    expect(hasFewSamples(least - 1, p)).toBe(true);
    expect(hasFewSamples(least, p)).toBe(false);
  });
});
