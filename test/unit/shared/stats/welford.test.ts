import { describe, expect, it } from 'vitest';
import { addValue, createMoments, momentsOf, varianceOf } from '../../../../shared/stats/welford.ts';

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

  it('do not lose a small spread on a large offset', () => {
    expect(varianceOf(momentsOf([1e9, 1e9 + 1, 1e9 + 2]))).toBeCloseTo(1, 9);
  });
});
