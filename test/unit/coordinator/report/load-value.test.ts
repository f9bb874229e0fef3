import { describe, expect, it } from 'vitest';
import { emptyAccounting } from '../../../../coordinator/merge/accounting.ts';
import { ScopeTotals } from '../../../../coordinator/merge/scope-totals.ts';
import { partEvidence } from '../../../../coordinator/report/harness-evidence.ts';
import type { ResultValue } from '../../../../coordinator/report/result-value.ts';
import { ScopeData } from '../../../../coordinator/report/scope-data.ts';
import { closedSlotsOf } from '../../../../coordinator/verdict/closed-slots.ts';
import { readDecodedSparse } from '../../../../shared/histogram/sparse-form.ts';
import { encodeSparse } from '../../../../shared/histogram/sparse-histogram.ts';
import { COUNTER } from '../../../../shared/metrics/counters.ts';
import type { MetricId } from '../../../../shared/metrics/metric.ts';
import type { ClosedLaw } from '../../../../shared/schedule/arrival-law.ts';
import type { Phase, Plan } from '../../../../shared/plan/plan.ts';
import { blockOf } from '../../../support/histogram-of.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { checkedResult, mergeOf, resultOf } from '../../../support/result-of.ts';
import { type SyntheticOptions, syntheticRun, type SyntheticRun } from '../../../support/synthetic-run.ts';

const LAW: ClosedLaw = { kind: 'closed', concurrency: 8, thinkNs: 2_000_000, count: null };

/** What an open run's agents would have reported, had the same requests been those of a closed loop. */
function closedRun(options: Omit<SyntheticOptions, 'plan'> = {}, phases: 'all' | 'first' = 'all'): SyntheticRun {
  const open = createPlan({ ratePerSecond: 200, durationNs: 2e9 });
  const [first] = open.phases as [Phase];
  const second = { ...first, name: 'second', startNs: 2e9 };
  const plan: Plan = { ...open, phases: phases === 'all' ? [first] : [first, second] };
  const run = syntheticRun({ ...options, plan });
  const isClosed = (phase: number): boolean => phases === 'all' || phase === 0;
  const reports = run.reports.map((report) => {
    const counters = report.counters.map(({ scope, cell }) => {
      const changed = cell.slice();
      if (isClosed(scope.phase)) changed[COUNTER.issued] = cell[COUNTER.decided] as number;
      return { scope, cell: changed };
    });
    // A worker plans nothing in a closed loop, so it has no bins there.
    const fidelity = report.fidelity.map((window) => ({
      ...window,
      phases: window.phases.filter(({ phase }) => !isClosed(phase)),
    }));
    const { final } = report;
    if (final === null) return { ...report, counters, fidelity };
    const sum = final.slice();
    for (const { scope, cell } of run.reports
      .filter(({ key }) => key.agentId === report.key.agentId)
      .flatMap((one) => one.counters)) {
      if (scope.kind === 'window' && isClosed(scope.phase))
        sum[COUNTER.issued] = (sum[COUNTER.issued] as number) + (cell[COUNTER.decided] as number);
    }
    return { ...report, counters, fidelity, final: sum };
  });
  const closed = plan.phases.map((phase, index) => (isClosed(index) ? { ...phase, arrivals: LAW } : phase));
  return { ...run, record: { ...run.record, plan: { ...plan, phases: closed } }, reports };
}

function gateOf(value: ResultValue, name: string) {
  return value.verdict.gates.find((gate) => gate.name === name);
}

