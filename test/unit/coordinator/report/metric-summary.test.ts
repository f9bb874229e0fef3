import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fewSamplesOf, PERCENTILES, summarise } from '../../../../coordinator/report/metric-summary.ts';
import { histogramOf } from '../../../support/histogram-of.ts';

describe('summarise', () => {
  it('R064 reads nearest-rank percentiles of a handful of samples and marks them', () => {
    expect(summarise(histogramOf([1]), 'ns').percentiles['50']).toBe(1);
    expect(summarise(histogramOf([1, 2]), 'ns').percentiles['95']).toBe(2);
    const three = summarise(histogramOf([10, 20, 30]), 'ns');
    expect(three.percentiles['99']).toBe(30);
    expect(three.count).toBe(3);
    expect(three.fewSamples).toEqual(['90', '95', '99', '99.9', '99.99']);
  });

  it('R064 marks p99 below 100 samples and not from 100 on', () => {
    expect(fewSamplesOf(99).includes('99')).toBe(true);
    expect(fewSamplesOf(100).includes('99')).toBe(false);
    expect(fewSamplesOf(999).includes('99.9')).toBe(true);
    expect(fewSamplesOf(1000).includes('99.9')).toBe(false);
    expect(fewSamplesOf(10_000).includes('99.99')).toBe(false);
    expect(fewSamplesOf(1).includes('50')).toBe(true);
    expect(fewSamplesOf(10_000)).toEqual([]);
    expect(fewSamplesOf(0)).toEqual([]);
  });

  it('R063 keeps min <= percentiles in order <= max', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3e12 }), { minLength: 1, maxLength: 200 }), (samples) => {
        const { min, max, percentiles } = summarise(histogramOf(samples), 'ns');
        const values = [min, ...PERCENTILES.map((key) => percentiles[key]), max].map(Number);
        expect(values).toEqual([...values].sort((a, b) => a - b));
        expect(min).toBe(Math.min(...samples));
        expect(max).toBe(Math.max(...samples));
      }),
    );
  });

  it('R093 is all null for no sample', () => {
    const empty = summarise(histogramOf([]), 'ns');
    expect(empty).toMatchObject({ count: 0, min: null, max: null, mean: null, fewSamples: [] });
    expect(Object.values(empty.percentiles)).toEqual(PERCENTILES.map(() => null));
  });
});
