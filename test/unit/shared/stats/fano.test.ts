import { describe, expect, it } from 'vitest';
import { dispersionTest, fanoBand, fanoFactor, fanoRatio } from '../../../../shared/stats/fano.ts';
import { createMoments, momentsOf } from '../../../../shared/stats/welford.ts';

const counts = momentsOf([9, 12, 8, 11, 10, 14, 6, 10, 9, 11]);

describe('the Fano factor', () => {
  it('of ten counts, with its dispersion test (M§3.3)', () => {
    expect(fanoFactor(counts)).toBeCloseTo(0.4888888889, 10);
    const test = dispersionTest(counts);
    expect(test?.statistic).toBeCloseTo(4.4, 12);
    expect(test?.degrees).toBe(9);
    expect(test?.pValue).toBeCloseTo(0.2337, 4);
  });

  it.each([
    [60, 0.589, 1.538],
    [600, 0.857, 1.155],
    [3600, 0.94, 1.062],
    [36_000, 0.981, 1.019],
  ])('of %d Poisson windows lies in [%d, %d] with 99 % (M§3.2)', (windows, low, high) => {
    const band = fanoBand(windows, 0.99);
    expect(band.low).toBeCloseTo(low, 3);
    expect(band.high).toBeCloseTo(high, 3);
  });

  it('is 0 for evenly spaced arrivals, and the ratio to such a plan has no value', () => {
    const even = momentsOf([5, 5, 5, 5]);
    expect(fanoFactor(even)).toBe(0);
    expect(fanoRatio(counts, even)).toBeNull();
    expect(fanoRatio(even, counts)).toBe(0);
  });

  it('compares what was sent with what was planned', () => {
    expect(fanoRatio(counts, counts)).toBe(1);
    // The same arrivals, each pair of windows sent in one burst.
    const bursts = momentsOf([0, 21, 0, 19, 0, 24, 0, 16, 0, 20]);
    expect(fanoRatio(bursts, counts)).toBeGreaterThan(20);
  });

  it('has no value where nothing arrived or there is one window only', () => {
    for (const moments of [createMoments(), momentsOf([4]), momentsOf([0, 0, 0])]) {
      expect(fanoFactor(moments)).toBeNull();
      expect(dispersionTest(moments)).toBeNull();
      expect(fanoRatio(moments, counts)).toBeNull();
    }
  });
});
