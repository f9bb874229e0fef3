import { describe, expect, it } from 'vitest';
import { Histogram } from '../../../../shared/histogram/histogram.ts';
import { VALUE_MAX } from '../../../../shared/histogram/layout.ts';
import { blockSum, clearBlock, createRecordingBlock, record } from '../../../../shared/histogram/recording-block.ts';
import { blockOf, histogramOf } from '../../../support/histogram-of.ts';

describe('record', () => {
  it('keeps count, exact min, max and sum beside the buckets', () => {
    const block = blockOf([5_000_001, 3, 7_000_000_123]);
    expect(block).toMatchObject({ count: 3, min: 3, max: 7_000_000_123, overflow: 0, touchedCount: 3 });
    expect(blockSum(block)).toBe(7_005_000_127n);
  });

  it('lists each touched bucket once', () => {
    const block = blockOf([10_000, 10_001, 10_007, 5]);
    expect(Array.from(block.touched.slice(0, block.touchedCount))).toEqual([4322, 5]);
    expect(block.counts[4322]).toBe(3);
  });

  it('R062 clamps what is out of range and counts it, and never throws', () => {
    const samples = [75e12, Infinity, NaN, -1, -0.5, -Infinity, 0, VALUE_MAX];
    const block = blockOf(samples);
    expect(block).toMatchObject({ count: samples.length, overflow: 6, min: 0, max: VALUE_MAX });
    const histogram = new Histogram();
    histogram.addBlock(block);
    expect(histogram.count).toBe(samples.length);
    expect(histogram.overflow).toBe(6);
    expect(histogram.countAt(0)).toBe(4);
    expect(histogram.percentile(100)).toBe(VALUE_MAX);
  });

  it('R062 records 0 and values below the resolution without counting an overflow', () => {
    const block = blockOf([0, -0, 0.4, 1]);
    expect(block).toMatchObject({ count: 4, overflow: 0, max: 1 });
    expect(Object.is(block.min, 0)).toBe(true);
  });

  it('cuts fractions off, so that sums stay integers', () => {
    const block = blockOf([1.9, 2.9]);
    expect(blockSum(block)).toBe(3n);
    expect(block).toMatchObject({ min: 1, max: 2 });
  });

  it('keeps the sum exact above 2^53', () => {
    const block = createRecordingBlock();
    for (let i = 0; i < 10_000; i += 1) record(block, VALUE_MAX - 1);
    expect(blockSum(block)).toBe(10_000n * BigInt(VALUE_MAX - 1));
    expect(BigInt(Number.MAX_SAFE_INTEGER)).toBeLessThan(blockSum(block));
  });
});

describe('clearBlock', () => {
  it('leaves a block as good as new, with the same buffers', () => {
    const block = blockOf([1, 50, 5e9, NaN]);
    const { counts } = block;
    clearBlock(block);
    expect(block).toEqual(createRecordingBlock({ counts: block.counts, touched: block.touched }));
    expect(block.counts.every((count) => count === 0)).toBe(true);
    expect(block.counts).toBe(counts);
    record(block, 7);
    const histogram = new Histogram();
    histogram.addBlock(block);
    expect(histogram.equals(histogramOf([7]))).toBe(true);
  });
});

describe('createRecordingBlock', () => {
  it('goes on with recycled buffers', () => {
    const first = blockOf([3, 3, 9]);
    clearBlock(first);
    const again = createRecordingBlock({ counts: first.counts, touched: first.touched });
    record(again, 4);
    expect(again.counts).toBe(first.counts);
    expect(again).toMatchObject({ count: 1, min: 4, max: 4, touchedCount: 1 });
  });

  it('survives a structured clone, as between threads', () => {
    const block = blockOf([3, 5e9]);
    const received = structuredClone(block, { transfer: [block.counts.buffer, block.touched.buffer] });
    const histogram = new Histogram();
    histogram.addBlock(received);
    expect(histogram.equals(histogramOf([3, 5e9]))).toBe(true);
  });
});
