import { describe, expect, it } from 'vitest';
import { bucketQuantile } from '../../../../coordinator/scrape/bucket-quantile.ts';

const BOUNDS = [1, 2, 4, Number.POSITIVE_INFINITY];

describe('a quantile from buckets', () => {
  it('lies on a straight line through its bucket', () => {
    expect(bucketQuantile(BOUNDS, [10, 10, 20, 0], 0.5)).toEqual({ value: 2, low: 1, high: 2 });
    expect(bucketQuantile(BOUNDS, [10, 10, 20, 0], 0.75)).toEqual({ value: 3, low: 2, high: 4 });
    expect(bucketQuantile(BOUNDS, [10, 0, 0, 0], 0.5)).toEqual({ value: 0.5, low: 0, high: 1 });
  });

  it('has no value in the last bucket, and skips empty ones', () => {
    expect(bucketQuantile(BOUNDS, [1, 0, 0, 99], 0.5)).toEqual({ value: null, low: 4, high: null });
    expect(bucketQuantile(BOUNDS, [0, 0, 5, 0], 0)).toEqual({ value: 2, low: 2, high: 4 });
  });

  it('of values below 0 is never above its bucket', () => {
    expect(bucketQuantile([-5, 1, Number.POSITIVE_INFINITY], [10, 0, 0], 0.5)).toEqual({
      value: -5,
      low: -5,
      high: -5,
    });
  });

  it('is null without a sample', () => {
    expect(bucketQuantile(BOUNDS, [0, 0, 0, 0], 0.5)).toBeNull();
  });
});
