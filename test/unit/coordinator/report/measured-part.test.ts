import { describe, expect, it } from 'vitest';
import type { Phase } from '../../../../shared/plan/plan.ts';
import { COUNTER } from '../../../../shared/metrics/counters.ts';
import { createPlan, createRequestTemplate } from '../../../support/plan-fixture.ts';
import { resultOf } from '../../../support/result-of.ts';
import { type Fate, steadyFate, syntheticRun } from '../../../support/synthetic-run.ts';

function even(name: string, startNs: number, durationNs: number, ratePerSecond: number, warmup: boolean): Phase {
  const knots = [
    { tSeconds: 0, ratePerSecond },
    { tSeconds: durationNs / 1e9, ratePerSecond },
  ];
  return { name, warmup, startNs, durationNs, arrivals: { kind: 'even', knots } };
}

const phases = [even('warm', 0, 2e9, 5, true), even('load', 2e9, 3e9, 30, false)];
const plan = createPlan({ overrides: { phases } });

describe('the measured part', () => {
  it('R066 leaves out warm-up by intended instant, however late its requests end', () => {
    // The first 10 requests take 40 s and end long after the warm-up did.
    const fate = (arrival: { phase: number }): Fate => ({
      kind: 'ok',
      wakeLagNs: 0,
      waitNs: 0,
      serviceNs: arrival.phase === 0 ? 40e9 : 1_400_000,
    });
    const { value } = resultOf(syntheticRun({ plan, fate }));
    expect(value.metrics['response']?.count).toBe(90);
    expect(value.metrics['response']?.max).toBe(1_400_000);
    expect(value.phases[0]?.metrics['response']).toMatchObject({ count: 10, min: 40e9 });
    expect(value.measured.accounting.scheduled).toBe(90);
    expect(value.accounting.scheduled).toBe(100);
    expect(value.measured).toMatchObject({ phases: ['load'], lengthNs: 3e9 });
    // Seen at their end: the late ones stand in windows of their own phase.
    const late = value.windows.filter((window) => window.phase === 'warm' && window.startNs >= 40e9);
    expect(late.reduce((sum, window) => sum + window.ok, 0)).toBe(10);
  });

  it('gives rates over the scheduled length of the measured phases', () => {
    const { value } = resultOf(syntheticRun({ plan }));
    expect(value.rate).toEqual({ intendedPerSecond: 30, sentPerSecond: 30, okPerSecond: 30 });
    expect(value.phases[0]?.rate.intendedPerSecond).toBe(5);
  });

  it('says of windows how long their phase was on in them, so that the last one shows no drop of the rate', () => {
    const halves = [even('warm', 0, 1.5e9, 40, true), even('load', 1.5e9, 2e9, 100, false)];
    const run = { plan: createPlan({ overrides: { phases: halves } }) };
    const late = (): Fate => ({ kind: 'ok', wakeLagNs: 0, waitNs: 0, serviceNs: 1e9 });
    const { value, files } = resultOf(syntheticRun({ ...run, fate: late }));
    const rows = value.windows.map(({ phase, startNs, phaseNs }) => [phase, startNs / 1e9, phaseNs]);
    expect(rows).toEqual([
      ['warm', 0, 1e9],
      ['warm', 1, 0.5e9],
      ['warm', 2, 0],
      ['load', 1, 0.5e9],
      ['load', 2, 1e9],
      ['load', 3, 0.5e9],
      ['load', 4, 0],
    ]);
    const perSecond = value.windows.flatMap(({ scheduled, phaseNs }) =>
      phaseNs === null || phaseNs === 0 ? [] : scheduled / (phaseNs / 1e9),
    );
    expect(perSecond).toEqual([40, 40, 100, 100, 100]);
    const [head = '', ...lines] = (files.get('windows.csv') ?? '').trimEnd().split('\r\n');
    const column = head.split(',').indexOf('phase_ns');
    const cells = lines.map((line) => line.split(',')[column]);
    expect(cells).toEqual([...value.windows.map(({ phaseNs }) => String(phaseNs)), '', '', '', '']);

    const stopped = { kind: 'interrupted', atNs: 2.25e9, signal: 'SIGINT', abrupt: false } as const;
    const cut = resultOf(syntheticRun({ ...run, stopAtNs: 2.25e9, end: stopped })).value.windows;
    expect(cut.filter(({ phase }) => phase === 'load').map(({ phaseNs }) => phaseNs)).toEqual([0.5e9, 0.25e9]);
  });

  it('has no time of a phase in its windows where it has no length', () => {
    const arrivals = { kind: 'all-at-once', count: 5 } as const;
    const atOnce = { name: 'all', warmup: false, startNs: 0, durationNs: 0, arrivals };
    const { value } = resultOf(syntheticRun({ plan: createPlan({ overrides: { phases: [atOnce] } }) }));
    expect(value.windows.map(({ phaseNs }) => phaseNs)).toEqual([null]);
  });

  it('shows the same totals in phases, windows, agents, request names and files', () => {
    const requests = [
      createRequestTemplate({ name: 'a', url: 'http://127.0.0.1:9/a' }),
      createRequestTemplate({ name: 'b', url: 'http://127.0.0.1:9/b', weight: 3 }),
    ];
    const run = syntheticRun({
      plan: createPlan({ overrides: { phases, requests } }),
      agents: 3,
      fate: (arrival, random) =>
        random.below(5) === 0 ? { kind: 'dropped', reason: 'late' } : steadyFate(arrival, random),
      template: ({ index }) => (index % 4 === 0 ? 0 : 1),
    });
    const { value, files } = resultOf(run);
    const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);
    expect(sum(value.windows.map((window) => window.sent))).toBe(value.accounting.sent);
    expect(sum(value.windows.map((window) => window.scheduled))).toBe(value.accounting.scheduled);
    expect(sum(value.windows.map((window) => window.dropped))).toBe(value.accounting.dropped.late);
    expect(sum(value.phases.map((phase) => phase.accounting.ok))).toBe(value.accounting.ok);
    expect(sum(value.agents.map((agent) => agent.accounting.scheduled))).toBe(value.accounting.scheduled);
    expect(sum(value.workload.map((request) => request.accounting.ok))).toBe(value.measured.accounting.ok);
    expect(sum(value.workload.map((request) => request.metrics['response']?.count ?? 0))).toBe(
      value.metrics['response']?.count,
    );
    const last = (files.get('windows.csv') ?? '').trimEnd().split('\r\n').at(-1)?.split(',');
    expect(last?.slice(4, 7)).toEqual(
      [value.accounting.scheduled, value.accounting.attempted, value.accounting.sent].map(String),
    );
    expect(value.workload.map((request) => [request.name, request.weightShare])).toEqual([
      ['a', 0.25],
      ['b', 0.75],
    ]);
  });

  it('R062 shows clamped samples and degrades the run', () => {
    const run = syntheticRun({ plan, agents: 1 });
    const reports = run.reports.map((report) => {
      const bump = (cell: Float64Array): Float64Array => {
        const copy = cell.slice();
        copy[COUNTER.overflow] = 3;
        return copy;
      };
      if (report.final !== null) return { ...report, final: bump(report.final) };
      if (report.key.seq !== 2) return report;
      const counters = report.counters.map((delta, index) =>
        index === 0 ? { ...delta, cell: bump(delta.cell) } : delta,
      );
      return { ...report, counters };
    });
    const { value } = resultOf(run, { reports });
    expect(value.verdict.status).toBe('degraded');
    expect(value.verdict.reasons.join()).toContain('3 samples were outside the histogram');
  });

  it('R095 a request name that workers had no room for is shown as other', () => {
    const requests = ['request', 'second'].map((name, place) => ({
      ...createPlan().requests[0]!,
      name,
      weight: 1 - place / 2,
    }));
    const run = syntheticRun({ plan: { ...plan, requests }, agents: 1 });
    const reports = run.reports.map((report) => ({
      ...report,
      counters: report.counters.map((delta) =>
        delta.scope.kind === 'request' ? { ...delta, scope: { ...delta.scope, request: 'other' } } : delta,
      ),
      warnings: report.key.seq === 1 ? ['more than 128 series of request names'] : [],
    }));
    const { value, summary } = resultOf(run, { reports });
    expect(value.workload.map((request) => [request.name, request.weightShare, request.accounting.ok])).toEqual([
      ['request', 2 / 3, 0],
      ['second', 1 / 3, 0],
      ['other', null, 90],
    ]);
    expect(value.warnings).toEqual(['agent-1: more than 128 series of request names']);
    expect(summary).toContain('more than 128 series');
  });
});
