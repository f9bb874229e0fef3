import { describe, expect, it } from 'vitest';
import type { ThresholdValue } from '../../../../coordinator/report/threshold-value.ts';
import type { Threshold, ThresholdStatistic } from '../../../../shared/plan/plan.ts';
import { parseThreshold } from '../../../../shared/plan/threshold.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { resultOf } from '../../../support/result-of.ts';
import { type Fate, syntheticRun } from '../../../support/synthetic-run.ts';

/** 1000 arrivals in 2 s: 900 ok in 1..900 us, 50 answered 503, 30 dropped, 20 unfinished. */
const plan = createPlan({
  overrides: {
    phases: [
      {
        name: 'load',
        warmup: false,
        startNs: 0,
        durationNs: 2e9,
        arrivals: {
          kind: 'even',
          knots: [
            { tSeconds: 0, ratePerSecond: 500 },
            { tSeconds: 2, ratePerSecond: 500 },
          ],
        },
      },
    ],
  },
});

function fate({ index }: { readonly index: number }): Fate {
  if (index < 900) return { kind: 'ok', wakeLagNs: 0, waitNs: 0, serviceNs: (index + 1) * 1000 };
  if (index < 950) return { kind: 'failed', class: 'http-status', detail: '503', wakeLagNs: 0, serviceNs: 500 };
  if (index < 980) return { kind: 'dropped', reason: 'max-in-flight' };
  return { kind: 'unfinished', wakeLagNs: 0 };
}

function judged(
  statistic: ThresholdStatistic,
  comparison: Threshold['comparison'],
  bound: number,
  fateOf: (arrival: { readonly index: number }) => Fate = fate,
): ThresholdValue {
  const threshold: Threshold = { text: 'text', statistic, comparison, bound };
  const run = syntheticRun({ plan: { ...plan, thresholds: [threshold] }, agents: 1, fate: fateOf });
  const [value] = resultOf(run).value.thresholds;
  if (value === undefined) throw new Error('there is one threshold');
  return value;
}

const failAll = (): Fate => ({ kind: 'failed', class: 'http-status', detail: '503', wakeLagNs: 0, serviceNs: 500 });

