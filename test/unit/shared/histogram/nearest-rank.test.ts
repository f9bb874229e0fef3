import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../../shared/fleet-error.ts';
import { nearestRank, samplesAbove } from '../../../../shared/histogram/nearest-rank.ts';

describe('nearestRank', () => {
  it.each([
    [99.9, 1000, 999],
    [99.9, 1_000_000, 999_000],
    [99.99, 10_000, 9999],
    [99, 100, 99],
    [99, 101, 100],
    [95, 20, 19],
    [50, 2, 1],
    [50, 3, 2],
    [100, 7, 7],
    [0, 7, 1],
    [0.001, 7, 1],
    [33.3, 1000, 333],
    [29, 100, 29],
    [57, 100, 57],
    [99.999, 100_000, 99_999],
  ])('p%d of %d samples is rank %d', (percentage, count, rank) => {
    expect(nearestRank(percentage, count)).toBe(rank);
  });

  it('takes every percentage with up to three decimals as the decimal it was written as', () => {
    const wrong: number[] = [];
    for (let thousandths = 0; thousandths <= 100_000; thousandths += 1) {
      const percentage = Number((thousandths / 1000).toFixed(3));
      const right =
        nearestRank(percentage, 100_000) === Math.max(1, thousandths) &&
        nearestRank(percentage, 1_000_000) === Math.max(1, thousandths * 10);
      if (!right) wrong.push(percentage);
    }
    expect(wrong).toEqual([]);
  });

  it('R064 is exact to the sample up to 2^53 samples, by integers', () => {
    const decimals = [0.001, 0.1, 1, 29, 33.3, 50, 57, 90, 99, 99.9, 99.95, 99.999, 99.9999, 99.999999];
    const counts = [1, 3, 999, 10 ** 12 + 1, 2 ** 50 - 1, 2 ** 53 - 1, 9_007_199_254_740_000, 9_007_199_254_700_000];
    for (const percentage of decimals) {
      const millionths = BigInt(percentage.toFixed(6).replace('.', ''));
      for (const count of counts) {
        const product = millionths * BigInt(count);
        const rank = (product + 99_999_999n) / 100_000_000n;
        expect(BigInt(nearestRank(percentage, count)), `p${percentage} of ${count}`).toBe(rank);
      }
    }
  });

  it.each([
    [(100 * 2) / 3, 3, 2],
    [(1 - 0.0005) * 100, 10_000, 9995],
    [(0.999 - 0.0005) * 100, 10_000, 9985],
    [(1 / 7) * 100, 7, 1],
    [1e-15, 10, 1],
  ])('takes what rounding added to a computed p%d of %d for none: rank %d', (percentage, count, rank) => {
    expect(nearestRank(percentage, count)).toBe(rank);
  });

  it.each([-0.1, 100.1, NaN])('refuses the percentage %d', (percentage) => {
    expect(() => nearestRank(percentage, 10)).toThrow(InvariantError);
  });

  it('refuses an empty population', () => {
    expect(() => nearestRank(50, 0)).toThrow('at least 1 sample');
  });
});

describe('samplesAbove', () => {
  it.each([
    [99.9, 1000, 1],
    [99.9, 999, 0],
    [90, 500, 50],
    [99, 100, 1],
    [50, 1, 0],
    [100, 7, 0],
  ])('p%d of %d samples has %d above it', (percentage, count, above) => {
    expect(samplesAbove(percentage, count)).toBe(above);
  });
});
