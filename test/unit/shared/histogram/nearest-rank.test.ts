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
