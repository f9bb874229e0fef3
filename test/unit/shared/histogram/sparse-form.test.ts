import { describe, expect, it } from 'vitest';
import { FleetError } from '../../../../shared/fleet-error.ts';
import { Histogram } from '../../../../shared/histogram/histogram.ts';
import { readSparseForm, type SparseHistogram } from '../../../../shared/histogram/sparse-form.ts';
import { encodeSparse } from '../../../../shared/histogram/sparse-histogram.ts';
import { fleetErrorOf } from '../../../support/fleet-error-of.ts';
import { blockOf, histogramOf } from '../../../support/histogram-of.ts';

const good = encodeSparse(blockOf([3, 3, 300, 5_000_000_000]));
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

/** Gap of 33,792 from the start: one bucket beyond the last. */
const beyondTheLast = bytes(0x80, 0x88, 0x02, 0x01);

const malformed: [string, Partial<SparseHistogram>, string][] = [
  ['another layout', { layoutId: 2 }, 'layout is 2, this build reads layout 1 only'],
  ['truncated bytes', { buckets: good.buckets.slice(0, -1) }, 'truncated varint'],
  ['a gap without a count', { buckets: bytes(3), count: 1 }, 'histogram bucket count: truncated varint'],
  ['an index out of range', { buckets: beyondTheLast, count: 1 }, 'bucket index 33792 is above the limit 33791'],
  ['a bucket without samples', { buckets: bytes(3, 0), count: 0, sum: 0n }, 'bucket 3 has count 0'],
  ['a count that does not match', { count: 5 }, 'bucket counts add up to 4, count says 5'],
  ['buckets missing', { buckets: bytes() }, 'bucket counts add up to 0, count says 4'],
  ['a negative count', { count: -1 }, 'count is -1'],
  ['a fractional count', { count: 4.5 }, 'count is 4.5'],
  ['a count that is not a number', { count: NaN }, 'count is NaN'],
  ['more overflows than samples', { overflow: 5 }, 'overflow is 5, must be an integer in 0..4'],
  ['min of another bucket', { min: 4 }, 'min 4 is not in its bucket 3 (3..3)'],
  ['max of another bucket', { max: 4_000_000_000 }, 'max 4000000000 is not in its bucket'],
  ['no min', { min: null }, 'min is null'],
  ['max above the range', { max: 3.7e12 }, 'max is 3700000000000'],
  ['an impossible sum', { sum: 12n }, 'sum 12 is impossible'],
  ['a negative sum', { sum: -1n }, 'sum -1 is impossible'],
];

describe('readSparseForm', () => {
  it.each(malformed)('R070 refuses %s, names it, and nothing is applied', (_name, change, message) => {
    const sparse = { ...good, ...change };
    const target = histogramOf([17]);
    const error = fleetErrorOf(() => target.addSparse(sparse));
    expect(error?.code).toBe('protocol');
    expect(error?.message).toContain(message);
    expect(target.equals(histogramOf([17]))).toBe(true);
  });

  it('R070 refuses every truncation and survives every single changed byte', () => {
    for (let length = 0; length < good.buckets.length; length += 1) {
      expect(() => readSparseForm({ ...good, buckets: good.buckets.slice(0, length) })).toThrow(FleetError);
    }
    const target = new Histogram();
    let stillWellFormed = 0;
    for (let at = 0; at < good.buckets.length; at += 1) {
      for (let change = 1; change < 256; change += 1) {
        const buckets = good.buckets.slice();
        buckets[at] = (good.buckets[at] as number) ^ change;
        const error = fleetErrorOf(() => target.addSparse({ ...good, buckets }));
        if (error === undefined) {
          // Other bytes for the same count, min, max and a possible sum: it must still keep its own promises.
          stillWellFormed += 1;
          expect(target.count).toBe(good.count);
          target.clear();
        } else {
          expect(target.isEmpty()).toBe(true);
        }
      }
    }
    expect(stillWellFormed).toBeLessThan(10);
  });

  it('R070 takes an empty histogram, with null or with a wire default of 0 as extremes', () => {
    const empty = encodeSparse(new Histogram());
    expect(empty).toMatchObject({ count: 0, min: null, max: null, sum: 0n, overflow: 0 });
    expect(empty.buckets).toHaveLength(0);
    const target = histogramOf([8]);
    target.addSparse(empty);
    target.addSparse({ ...empty, min: 0, max: 0 });
    expect(target.equals(histogramOf([8]))).toBe(true);
  });

  it('gives the buckets upwards with their counts', () => {
    const { length, indexes, counts } = readSparseForm(encodeSparse(blockOf([300, 3, 3])));
    expect([length, indexes[0], counts[0], indexes[1], counts[1]]).toEqual([2, 3, 2, 300, 1]);
  });
});
