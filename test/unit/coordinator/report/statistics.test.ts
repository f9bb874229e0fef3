import { describe, expect, it } from 'vitest';
import { inFlightAtWindowEnds, backlogOfPhase } from '../../../../coordinator/report/backlog-of-phase.ts';
import { judgedPercentiles, observedWorkerNs } from '../../../../coordinator/report/excess-part.ts';
import { percentileStatistics } from '../../../../coordinator/report/percentile-statistics.ts';
import type { WindowRow } from '../../../../coordinator/merge/window-rows.ts';
import { ScopeTotals } from '../../../../coordinator/merge/scope-totals.ts';
import { COUNTER } from '../../../../shared/metrics/counters.ts';
import type { Phase, Plan, Threshold } from '../../../../shared/plan/plan.ts';
import { createLlmRequest, createPlan } from '../../../support/plan-fixture.ts';
import { histogramOf } from '../../../support/histogram-of.ts';
import { resultOf } from '../../../support/result-of.ts';
import { type Fate, syntheticRun } from '../../../support/synthetic-run.ts';

const plan = createPlan({ ratePerSecond: 400, durationNs: 10e9 });

describe('statistics of a run', () => {
  it('gives every percentile an interval that holds it, from order statistics and from blocks', () => {
    const { value } = resultOf(syntheticRun({ plan }));
    const p50 = value.statistics.metrics.response['50'];
    expect(p50?.value).toBe(value.metrics['response']?.percentiles['50']);
    expect(p50?.interval.low).toBeLessThanOrEqual(p50?.value ?? 0);
    expect(p50?.interval.high).toBeGreaterThanOrEqual(p50?.value ?? Infinity);
    expect(p50?.blocks?.count).toBeGreaterThanOrEqual(6);
    expect(p50?.interval.low).toBe(Math.min(p50?.iid.low ?? 0, p50?.blocks?.low ?? 0));
    expect(p50?.blocks?.effectiveSamples).toBeGreaterThan(0);
    expect(value.phases[0]?.statistics).toEqual(value.statistics);
  });

  it('R064 says "not enough samples for p99.9" instead of a number, and keeps the number in the result', () => {
    const { value, summary } = resultOf(syntheticRun({ plan: createPlan({ ratePerSecond: 100, durationNs: 10e9 }) }));
    const { count, percentiles } = value.metrics['response'] ?? {};
    expect(count).toBeLessThan(3688);
    expect(percentiles?.['99.9']).toBeGreaterThan(0);
    expect(value.statistics.metrics.response['99.9']).toMatchObject({ enough: false, interval: { high: null } });
    expect(summary).toContain('p99.9: not enough samples for p99.9');
    expect(summary).toMatch(/\* few samples: not enough samples for p99.9/);
  });

  it('says that the share of the fleet was not measured where no loop gap was', () => {
    const { value, summary } = resultOf(syntheticRun({ plan }));
    expect(value.statistics.metrics.response['99']?.excess).toBeNull();
    expect(value.verdict.gates.find((gate) => gate.name === 'excess-bound')?.kind).toBe('not-measured');
    expect(summary).toContain('how much of it can be the fleet was not measured');
  });

  it('has MLPerf’s count beside, labelled iid', () => {
    const statistics = percentileStatistics(histogramOf(Array.from({ length: 5000 }, (_, i) => i + 1)), 99, []);
    expect(statistics?.earlyStopping).toEqual({ overBoundAllowed: 33, shownBound: histogramOf([4967]).max });
    expect(resultOf(syntheticRun({ plan })).summary).toContain('MLPerf early stopping at 99 % (iid');
  });

  it('sees dependence: the same samples in slow and quick windows are worth fewer independent ones', () => {
    const values = Array.from({ length: 2000 }, (_, i) => i + 1);
    const mixed = Array.from({ length: 20 }, () => ({ count: 100, above: 10 }));
    const lumped = mixed.map((_, i) => ({ count: 100, above: i % 2 === 0 ? 0 : 20 }));
    const of = (windows: typeof mixed) => percentileStatistics(histogramOf(values), 90, windows);
    expect(of(mixed)?.blocks?.effectiveSamples).toBe(2000);
    expect(of(lumped)?.blocks?.effectiveSamples).toBeLessThan(300);
    expect(of(lumped)?.interval.high).toBeGreaterThan(of(mixed)?.interval.high ?? Infinity);
  });
});