describe('thresholds', () => {
  it.each<[ThresholdStatistic, Threshold['comparison'], number, ThresholdValue['result'], number]>([
    [{ kind: 'percentile', percentile: 100, metric: 'response' }, '<=', 900_000, 'pass', 900_000],
    [{ kind: 'max', metric: 'service' }, '<', 900_000, 'fail', 900_000],
    [{ kind: 'min', metric: 'service' }, '>=', 1000, 'pass', 1000],
    [{ kind: 'mean', metric: 'service' }, '>', 450_500, 'fail', 450_500],
    [{ kind: 'share', book: 'failed' }, '<=', 0.05, 'pass', 0.05],
    [{ kind: 'share', book: 'dropped' }, '<', 0.03, 'fail', 0.03],
    [{ kind: 'share', book: 'unfinished' }, '<', 0.03, 'pass', 0.02],
    [{ kind: 'share', book: 'failure' }, '<=', 0.1, 'pass', 0.1],
    [{ kind: 'share', book: 'failed:http-status' }, '<', 0.04, 'fail', 0.05],
    [{ kind: 'count', book: 'ok' }, '>=', 900, 'pass', 900],
    [{ kind: 'count', book: 'lost' }, '<=', 0, 'pass', 0],
    [{ kind: 'count', book: 'failed:timeout' }, '<', 1, 'pass', 0],
    [{ kind: 'count', book: 'dropped:max-in-flight' }, '<', 30, 'fail', 30],
    [{ kind: 'rate', of: 'ok' }, '>=', 450, 'pass', 450],
    [{ kind: 'rate', of: 'sent' }, '>', 485, 'fail', 485],
  ])('%j %s %d is %s', (statistic, comparison, bound, result, measured) => {
    expect(judged(statistic, comparison, bound)).toMatchObject({ result, measured });
  });

  it('R098 a time without an ok request has no data, though failed ones were quick', () => {
    const value = judged({ kind: 'percentile', percentile: 99, metric: 'response' }, '<', 200e6, failAll);
    expect(value).toMatchObject({ result: 'no-data', measured: null, samples: 0 });
    expect(value.reason).toContain('no ok request');
  });

  it('R098 a counter without events is 0 and can be judged', () => {
    expect(judged({ kind: 'count', book: 'ok' }, '>', 0, failAll)).toMatchObject({ result: 'fail', measured: 0 });
    expect(judged({ kind: 'rate', of: 'goodput' }, '>', 1, failAll)).toMatchObject({
      result: 'no-data',
      reason: 'the plan has no slo, so no goodput',
    });
  });

  it('R098 a share of nothing has no data', () => {
    const statistic: ThresholdStatistic = { kind: 'share', book: 'failure' };
    const empty = { ...plan, phases: [{ ...plan.phases[0]!, arrivals: { kind: 'all-at-once', count: 0 } as const }] };
    const thresholds: Threshold[] = [{ text: 'x', statistic, comparison: '<', bound: 1 }];
    const { value, outcome } = resultOf(syntheticRun({ plan: { ...empty, thresholds } }));
    expect(value.thresholds[0]?.result).toBe('no-data');
    expect(outcome.reasons).toContain('threshold without data: x (no request was attempted or dropped)');
  });

  it('R098 a metric that is not measured has no data instead of passing', () => {
    const value = judged({ kind: 'percentile', percentile: 99, metric: 'tokens' }, '<', 1);
    expect(value).toMatchObject({ result: 'no-data', reason: 'tokens is not measured by this version' });
  });

  it('R058 judges failures as infinite where the threshold asks for it', () => {
    const percentile = (percentage: number): ThresholdStatistic => ({
      kind: 'percentile',
      percentile: percentage,
      metric: 'responseWithFailures',
    });
    expect(judged(percentile(50), '<', 1e6)).toMatchObject({ result: 'pass', samples: 1000 });
    expect(judged(percentile(99), '<', 1e15)).toMatchObject({ result: 'fail', measured: null });
    // R059: the 91st percentile is a request that was still open; no bound is known to hold for it.
    expect(judged(percentile(91), '<', 1e15)).toMatchObject({
      result: 'fail',
      reason: expect.stringMatching(/^at least [0-9.]+ (s|ms|us):/) as string,
    });
  });

  it('R059 an age of an open request shows no more than that the time is not below it', () => {
    const statistic: ThresholdStatistic = { kind: 'percentile', percentile: 91, metric: 'responseWithFailures' };
    expect(judged(statistic, '>', 1e15)).toMatchObject({ result: 'fail', measured: null });
    expect(judged(statistic, '>', 1)).toMatchObject({ result: 'pass' });
    // Failures are infinite, whatever the bound.
    expect(judged({ ...statistic, percentile: 99 }, '>', 1e15)).toMatchObject({ result: 'pass' });
  });

  it('R098 a bound that is met exactly holds: 110 in 1.1 s are 100/s, 999 of 1000 are 99.9 %', () => {
    const second = { tSeconds: 1.1, ratePerSecond: 1000 / 1.1 };
    const arrivals = { kind: 'even', knots: [{ ...second, tSeconds: 0 }, second] } as const;
    const phase = { ...plan.phases[0]!, durationNs: 1.1e9, arrivals };
    const failing = { kind: 'failed', class: 'http-status', detail: '503', wakeLagNs: 0, serviceNs: 500 } as const;
    const okFirst = (count: number) => (arrival: { readonly index: number }) => {
      return arrival.index < count ? fate({ index: 0 }) : failing;
    };
    const resultsOf = (ok: number, ...texts: string[]): string[] => {
      const thresholds = texts.map(parseThreshold);
      const run = syntheticRun({ plan: { ...plan, phases: [phase], thresholds }, agents: 1, fate: okFirst(ok) });
      return resultOf(run).value.thresholds.map(({ result }) => result);
    };
    expect(resultsOf(110, 'rate(ok)>=100', 'rate(ok)<=100/s', 'rate(ok)>100')).toEqual(['pass', 'pass', 'fail']);
    expect(resultsOf(999, 'share(ok)>=99.9%', 'share(failed)<=0.1%')).toEqual(['pass', 'pass']);
    expect(resultsOf(993, 'share(failed)<=0.7%', 'share(failed)<0.7%')).toEqual(['pass', 'fail']);
  });

  it('R064 a percentile of few samples is judged and says so', () => {
    const few = judged({ kind: 'percentile', percentile: 99.9, metric: 'response' }, '<', 1e9);
    expect(few).toMatchObject({ result: 'pass', samples: 900, reason: 'few samples: 900 for percentile 99.9' });
  });
});
