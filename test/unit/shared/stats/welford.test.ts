import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addValue, createMoments, mergeMoments, momentsOf, varianceOf } from '../../../../shared/stats/welford.ts';

describe('moments', () => {
  it('of a list', () => {
    const moments = momentsOf([2, 4, 4, 4, 5, 5, 7, 9]);
    expect(moments).toEqual({ count: 8, mean: 5, squares: 32 });
    expect(varianceOf(moments)).toBeCloseTo(32 / 7, 14);
  });

  it('can be read at any time while values come in', () => {
    const moments = createMoments();
    addValue(moments, 4);
    expect(moments).toEqual({ count: 1, mean: 4, squares: 0 });
    addValue(moments, 8);
    expect(moments).toEqual({ count: 2, mean: 6, squares: 8 });
  });

  it('have no variance below two values', () => {
    expect(varianceOf(createMoments())).toBeNull();
    expect(varianceOf(momentsOf([3]))).toBeNull();
  });

  it('merge to those of the pooled values, for any partition', () => {
    const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.array(value, { maxLength: 20 }), { maxLength: 6 }), (parts) => {
        const merged = createMoments();
        for (const part of parts) mergeMoments(merged, momentsOf(part));
        const pooled = momentsOf(parts.flat());
        expect(merged.count).toBe(pooled.count);
        expect(Math.abs(merged.mean - pooled.mean)).toBeLessThan(1e-8);
        expect(Math.abs(merged.squares - pooled.squares)).toBeLessThan(1e-9 * Math.max(1, pooled.squares));
      }),
    );
  });

  it('do not lose a small spread on a large offset', () => {
    expect(varianceOf(momentsOf([1e9, 1e9 + 1, 1e9 + 2]))).toBeCloseTo(1, 9);
  });
});
