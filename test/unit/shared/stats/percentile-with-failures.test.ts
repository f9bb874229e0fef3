import { describe, expect, it } from 'vitest';
import { Histogram } from '../../../../shared/histogram/histogram.ts';
import { numberOrNull, percentileWithFailures } from '../../../../shared/stats/percentile-with-failures.ts';
import { histogramOf } from '../../../support/histogram-of.ts';

const repeated = (value: number, times: number): number[] => Array.from({ length: times }, () => value);
const none = new Histogram();
const SECOND = 1e9;

describe('percentileWithFailures', () => {
  it('R058 441 quick failures and 160 successes: the median is beyond, not 0.17 s', () => {
    const population = { ok: histogramOf(repeated(2.5 * SECOND, 160)), unfinishedAges: none, failed: 441 };
    expect(percentileWithFailures(population, 50)).toEqual({ kind: 'beyond' });
    expect(percentileWithFailures(population, 26)).toEqual({ kind: 'value', value: 2.5 * SECOND });
    expect(percentileWithFailures(population, 27)).toEqual({ kind: 'beyond' });
    expect(numberOrNull(percentileWithFailures(population, 50))).toBeNull();
  });

  it('R058 250 of 256 fail: p95 is beyond although the rest is quick', () => {
    const population = { ok: histogramOf(repeated(1e6, 6)), unfinishedAges: none, failed: 250 };
    expect(percentileWithFailures(population, 95)).toEqual({ kind: 'beyond' });
    expect(percentileWithFailures(population, 2)).toEqual({ kind: 'value', value: 1e6 });
  });

  it('R059 a server that takes 100 s in a 60 s run: the ages are lower bounds', () => {
    const population = { ok: none, unfinishedAges: histogramOf(repeated(60 * SECOND, 30)), failed: 0 };
    expect(percentileWithFailures(population, 50)).toEqual({ kind: 'at-least', value: 60 * SECOND });
    expect(numberOrNull(percentileWithFailures(population, 50))).toBe(60 * SECOND);
  });

  it('R059 unfinished requests do not blur what they cannot move', () => {
    const population = {
      ok: histogramOf(repeated(SECOND, 90)),
      unfinishedAges: histogramOf(repeated(30 * SECOND, 10)),
      failed: 0,
    };
    expect(percentileWithFailures(population, 50)).toEqual({ kind: 'value', value: SECOND });
    expect(percentileWithFailures(population, 90)).toEqual({ kind: 'value', value: SECOND });
    expect(percentileWithFailures(population, 91)).toEqual({ kind: 'at-least', value: 30 * SECOND });
  });

  it('R059 a young unfinished request may still turn out slow: what it could move is a lower bound', () => {
    const ok = histogramOf([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => n * SECOND));
    const population = { ok, unfinishedAges: histogramOf([0.5 * SECOND]), failed: 0 };
    const median = percentileWithFailures(population, 50);
    expect(median.kind).toBe('at-least');
    expect(numberOrNull(median)).toBeCloseTo(4 * SECOND, -7);
  });

  it('equals the plain percentile when nothing failed', () => {
    const ok = histogramOf(Array.from({ length: 500 }, (_, i) => (i + 1) * 1e6));
    for (const p of [0, 1, 50, 99, 100]) {
      const read = percentileWithFailures({ ok, unfinishedAges: none, failed: 0 }, p);
      expect(read).toEqual({ kind: 'value', value: p === 0 ? ok.valueAtRank(1) : ok.percentile(p) });
    }
  });

  it('has no data without requests, and only failures are beyond', () => {
    expect(percentileWithFailures({ ok: none, unfinishedAges: none, failed: 0 }, 50)).toEqual({ kind: 'no-data' });
    expect(percentileWithFailures({ ok: none, unfinishedAges: none, failed: 1 }, 1)).toEqual({ kind: 'beyond' });
  });

  it('leaves its histograms as they are', () => {
    const ok = histogramOf([1, 2]);
    percentileWithFailures({ ok, unfinishedAges: histogramOf([3]), failed: 1 }, 50);
    expect(ok.equals(histogramOf([1, 2]))).toBe(true);
  });
});
