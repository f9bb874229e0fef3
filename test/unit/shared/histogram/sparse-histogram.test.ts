import { describe, expect, it } from 'vitest';
import { Histogram } from '../../../../shared/histogram/histogram.ts';
import { readDecodedSparse } from '../../../../shared/histogram/sparse-form.ts';
import { decodeSparse, encodeSparse } from '../../../../shared/histogram/sparse-histogram.ts';
import { blockOf, histogramOf } from '../../../support/histogram-of.ts';

describe('encodeSparse', () => {
  it('writes (gap, count) pairs from an index of -1', () => {
    const sparse = encodeSparse(blockOf([0, 3, 3, 5]));
    expect(Array.from(sparse.buckets)).toEqual([0, 1, 2, 2, 1, 1]);
    expect(sparse).toMatchObject({ layoutId: 1, count: 4, min: 0, max: 5, sum: 11n, overflow: 0 });
  });

  it('gives the same bytes from a block, from a histogram, and after a round trip', () => {
    const samples = [7e9, 3, 500, 3, 12_345_678, NaN];
    const fromBlock = encodeSparse(blockOf(samples));
    const fromHistogram = encodeSparse(histogramOf(samples));
    expect(fromBlock).toEqual(fromHistogram);
    expect(encodeSparse(decodeSparse(fromBlock))).toEqual(fromBlock);
  });

  it('leaves the block as it is', () => {
    const block = blockOf([9, 1, 5]);
    encodeSparse(block);
    expect(Array.from(block.touched.slice(0, block.touchedCount))).toEqual([9, 1, 5]);
  });

  it('carries counts above 2^32 and sums above 2^53', () => {
    const large = histogramOf([3.5e12, 3.5e12 - 1]);
    for (let doubling = 0; doubling < 34; doubling += 1) large.add(large);
    const back = decodeSparse(encodeSparse(large));
    expect(back.equals(large)).toBe(true);
    expect(back.count).toBe(2 ** 35);
    expect(back.sum).toBe((3_500_000_000_000n + 3_499_999_999_999n) * 2n ** 34n);
    expect(back.percentile(50)).toBe(3.5e12);
  });

  it('grows beyond its first buffer', () => {
    const samples = Array.from({ length: 30_000 }, (_, i) => i * 1009);
    expect(decodeSparse(encodeSparse(blockOf(samples))).equals(histogramOf(samples))).toBe(true);
  });
});

describe('addDecoded', () => {
  it('adds a delta that was decoded once to several totals, also after others were decoded', () => {
    const decoded = readDecodedSparse(encodeSparse(blockOf([1, 2, 5e9, NaN])));
    readDecodedSparse(encodeSparse(blockOf([7, 8])));
    const totals = [new Histogram(), histogramOf([3])];
    for (const total of totals) total.addDecoded(decoded);
    totals[0]!.addDecoded(readDecodedSparse(encodeSparse(new Histogram())));
    expect(totals[0]!.equals(histogramOf([1, 2, 5e9, NaN]))).toBe(true);
    expect(totals[1]!.equals(histogramOf([1, 2, 3, 5e9, NaN]))).toBe(true);
  });
});

describe('addSparse', () => {
  it('adds to what is there already', () => {
    const total = new Histogram();
    total.addSparse(encodeSparse(blockOf([1, 2, 3])));
    total.addSparse(encodeSparse(blockOf([3, 4e9, Infinity])));
    expect(total.equals(histogramOf([1, 2, 3, 3, 4e9, Infinity]))).toBe(true);
    expect(total.overflow).toBe(1);
  });
});
