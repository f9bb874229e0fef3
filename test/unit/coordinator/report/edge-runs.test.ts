/** Runs in which something is missing: each still gets a full report that keeps to its schema, with nulls and never NaN (R093). */
import { describe, expect, it } from 'vitest';
import type { ResultValue } from '../../../../coordinator/report/result-value.ts';
import { buildRunResult } from '../../../../coordinator/report/run-result.ts';
import { createRunMerge } from '../../../../coordinator/merge/run-merge.ts';
import type { RunRecord } from '../../../../coordinator/run/run-record.ts';
import type { Phase, Plan, Threshold } from '../../../../shared/plan/plan.ts';
import { createPlan, createRequestTemplate } from '../../../support/plan-fixture.ts';
import { checkedResult, mergeOf, resultOf } from '../../../support/result-of.ts';
import { traceOf } from '../../../support/schedule-of.ts';
import { type Fate, steadyFate, syntheticRun } from '../../../support/synthetic-run.ts';

const p99Below200ms: Threshold = {
  text: 'p99(response)<200ms',
  statistic: { kind: 'percentile', percentile: 99, metric: 'response' },
  comparison: '<',
  bound: 200_000_000,
};

function planWith(ratePerSecond: number, overrides: Partial<Plan> = {}): Plan {
  return createPlan({ ratePerSecond, durationNs: 3e9, overrides: { thresholds: [p99Below200ms], ...overrides } });
}

const refused: Fate = {
  kind: 'failed',
  class: 'connect-refused',
  detail: 'connect refused',
  wakeLagNs: 20_000,
  serviceNs: null,
};
const unavailable: Fate = {
  kind: 'failed',
  class: 'http-status',
  detail: '503',
  wakeLagNs: 20_000,
  serviceNs: 9_000_000,
};
const dropped: Fate = { kind: 'dropped', reason: 'max-in-flight' };

/** All numbers of a summary of no samples. */
function expectNoSamples(value: ResultValue): void {
  const response = value.metrics['response'];
  expect(response?.count).toBe(0);
  expect([response?.min, response?.max, response?.mean]).toEqual([null, null, null]);
  expect(Object.values(response?.percentiles ?? {}).every((one) => one === null)).toBe(true);
}

describe('the summary', () => {
  it('R035 names the proxy that a run went through, without its password, and none otherwise', () => {
    const through = (proxy: string): string => {
      const base = planWith(10);
      return resultOf(syntheticRun({ plan: { ...base, target: { ...base.target, proxy } } })).summary;
    };
    expect(through('http://user:secret@10.0.0.9:3128')).toContain(
      'all requests went through the proxy http://10.0.0.9:3128\n',
    );
    expect(through('http://user:secret@10.0.0.9:3128')).not.toContain('secret');
    expect(through('direct')).not.toContain('proxy');
  });

  it('says how many warnings and failure texts it leaves out', () => {
    const warnings = Array.from({ length: 13 }, (_, index) => `plan warning ${index}`);
    const { summary, value } = resultOf(syntheticRun({ plan: planWith(10) }), { record: { warnings } });
    expect(value.warnings.length).toBeGreaterThanOrEqual(13);
    expect(summary).toContain(`  and ${value.warnings.length - 10} more in result.json\n`);
  });
});