describe('judged percentiles', () => {
  const threshold = (percentile: number, metric: string): Threshold => ({
    text: '',
    statistic: { kind: 'percentile', percentile, metric },
    comparison: '<',
    bound: 1,
  });

  it('are p50 and p99 of the response by default, else what thresholds name', () => {
    expect(judgedPercentiles(plan).map((one) => one.percentage)).toEqual([50, 99]);
    const named = [threshold(99.5, 'service'), threshold(90, 'responseWithFailures'), threshold(99, 'wakeLag')];
    expect(judgedPercentiles({ ...plan, thresholds: named })).toEqual([
      { metric: 'service', percentage: 99.5 },
      { metric: 'response', percentage: 90 },
    ]);
  });

  it('are those of the time to first token as well where answers are streamed, and what thresholds name of it', () => {
    const withLlm = (stream: boolean): Plan => {
      const requests = plan.requests.map((request) => ({ ...request, llm: createLlmRequest({ stream }) }));
      return { ...plan, requests };
    };
    const names = (of: Plan): string[] => judgedPercentiles(of).map((one) => `${one.metric} ${one.percentage}`);
    expect(names(withLlm(true))).toEqual(['response 50', 'response 99', 'ttft 50', 'ttft 99']);
    expect(names(withLlm(false))).toEqual(['response 50', 'response 99']);
    const thresholds = [threshold(95, 'ttft_send'), threshold(95, 'tpot')];
    expect(names({ ...withLlm(true), thresholds })).toEqual(['ttft_send 95']);
  });
});

describe('the time that workers were observed', () => {
  it('ends with the run, and with an agent that left: gaps of its loops are not held against time in which it was silent', () => {
    const base = syntheticRun({ plan, workersPerAgent: 2, death: { agent: 1, atNs: 4e9 } }).record;
    expect(plan.phases.map(({ startNs, durationNs }) => [startNs, durationNs])).toEqual([[0, 10e9]]);
    expect(observedWorkerNs(base, plan.phases, 0)).toBe(2 * 10e9 + 2 * 4e9);
    expect(observedWorkerNs({ ...base, agents: base.agents.slice(0, 1), workerSlots: 2 }, plan.phases, 0)).toBe(20e9);
    expect(observedWorkerNs({ ...base, durationNs: 3e9 }, plan.phases, 1)).toBe(9e9);
  });
});

