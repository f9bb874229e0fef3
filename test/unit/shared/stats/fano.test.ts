import { describe, expect, it } from 'vitest';
import { fanoFactor, fanoRatio } from '../../../../shared/stats/fano.ts';
import { createMoments, momentsOf } from '../../../../shared/stats/welford.ts';

const counts = momentsOf([9, 12, 8, 11, 10, 14, 6, 10, 9, 11]);

describe('the Fano factor', () => {
  it('of ten counts (M§3.3)', () => {
    expect(fanoFactor(counts)).toBeCloseTo(0.4888888889, 10);
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
      expect(fanoRatio(moments, counts)).toBeNull();
    }
  });
});