describe('a run with something missing', () => {
  it('R093 R098 R099 refused by the target: nulls, no data, nothing ok', () => {
    const { value, outcome, summary } = resultOf(syntheticRun({ plan: planWith(100), fate: () => refused }));
    expectNoSamples(value);
    expect(value.accounting.failed['connect-refused']).toBe(value.accounting.scheduled);
    expect(value.accounting.sent).toBe(0);
    expect(value.failureShare).toBe(1);
    expect(value.responseWithFailures.percentiles['50']).toBeNull();
    expect(value.thresholds[0]).toMatchObject({ result: 'no-data', measured: null, samples: 0 });
    // The harness did its part: nothing could be sent, which is never valid, but the fault is not ours.
    expect(value.verdict.status).toBe('degraded');
    expect(outcome).toMatchObject({ kind: 'nothing-ok', exitCode: 1 });
    expect(summary).toContain('connect-refused');
    expect(summary).toMatch(/response +- +- +- +- +- +- +0/);
  });

  it('R098 R099 every request answered 503: the threshold has no data and the run fails', () => {
    const { value, outcome } = resultOf(syntheticRun({ plan: planWith(100), fate: () => unavailable }));
    expectNoSamples(value);
    expect(value.metricsFailed['response']?.count).toBe(value.accounting.attempted);
    expect(value.thresholds[0]?.result).toBe('no-data');
    expect(value.verdict.status).toBe('valid');
    expect(outcome.exitCode).toBe(1);
    expect(outcome.kind).toBe('nothing-ok');
    expect(outcome.reasons.some((reason) => reason.startsWith('threshold without data'))).toBe(true);
  });

  it('R093 R005 every arrival dropped: 0 sent is invalid', () => {
    const { value, outcome } = resultOf(syntheticRun({ plan: planWith(100), fate: () => dropped }));
    expectNoSamples(value);
    expect(value.accounting.dropped['max-in-flight']).toBe(value.accounting.scheduled);
    expect(value.failureShare).toBe(1);
    expect(value.verdict.status).toBe('invalid');
    expect(outcome).toMatchObject({ kind: 'verdict-failed', exitCode: 3 });
  });

  it('R093 R099 a plan of rate 0: nothing was planned, and that is not a success', () => {
    const { value, outcome } = resultOf(syntheticRun({ plan: planWith(0) }));
    expectNoSamples(value);
    expect(value.accounting.scheduled).toBe(0);
    expect(value.failureShare).toBeNull();
    expect(value.rate).toEqual({ intendedPerSecond: 0, sentPerSecond: 0, okPerSecond: 0 });
    expect(value.verdict.status).toBe('degraded');
    expect(value.verdict.reasons).toEqual(['nothing was measured: the plan has no arrival']);
    expect(outcome).toMatchObject({ kind: 'nothing-planned', exitCode: 1 });
  });

  it('R093 one success among failures', () => {
    let count = 0;
    const plan = planWith(50);
    const run = syntheticRun({
      plan,
      agents: 1,
      fate: (arrival, random) => {
        count += 1;
        return count === 7 ? steadyFate(arrival, random) : unavailable;
      },
    });
    const { value } = resultOf(run);
    const response = value.metrics['response'];
    expect(response?.count).toBe(1);
    expect(response?.percentiles['50']).toBe(response?.max);
    expect(response?.fewSamples).toEqual(['50', '90', '95', '99', '99.9', '99.99']);
    expect(value.thresholds[0]).toMatchObject({ result: 'pass', samples: 1 });
    expect(value.thresholds[0]?.reason).toContain('few samples');
  });

  it('R093 shows the p99 of a few samples in no table, and explains each mark that stands for one', () => {
    const url = 'http://127.0.0.1:9/';
    const requests = [createRequestTemplate({ name: 'a', url }), createRequestTemplate({ name: 'b', url })];
    const [phase] = planWith(20).phases;
    const phases = [phase, { ...phase, name: 'later', startNs: 3e9 }] as readonly Phase[];
    const { value, summary } = resultOf(syntheticRun({ plan: planWith(20, { requests, phases }), agents: 1 }));
    expect(value.metrics['response']?.count).toBeLessThan(200);
    const sections = summary.split('\n\n');
    for (const start of ['times of ok', '  phase ', '  request ', '  agent ']) {
      const table = sections.find((section) => section.startsWith(start));
      expect(table, start).toMatch(/ \*(?: |$)/m);
      expect(table, start).toMatch(/^ {2}\* few samples/m);
    }
  });

  it('R093 explains the mark where nothing was ok', () => {
    const { summary } = resultOf(syntheticRun({ plan: planWith(50), fate: () => unavailable }));
    expect(summary).toMatch(/response, failed .* \* /);
    expect(summary).toMatch(/^ {2}\* few samples: not enough samples for p99, p99\.9/m);
  });

  it('a run that failed while arming', () => {
    const plan = planWith(100);
    const record: RunRecord = {
      ...syntheticRun({ plan }).record,
      durationNs: 0,
      agents: [],
      workerSlots: 0,
      end: { kind: 'failed', atNs: null, reason: 'no agent joined within 30 s' },
    };
    const merge = createRunMerge({ runId: record.runId, trial: 0, plan, slots: [] });
    const { value, outcome, summary } = checkedResult(record, merge);
    expectNoSamples(value);
    expect(value.accounting.cancelled).toBe(value.accounting.scheduled);
    expect(value.accounting.scheduled).toBeGreaterThan(200);
    expect(value.agents).toEqual([]);
    expect(value.measured.ranNs).toBe(0);
    expect(value.verdict.status).toBe('invalid');
    expect(outcome).toMatchObject({ kind: 'run-failed', exitCode: 4 });
    expect(summary).toContain('no agent joined within 30 s');
  });

  it('agents that armed but were never started have nothing to be incomplete about', () => {
    const run = syntheticRun({ plan: planWith(100) });
    const record: RunRecord = {
      ...run.record,
      end: { kind: 'failed', atNs: null, reason: 'agent-2 refused the plan' },
    };
    const { value } = resultOf({ ...run, record }, { reports: [] });
    expect(value.verdict.reasons).toHaveLength(2);
    expect(value.verdict.reasons[0]).toContain('agent-2 refused the plan');
    expect(value.verdict.gates.find((gate) => gate.name === 'reports-complete')?.kind).toBe('pass');
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('R100 interrupted by %s: a full report that says when, exit %i', (signal, exitCode) => {
    const end = { kind: 'interrupted', atNs: 1_500_000_000, signal, abrupt: false } as const;
    const { value, outcome, summary } = resultOf(syntheticRun({ plan: planWith(100), stopAtNs: 1.5e9, end }));
    expect(value.run.end).toEqual({ kind: 'interrupted', atNs: 1_500_000_000, reason: signal, abrupt: false });
    expect(value.accounting.cancelled).toBeGreaterThan(80);
    // What was cancelled never fell due: the harness is not to blame for it.
    expect(value.verdict.status).toBe('valid');
    expect(outcome).toMatchObject({ kind: 'interrupted', exitCode });
    expect(summary).toContain('INTERRUPTED at 1.5 s');
    // Stopped at half of 3 s: the rate of the load that ran stands beside the one over all that was planned.
    const { measured, rate } = value;
    expect([measured.lengthNs, measured.ranNs]).toEqual([3e9, 1.5e9]);
    expect(rate.sentPerSecond).toBe(measured.accounting.sent / 3);
    const ran = `${(measured.accounting.sent / 1.5).toFixed(measured.accounting.sent >= 150 ? 1 : 3)}/s in the 1.5 s until it was stopped`;
    expect(summary).toMatch(new RegExp(`^ {2}sent .*100\\.00 % of what fell due, ${ran}$`, 'm'));
    expect(summary).toMatch(new RegExp(`^ {2}ok .*/s {2,}${ran}$`, 'm'));
  });

  it('R100 a second signal leaves a report of what had arrived', () => {
    const end = { kind: 'interrupted', atNs: 1_500_000_000, signal: 'SIGINT', abrupt: true } as const;
    const run = syntheticRun({ plan: planWith(100), stopAtNs: 1.5e9, end });
    const { value, outcome } = resultOf(run, { reports: run.reports.filter((report) => report.lastWindow < 1) });
    expect(value.accounting.cancelled).toBeGreaterThan(150);
    expect(value.verdict.status).toBe('degraded');
    expect(value.agents.map((agent) => agent.reports)).toEqual(['no-final', 'no-final']);
    expect(outcome.exitCode).toBe(130);
  });

  it('an all-at-once phase has no length, and so no rates', () => {
    const burst: Phase = {
      name: 'burst',
      warmup: false,
      startNs: 0,
      durationNs: 0,
      arrivals: { kind: 'all-at-once', count: 500 },
    };
    const { value } = resultOf(syntheticRun({ plan: planWith(1, { phases: [burst] }) }));
    expect(value.accounting.ok).toBe(500);
    expect(value.rate).toEqual({ intendedPerSecond: null, sentPerSecond: null, okPerSecond: null });
  });

  it('giltene/wrk2#138 a trace of one instant has no rate either: its 1 ns would make it billions a second', () => {
    const { law, blobs } = traceOf([0, 0, 0]);
    const atOnce: Phase = {
      name: 'trace',
      warmup: false,
      startNs: 0,
      durationNs: 1,
      arrivals: { kind: 'all-at-once', count: 3 },
    };
    const run = syntheticRun({ plan: planWith(1, { phases: [atOnce], slo: [{ metric: 'response', maxNs: 3600e9 }] }) });
    const plan = { ...run.record.plan, phases: [{ ...atOnce, arrivals: law }] };
    const { value } = buildRunResult({ ...run.record, plan }, mergeOf(run, run.reports), blobs);
    expect(value.accounting).toMatchObject({ scheduled: 3, ok: 3 });
    for (const { rate } of [value, value.phases[0]!])
      expect(rate).toEqual({ intendedPerSecond: null, sentPerSecond: null, okPerSecond: null });
    expect(value.slo?.goodputPerSecond ?? Number.NaN).toBeLessThan(1e6);
  });

  it('a plan of warm-up only measures nothing and says so', () => {
    const phases = [{ ...(planWith(100).phases[0] as Phase), warmup: true }];
    const { value, outcome } = resultOf(syntheticRun({ plan: planWith(100, { phases }) }));
    expectNoSamples(value);
    expect(value.accounting.ok).toBeGreaterThan(200);
    expect(value.measured).toMatchObject({ phases: [], lengthNs: 0 });
    expect(value.verdict.reasons).toEqual(['nothing was measured: no request was attempted in the measured phases']);
    expect(outcome.exitCode).toBe(1);
  });

  it('a seed above 2^53 is text, one below is a number', () => {
    const seeds = [42n, 2n ** 64n - 1n].map(
      (seed) => resultOf(syntheticRun({ plan: planWith(10, { seed }) })).value.run.seed,
    );
    expect(seeds).toEqual([42, '18446744073709551615']);
  });
});

describe('R060 the books of a request name', () => {
  it('R060 balance when an agent dies with requests open: they are unfinished there too', () => {
    const slow: Fate = { kind: 'ok', wakeLagNs: 20_000, waitNs: 0, serviceNs: 1_200_000_000 };
    const run = syntheticRun({ plan: planWith(100), fate: () => slow, death: { agent: 1, atNs: 2_000_000_000 } });
    const { workload, measured } = resultOf(run).value;
    const books = workload[0]?.accounting;
    const failed = Object.values(books?.failed ?? {}).reduce((sum, count) => sum + count, 0);
    expect(books?.unfinished).toBeGreaterThan(10);
    expect(books?.unfinished).toBe(measured.accounting.unfinished);
    expect(books?.attempted).toBe((books?.ok ?? 0) + failed + (books?.unfinished ?? 0));
  });

  it('R060 that a dead agent never reported are missed aloud, and only there', () => {
    const requests = ['read', 'write'].map((name) => createRequestTemplate({ name, url: 'http://127.0.0.1:9/' }));
    const run = syntheticRun({
      plan: planWith(100, { requests }),
      template: ({ rank }) => rank % 2,
      death: { agent: 1, atNs: 2_000_000_000 },
    });
    const whole = resultOf(run).value;
    expect(whole.warnings).toEqual([]);
    // Names go by the ten seconds: the dead agent's had not been sent.
    const reports = run.reports.map((report) =>
      report.key.agentId === 'agent-2'
        ? {
            ...report,
            counters: report.counters.filter(({ scope }) => scope.kind === 'window'),
            series: report.series.filter(({ scope }) => scope.kind === 'window'),
          }
        : report,
    );
    const { workload, measured, warnings } = resultOf(run, { reports }).value;
    expect(measured.accounting).toEqual(whole.measured.accounting);
    const named = workload.reduce((sum, { accounting }) => sum + accounting.attempted, 0);
    const missing = measured.accounting.attempted - named;
    expect(missing).toBeGreaterThan(50);
    expect(warnings).toEqual([expect.stringMatching(`^${missing} of .* by request name`)]);
  });
});
