import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponseWithFailures } from '../../../../coordinator/report/with-failures.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { histogramOf } from '../../../support/histogram-of.ts';
import { resultOf } from '../../../support/result-of.ts';
import { type Fate, syntheticRun } from '../../../support/synthetic-run.ts';

const none = histogramOf([]);
const fill = (count: number, value: number): number[] => Array.from({ length: count }, () => value);

describe('response time with failures as infinite', () => {
  it('R058 counts failures as infinite: 250 of 256 fail, so the median is beyond', () => {
    const all = new ResponseWithFailures(histogramOf(fill(6, 1000)), none, 256);
    expect(all.percentile(2)).toEqual({ kind: 'value', value: 1000 });
    expect(all.percentile(3)).toEqual({ kind: 'beyond' });
    expect(all.value().percentiles).toEqual({
      '50': null,
      '90': null,
      '95': null,
      '99': null,
      '99.9': null,
      '99.99': null,
    });
    expect(all.value().lowerBounds).toEqual([]);
  });

  it('R059 takes the age of an open request as a lower bound', () => {
    const all = new ResponseWithFailures(histogramOf(fill(90, 1000)), histogramOf(fill(10, 2000)), 100);
    expect(all.percentile(90)).toEqual({ kind: 'value', value: 1000 });
    expect(all.percentile(91)).toEqual({ kind: 'at-least', value: 2000 });
    expect(all.value().percentiles['99']).toBe(2000);
    expect(all.value().lowerBounds).toEqual(['95', '99', '99.9', '99.99']);
  });

  it('R059 makes a value uncertain where an open request may belong above it', () => {
    // One open request of age 10, nine answers of 20: the fifth of all may be the fourth or the fifth answer.
    const answers = [20, 21, 22, 23, 24, 25, 26, 27, 28];
    const all = new ResponseWithFailures(histogramOf(answers), histogramOf([10]), 10);
    expect(all.percentile(50)).toEqual({ kind: 'at-least', value: 23 });
  });

  it('R059 is certain where the open request cannot move the percentile out of its bucket', () => {
    // All of them share one bucket, of which only the exact maximum of the answers is a narrower edge.
    const answers = [...fill(50, 10_000), 10_001];
    const all = new ResponseWithFailures(histogramOf(answers), histogramOf([10_007]), 52);
    expect(all.percentile(97)).toEqual({ kind: 'value', value: 10_001 });
  });

  it('has no data when nothing was attempted or dropped', () => {
    expect(new ResponseWithFailures(none, none, 0).percentile(50)).toEqual({ kind: 'no-data' });
  });

  it('is never below the percentile of ok requests, and equals it when all are ok', () => {
    const samples = fc.array(fc.integer({ min: 1, max: 1e9 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(samples, fc.nat(20), fc.constantFrom(50, 90, 99), (answers, failures, percentage) => {
        const ok = histogramOf(answers);
        const at = new ResponseWithFailures(ok, none, answers.length + failures).percentile(percentage);
        if (failures === 0) expect(at).toEqual({ kind: 'value', value: ok.percentile(percentage) });
        if (at.kind === 'value') expect(at.value).toBeGreaterThanOrEqual(ok.percentile(percentage) as number);
      }),
    );
  });
});

describe('headline and failures', () => {
  it('R058 keeps 441 quick 429s out of the headline and shows their share beside it', () => {
    const quick: Fate = { kind: 'failed', class: 'http-status', detail: '429', wakeLagNs: 0, serviceNs: 170_000_000 };
    const slow: Fate = { kind: 'ok', wakeLagNs: 0, waitNs: 0, serviceNs: 2_500_000_000 };
    const plan = createPlan({
      overrides: {
        phases: [
          { name: 'load', warmup: false, startNs: 0, durationNs: 0, arrivals: { kind: 'all-at-once', count: 601 } },
        ],
      },
    });
    const run = syntheticRun({ plan, agents: 1, fate: ({ index }) => (index < 441 ? quick : slow) });
    const { value, summary } = resultOf(run);
    expect(value.metrics['response']?.count).toBe(160);
    expect(value.metrics['response']?.percentiles['50']).toBe(2_500_000_000);
    expect(value.metricsFailed['response']?.count).toBe(441);
    expect(value.failureShare).toBeCloseTo(441 / 601, 12);
    expect(value.responseWithFailures.percentiles['50']).toBeNull();
    expect(summary).toContain('failure share 73.38 %');
    expect(summary).toMatch(/failures as infinite +beyond/);
  });

  it('R059 a target that takes longer than the run is not healthy: all unfinished, with their ages', () => {
    const plan = createPlan({ ratePerSecond: 50, durationNs: 2e9, overrides: {} });
    const { value, outcome } = resultOf(syntheticRun({ plan, fate: () => ({ kind: 'unfinished', wakeLagNs: 0 }) }));
    expect(value.accounting.unfinished).toBe(value.accounting.scheduled);
    expect(value.failureShare).toBe(1);
    expect(value.metrics['unfinishedAge']?.count).toBe(value.accounting.unfinished);
    expect(value.responseWithFailures.lowerBounds).toContain('50');
    expect(value.responseWithFailures.percentiles['50']).toBeGreaterThan(1e9);
    expect(outcome.kind).toBe('nothing-ok');
  });
});
