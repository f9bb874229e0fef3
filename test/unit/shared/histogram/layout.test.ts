import { describe, expect, it } from 'vitest';
import {
  bucketHighOf,
  bucketIndexOf,
  bucketLowOf,
  COUNTER_COUNT,
  VALUE_MAX,
} from '../../../../shared/histogram/layout.ts';

describe('layout 1', () => {
  it.each([
    // value, index, low, high (M§7; the first two indexes follow from the linear stretch)
    [2047, 2047, 2047, 2047],
    [2048, 2048, 2048, 2049],
    [10_000, 4322, 10_000, 10_007],
    [123_456_789, 18_267, 123_404_288, 123_469_823],
    [1e9, 21_363, 999_817_216, 1_000_341_503],
  ])('puts %d into bucket %d = [%d, %d]', (value, index, low, high) => {
    expect(bucketIndexOf(value)).toBe(index);
    expect(bucketLowOf(index)).toBe(low);
    expect(bucketHighOf(index)).toBe(high);
  });

  it('covers every integer once, without gap or overlap, over all 33,792 buckets', () => {
    const faulty: number[] = [];
    for (let index = 0; index < COUNTER_COUNT; index += 1) {
      const low = bucketLowOf(index);
      const high = bucketHighOf(index);
      const follows = low === (index === 0 ? 0 : bucketHighOf(index - 1) + 1) && high >= low;
      const inverts = high > VALUE_MAX || (bucketIndexOf(low) === index && bucketIndexOf(high) === index);
      if (!follows || !inverts) faulty.push(index);
    }
    expect(faulty).toEqual([]);
  });

  it('has room for the largest value and keeps the width within 1/1024 of the value', () => {
    expect(bucketIndexOf(VALUE_MAX)).toBeLessThan(COUNTER_COUNT);
    const tooWide: number[] = [];
    for (let index = 1; index < COUNTER_COUNT; index += 1) {
      const width = bucketHighOf(index) - bucketLowOf(index) + 1;
      if (width > 1 && width / bucketLowOf(index) > 1 / 1024) tooWide.push(index);
    }
    expect(tooWide).toEqual([]);
  });

  it('agrees on both sides of the 32-bit border and of every power of two', () => {
    for (let exponent = 0; exponent <= 41; exponent += 1) {
      for (const value of [2 ** exponent - 1, 2 ** exponent, 2 ** exponent + 1]) {
        const index = bucketIndexOf(value);
        expect(bucketLowOf(index)).toBeLessThanOrEqual(value);
        expect(bucketHighOf(index)).toBeGreaterThanOrEqual(value);
      }
    }
  });

  it('puts a fraction into the bucket of its integer part', () => {
    expect(bucketIndexOf(0.9)).toBe(0);
    expect(bucketIndexOf(2047.999)).toBe(2047);
  });
});
