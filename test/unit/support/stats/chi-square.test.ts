import { describe, expect, it } from 'vitest';
import { chiSquareCdf, chiSquareQuantile, chiSquareTwoSided } from '../../../support/stats/chi-square.ts';

describe('chi-square', () => {
  it('has the upper points of 63 degrees (M§3.2)', () => {
    expect([0.95, 0.99, 0.999].map((p) => Number(chiSquareQuantile(p, 63).toFixed(2)))).toEqual([82.53, 92.01, 103.44]);
  });

  it('is exponential with mean 2 for 2 degrees', () => {
    expect(chiSquareCdf(3, 2)).toBeCloseTo(1 - Math.exp(-1.5), 14);
  });

  it('has a two-sided p-value of at most 1', () => {
    expect(chiSquareTwoSided(4.4, 9)).toBeCloseTo(0.2337, 4);
    expect(chiSquareTwoSided(chiSquareQuantile(0.5, 9), 9)).toBeCloseTo(1, 12);
    expect(chiSquareTwoSided(chiSquareQuantile(0.999, 9), 9)).toBeCloseTo(0.002, 10);
  });
});
