import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Histogram } from '../../../shared/histogram/histogram.ts';
import { bucketIndexOf, VALUE_MAX } from '../../../shared/histogram/layout.ts';
import { clearBlock, createRecordingBlock, record } from '../../../shared/histogram/recording-block.ts';
import { decodeSparse, encodeSparse } from '../../../shared/histogram/sparse-histogram.ts';
import { blockOf, histogramOf } from '../../support/histogram-of.ts';

/** Samples of every size, and now and then something that is no sample at all. */
const sample = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 5000 }) },
  { weight: 4, arbitrary: fc.maxSafeInteger().map((value) => Math.abs(value) % (VALUE_MAX + 1)) },
  { weight: 1, arbitrary: fc.double() },
);
const samples = fc.array(sample, { maxLength: 60 });

/** The value that `record` is to keep. */
function kept(value: number): number {
  if (Number.isNaN(value) || value > VALUE_MAX) return VALUE_MAX;
  return value < 0 ? 0 : Math.floor(value + 0);
}

describe('merging', () => {
  it('R069 gives the histogram of the pooled samples, bucket for bucket, for any partition, order and way of adding', () => {
    const part = fc.record({ values: samples, way: fc.constantFrom('block', 'dense', 'sparse') });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const merged = new Histogram();
        for (const { values, way } of parts) {
          if (way === 'block') merged.addBlock(blockOf(values));
          else if (way === 'dense') merged.add(histogramOf(values));
          else merged.addSparse(encodeSparse(blockOf(values)));
        }
        const pooled = histogramOf(parts.flatMap(({ values }) => values).sort((a, b) => a - b));
        expect(merged.equals(pooled)).toBe(true);
        expect(encodeSparse(merged)).toEqual(encodeSparse(pooled));
      }),
      { numRuns: 60 },
    );
  });

  it('R070 takes an empty shard anywhere as the identity', () => {
    fc.assert(
      fc.property(samples, (values) => {
        const merged = new Histogram();
        merged.addSparse(encodeSparse(new Histogram()));
        merged.addBlock(blockOf(values));
        merged.add(decodeSparse(encodeSparse(blockOf([]))));
        expect(merged.equals(histogramOf(values))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});

describe('recording', () => {
  it('R062 keeps every sample, clamped, and counts those that were clamped', () => {
    fc.assert(
      fc.property(samples, (values) => {
        const histogram = histogramOf(values);
        const clamped = values.filter((value) => !(value >= 0 && Math.floor(value) <= VALUE_MAX));
        expect(histogram.count).toBe(values.length);
        expect(histogram.overflow).toBe(clamped.length);
        expect(histogram.sum).toBe(values.reduce((sum, value) => sum + BigInt(kept(value)), 0n));
      }),
    );
  });

  it('leaves nothing behind in a block that was cleared', () => {
    const block = createRecordingBlock();
    fc.assert(
      fc.property(samples, (values) => {
        for (const value of values) record(block, value);
        expect(encodeSparse(block)).toEqual(encodeSparse(histogramOf(values)));
        clearBlock(block);
        expect(encodeSparse(block)).toEqual(encodeSparse(new Histogram()));
      }),
    );
  });
});

describe('percentiles', () => {
  const percentages = [0, 0.1, 1, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100];

  it('R063 keeps min <= p50 <= p90 <= p99 <= max, for any samples', () => {
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 60 }), (values) => {
        const histogram = histogramOf(values);
        const read = percentages.map((p) => histogram.percentile(p) as number);
        const inOrder = [histogram.min as number, ...read, histogram.max as number];
        expect([...inOrder].sort((a, b) => a - b)).toEqual(inOrder);
        expect(read[0]).toBe(histogram.min);
        expect(read.at(-1)).toBe(histogram.max);
      }),
    );
  });

  it('R064 falls into the bucket of the sample at the nearest rank', () => {
    const percentage = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 60 }), percentage, (values, tenths) => {
        const sorted = values.map(kept).sort((a, b) => a - b);
        // In integers: ceil(tenths * n / 1000).
        const rank = Math.floor((tenths * sorted.length + 999) / 1000);
        const truth = sorted[rank - 1] as number;
        const read = histogramOf(values).percentile(tenths / 10) as number;
        expect(bucketIndexOf(read)).toBe(bucketIndexOf(truth));
        expect(read).toBeGreaterThanOrEqual(truth);
      }),
    );
  });

  it('agrees with countAtOrBelow: percentile(p) <= v exactly when the count reaches the rank', () => {
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 60 }), sample, (values, limit) => {
        const histogram = histogramOf(values);
        for (let rank = 1; rank <= histogram.count; rank += 1) {
          expect(histogram.valueAtRank(rank) <= limit).toBe(histogram.countAtOrBelow(limit) >= rank);
        }
      }),
    );
  });
});