describe('backlog of a phase', () => {
  const phase = plan.phases[0] as Phase;
  const rowsOf = (gains: readonly number[]): WindowRow[] =>
    gains.map((gain, second) => {
      const totals = new ScopeTotals(10);
      totals.cell[COUNTER.attempted] = 1000 + Math.max(0, gain);
      totals.cell[COUNTER.ok] = 1000 + Math.max(0, -gain);
      return { phase: 0, startNs: second * 1e9, totals };
    });

  it('counts what is open at the ends of whole windows', () => {
    expect(inFlightAtWindowEnds(phase, rowsOf([5, 3, -2, 0, 1, 1, 1, 1, 1, 1, -12]), 1e9)).toEqual([
      5, 8, 6, 6, 7, 8, 9, 10, 11, 12,
    ]);
  });

  it('is unstable when it grows steadily beyond a stable queue’s swing, and stable when it swings', () => {
    const growing = backlogOfPhase(phase, rowsOf([20, 21, 20, 19, 20, 21, 19, 20, 20, 21]), 1e9);
    expect(growing).toMatchObject({ kind: 'unstable', blocks: 10 });
    expect(growing.kind !== 'not-judged' && growing.slopePerSecond).toBeCloseTo(20, 0);
    expect(backlogOfPhase(phase, rowsOf([20, -15, 18, -20, 15, -10, 12, -18, 9, -8]), 1e9).kind).toBe('stable');
  });

  it('is not judged where the rate is not constant or the phase is short', () => {
    const ramp = [
      { tSeconds: 0, ratePerSecond: 0 },
      { tSeconds: 10, ratePerSecond: 100 },
    ];
    const ramped: Phase = { ...phase, arrivals: { kind: 'poisson', knots: ramp } };
    expect(backlogOfPhase(ramped, rowsOf([1, 2, 3, 4, 5, 6, 7, 8]), 1e9).kind).toBe('not-judged');
    expect(backlogOfPhase({ ...phase, durationNs: 5e9 }, rowsOf([90, 90, 90, 90, 90]), 1e9).kind).toBe('not-judged');
  });

  it('R005 is not called stable where a cap or a timeout keeps the number in flight down', () => {
    const level = [20, -15, 18, -20, 15, -10, 12, -18, 9, -8];
    for (const name of ['dropped:max-in-flight', 'dropped:queue-full', 'failed:timeout'] as const) {
      const rows = rowsOf(level);
      const cell = rows[4]?.totals.cell;
      if (cell === undefined) throw new Error('no such row');
      if (name === 'failed:timeout') {
        cell[COUNTER.attempted] = (cell[COUNTER.attempted] as number) + 300;
      }
      cell[COUNTER[name]] = 300;
      const found = backlogOfPhase(phase, rows, 1e9);
      expect(found).toMatchObject({ kind: 'not-judged' });
      expect(found.kind === 'not-judged' && found.reason).toMatch(
        /were dropped at a cap or timed out.*the limit is 1 %/,
      );
    }
  });

  it('R074 says nothing of the target where an agent died with requests in flight', () => {
    const fate = (): Fate => ({ kind: 'ok', wakeLagNs: 0, waitNs: 0, serviceNs: 2e9 });
    const long = { ...plan, phases: [{ ...phase, durationNs: 20e9 }] };
    const backlogWith = (death?: { agent: number; atNs: number }) =>
      resultOf(syntheticRun({ plan: long, fate, ...(death === undefined ? {} : { death }) })).value.phases[0]?.backlog;
    expect(backlogWith()?.kind).toBe('stable');
    expect(backlogWith({ agent: 1, atNs: 14.3e9 })).toEqual({
      kind: 'not-judged',
      reason: 'an agent or worker was lost during the run',
    });
  });

  it('names an overloaded target in the summary', () => {
    // 400 arrivals a second at a target that answers 300.
    const fate: (arrival: { intendedNs: number }) => Fate = ({ intendedNs }) => ({
      kind: 'ok',
      wakeLagNs: 0,
      waitNs: 0,
      serviceNs: 1_000_000 + Math.floor(intendedNs / 3),
    });
    const { value, summary } = resultOf(syntheticRun({ plan, fate }));
    expect(value.phases[0]?.backlog.kind).toBe('unstable');
    expect(summary).toContain('UNSTABLE target in phase');

    // Stopped: what drains behind the stop, and the time that was planned and never came, are no sign of a target that keeps up.
    const long = { ...plan, phases: [{ ...phase, durationNs: 60e9 }] };
    const end = { kind: 'interrupted', atNs: 12e9, signal: 'SIGINT', abrupt: false } as const;
    const stopped = resultOf(syntheticRun({ plan: long, fate, stopAtNs: 12e9, end })).value.phases[0];
    expect(stopped?.backlog).toMatchObject({ kind: 'unstable', blocks: 12 });
    const early = { ...end, atNs: 4e9 };
    const short = resultOf(syntheticRun({ plan: long, fate, stopAtNs: 4e9, end: early })).value.phases[0];
    expect(short?.backlog).toEqual({ kind: 'not-judged', reason: '4 whole windows, the least is 6' });
  });
});