describe('the result of a closed loop', () => {
  it('balances, with everything scheduled issued, and names its mode', () => {
    const { value, summary } = resultOf(closedRun());
    expect(value.verdict.gates.find(({ name }) => name === 'books-balance')?.kind).toBe('pass');
    expect(value.accounting.scheduled).toBeGreaterThan(300);
    expect(value.accounting.issued).toBe(value.accounting.scheduled);
    expect(value.phases[0]).toMatchObject({ mode: 'closed-loop', closed: { concurrency: 8, count: null } });
    expect(value.phases[0]?.notShown).toMatch(/queueing/);
    expect(summary).toMatch(/closed-loop does not show queueing or overload/);
  });

  it('tells its throughput by slots / (response + think)', () => {
    const { value } = resultOf(closedRun());
    const mean = value.metrics['response']?.mean ?? Number.NaN;
    expect(value.phases[0]?.closed?.cyclesPerSecond).toBeCloseTo(8e9 / (mean + LAW.thinkNs), 6);
  });

  it('does not measure the gates that need a schedule, with the reason, and still judges our own delay', () => {
    const { value } = resultOf(closedRun());
    for (const name of ['sent-share', 'send-fidelity', 'backlog', 'certified-rate'])
      expect(gateOf(value, name)?.kind, name).toBe('not-measured');
    expect(gateOf(value, 'sent-share')?.reason).toMatch(/closed loop/);
    for (const name of ['wake-lag', 'lag-share']) expect(gateOf(value, name)?.kind, name).not.toBe('not-measured');
  });

  it('judges a mixed run on its arrivals of a schedule', () => {
    const refused = { kind: 'dropped', reason: 'max-in-flight' } as const;
    const ok = { kind: 'ok', wakeLagNs: 10_000, waitNs: 0, serviceNs: 5e6 } as const;
    const { value } = resultOf(
      closedRun({ fate: (arrival) => (arrival.phase === 1 && arrival.rank % 2 === 0 ? refused : ok) }, 'first'),
    );
    expect(value.phases.map(({ mode }) => mode)).toEqual(['closed-loop', 'server']);
    // About a quarter of all, but half of the schedule's, was never sent.
    expect(gateOf(value, 'sent-share')).toMatchObject({ kind: 'fail' });
    expect(gateOf(value, 'sent-share')?.measured).toBeLessThan(0.6);
  });

  it('says that the slots of a lost agent fell silent, and counts nothing as lost', () => {
    const run = closedRun({ death: { agent: 1, atNs: 1e9 } });
    const { value } = checkedResult(run.record, mergeOf(run, run.reports));
    expect(value.accounting.lost).toBe(0);
    expect(value.phases[0]?.closed?.cyclesPerSecond).toBeNull();
    expect(gateOf(value, 'books-balance')?.kind).toBe('pass');
    expect(gateOf(value, 'members-lost')?.reason).toMatch(/4 of the 8 slots of phase load sent nothing more/);
  });

  it('deals slots over workers by c mod W', () => {
    expect([0, 1, 2].map((worker) => closedSlotsOf(8, { own: [worker], all: 3 }))).toEqual([3, 3, 2]);
    expect(closedSlotsOf(2, { own: [2, 3], all: 4 })).toBe(0);
  });
});

describe('the result of everything at once', () => {
  it('tells how fast the work got done, since it has no rate', () => {
    const base = createPlan({ durationNs: 1e9 });
    const [first] = base.phases as [Phase];
    const plan = {
      ...base,
      slo: [{ metric: 'response', maxNs: 3600e9 } as const],
      phases: [{ ...first, durationNs: 0, arrivals: { kind: 'all-at-once', count: 50 } as const }],
    };
    const { value, summary } = resultOf(syntheticRun({ plan, agents: 1 }));
    const [phase] = value.phases;
    expect(phase?.mode).toBe('offline');
    expect(value.rate.okPerSecond).toBeNull();
    expect(phase?.offline?.lengthNs).toBe(phase?.metrics['response']?.max);
    expect(phase?.offline?.okPerSecond).toBeCloseTo(50e9 / (phase?.offline?.lengthNs ?? Number.NaN), 6);
    expect(value.slo?.goodputPerSecond).toBeCloseTo(phase?.offline?.okPerSecond ?? Number.NaN, 6);
    expect(summary).toMatch(/offline: 50 ok in .*\n +offline does not show the response time of users/);
  });

  it('beside a phase with a length makes the rate of both unknown: its arrivals were not spread over that length', () => {
    const base = createPlan({ ratePerSecond: 10, durationNs: 10e9 });
    const [first] = base.phases as [Phase];
    const batch = { ...first, name: 'batch', durationNs: 0, arrivals: { kind: 'all-at-once', count: 5000 } as const };
    const withBatch = (warmup: boolean) =>
      resultOf(syntheticRun({ plan: { ...base, phases: [{ ...batch, warmup }, first] }, agents: 1 })).value;
    // 5100 requests over the 10 s of the other phase were 510/s.
    const unknown = { intendedPerSecond: null, sentPerSecond: null, okPerSecond: null };
    expect(withBatch(false).rate).toEqual(unknown);
    expect(withBatch(false).phases[1]?.rate.okPerSecond).toBeCloseTo(10, -1);
    expect(withBatch(true).rate.okPerSecond).toBeCloseTo(10, -1);
  });

  it('does not take the wait below the caps for our own, as it does where a schedule is held up', () => {
    const totals = new ScopeTotals(65_536);
    const add = (metric: MetricId, ns: number): void =>
      totals.addSeries(metric, 'ok', readDecodedSparse(encodeSparse(blockOf([ns, ns]))));
    add('response', 100e6);
    add('waitQueue', 80e6);
    const data = new ScopeData({ ...emptyAccounting(), scheduled: 2, attempted: 2, ok: 2 }, totals, 0);
    const [open] = createPlan().phases as [Phase];
    const batch = { ...open, durationNs: 0, arrivals: { kind: 'all-at-once', count: 2 } as const };
    expect(partEvidence(data, [batch], [])).toMatchObject({ waits: { queued: 0 }, times: { ownWaitNs: 0 } });
    const held = partEvidence(data, [batch, open], []);
    expect(held.waits.queued).toBe(2);
    expect(held.times.ownWaitNs).toBeGreaterThan(150e6);
  });
});
