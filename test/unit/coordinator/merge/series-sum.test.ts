import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeriesSum } from '../../../../coordinator/merge/series-sum.ts';
import { readDecodedSparse } from '../../../../shared/histogram/sparse-form.ts';
import { encodeSparse } from '../../../../shared/histogram/sparse-histogram.ts';
import { blockOf, histogramOf } from '../../../support/histogram-of.ts';

describe('SeriesSum', () => {
  it('R069 equals the histogram of the pooled samples, folded often or seldom', () => {
    const shards = fc.array(fc.array(fc.integer({ min: 0, max: 5e12 }), { maxLength: 30 }), { maxLength: 20 });
    fc.assert(
      fc.property(shards, fc.constantFrom(1, 40, 100_000), (lists, pendingBucketsMax) => {
        const sum = new SeriesSum(pendingBucketsMax);
        for (const [index, list] of lists.entries()) {
          sum.add(readDecodedSparse(encodeSparse(blockOf(list))));
          if (index % 3 === 0) sum.compact();
        }
        expect(sum.histogram().equals(histogramOf(lists.flat()))).toBe(true);
      }),
    );
  });

  it('R070 takes an empty delta as nothing', () => {
    const sum = new SeriesSum(10);
    sum.add(readDecodedSparse(encodeSparse(blockOf([]))));
    expect(sum.histogram().isEmpty()).toBe(true);
    expect(sum.histogram().percentile(99)).toBeNull();
  });
});
