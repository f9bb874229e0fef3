import { describe, expect, it } from 'vitest';
import type { AgentReport } from '../../../../shared/metrics/agent-report.ts';
import { createCounterCell } from '../../../../shared/metrics/counters.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { mergeOf } from '../../../support/result-of.ts';
import { syntheticRun } from '../../../support/synthetic-run.ts';

const run = syntheticRun({ plan: createPlan({ ratePerSecond: 100, durationNs: 4e9 }), agents: 2 });
const first = run.reports[0] as AgentReport;

/** The first report with its key or content changed. */
function changed(changes: Partial<AgentReport>, key: Partial<AgentReport['key']> = {}): AgentReport {
  return { ...first, ...changes, key: { ...first.key, ...key } };
}

describe('createRunMerge', () => {
  it('R072 applies a report once, however often it is sent', () => {
    const merge = mergeOf(run, []);
    expect(merge.apply(first)).toEqual({ kind: 'applied' });
    const before = merge.senders[0]?.total();
    expect(merge.apply(first)).toEqual({ kind: 'duplicate' });
    expect(merge.apply(first)).toEqual({ kind: 'duplicate' });
    expect(merge.senders[0]?.total()).toEqual(before);
  });

  it('takes reports in any order and knows when all are here', () => {
    const reports = run.reports.filter((report) => report.key.agentId === 'agent-1');
    const merge = mergeOf(run, [...reports].reverse().slice(0, -1));
    expect(merge.completenessOf('agent-1', 'i1')).toEqual({ kind: 'gap', missing: [1] });
    expect(merge.apply(reports[0] as AgentReport)).toEqual({ kind: 'applied' });
    expect(merge.completenessOf('agent-1', 'i1')).toEqual({ kind: 'complete' });
    expect(merge.completenessOf('agent-2', 'i2')).toEqual({ kind: 'no-final' });
  });

  it('says which counter differs from the sender’s own sums', () => {
    const reports = run.reports.filter((report) => report.key.agentId === 'agent-1');
    const forged = reports.map((report) => {
      if (report.final === null) return report;
      const final = report.final.slice();
      final[2] = (final[2] as number) + 1;
      return { ...report, final };
    });
    const merge = mergeOf(run, forged);
    const received = run.reports.length > 0 ? merge.senders[0]?.total()[2] : undefined;
    expect(merge.completenessOf('agent-1', 'i1')).toEqual({
      kind: 'differs',
      counters: [{ name: 'sent', received, sent: (received as number) + 1 }],
    });
  });

  it.each<[string, AgentReport, RegExp]>([
    ['another run', changed({}, { runId: 'run-2' }), /run run-2/],
    ['another trial', changed({}, { trial: 1 }), /trial 1/],
    ['an unknown incarnation', changed({}, { incarnation: 'i9' }), /incarnation i9/],
    ['number 0', changed({}, { seq: 0 }), /number must be an integer >= 1/],
    [
      'a worker slot of somebody else',
      changed({ workers: [{ slot: 1, decidedThroughNs: 0, state: 'running' }] }),
      /slot 1/,
    ],
    [
      'a negative decidedThroughNs',
      changed({ workers: [{ slot: 0, decidedThroughNs: -1, state: 'running' }] }),
      /decidedThroughNs is -1/,
    ],
    [
      'a phase that is not in the plan',
      changed({ counters: [{ scope: { kind: 'window', phase: 7, window: 0 }, cell: createCounterCell() }] }),
      /phase is 7, must be an integer in 0..0/,
    ],
    [
      'a negative window',
      changed({ counters: [{ scope: { kind: 'window', phase: 0, window: -1 }, cell: createCounterCell() }] }),
      /window is -1/,
    ],
    [
      'a request that is not in the plan',
      changed({ counters: [{ scope: { kind: 'request', phase: 0, request: 'nobody' }, cell: createCounterCell() }] }),
      /"nobody" is not in the plan/,
    ],
    [
      'a short cell',
      changed({ counters: [{ scope: { kind: 'window', phase: 0, window: 0 }, cell: new Float64Array(3) }] }),
      /holds 3 counters/,
    ],
    [
      'a count that is not an integer',
      changed({ counters: [{ scope: { kind: 'window', phase: 0, window: 0 }, cell: createCounterCell().fill(0.5) }] }),
      /counters.decided is 0.5/,
    ],
    ['a final with NaN', changed({ final: createCounterCell().fill(Number.NaN) }), /final.decided is NaN/],
    [
      'a gauge that is not finite',
      changed({ telemetry: [{ window: 0, slot: null, name: 'cpu-share', value: Infinity }] }),
      /cpu-share is Infinity/,
    ],
  ])('R070 rejects a report with %s, whole, and names agent and fault', (_, report, message) => {
    const merge = mergeOf(run, []);
    const outcome = merge.apply(report);
    expect(outcome).toMatchObject({ kind: 'rejected', reason: expect.stringMatching(message) as string });
    expect(outcome).toMatchObject({ reason: expect.stringContaining('agent-1') as string });
    expect(merge.senders[0]?.total()).toEqual(createCounterCell());
    expect(merge.rows.ofPhase(0)).toEqual([]);
    expect(merge.rejections().count).toBe(1);
    // The same report in its right form is still welcome.
    expect(merge.apply(first)).toEqual({ kind: 'applied' });
  });

  it('R070 rejects a report whose last histogram is broken without applying the rest', () => {
    const series = first.series.map((delta, index) =>
      index === first.series.length - 1
        ? { ...delta, samples: { ...delta.samples, buckets: delta.samples.buckets.slice(0, -1) } }
        : delta,
    );
    const merge = mergeOf(run, []);
    expect(merge.apply(changed({ series }))).toMatchObject({ kind: 'rejected' });
    expect(merge.senders[0]?.total()).toEqual(createCounterCell());
    expect(merge.requests()).toEqual([]);
  });

  it('R070 rejects a histogram of another layout', () => {
    const series = first.series.map((delta) => ({ ...delta, samples: { ...delta.samples, layoutId: 2 } }));
    expect(mergeOf(run, []).apply(changed({ series }))).toMatchObject({
      kind: 'rejected',
      reason: expect.stringContaining('layout is 2') as string,
    });
  });

  it('shows the newest window that every agent has reported', () => {
    const upTo = (agent: string, last: number): AgentReport[] =>
      run.reports.filter((report) => report.key.agentId === agent && report.lastWindow <= last);
    const none = mergeOf(run, []).latest();
    expect(none.startNs).toBeNull();
    expect(none.responseP99Ns).toBeNull();
    const latest = mergeOf(run, [...upTo('agent-1', 3), ...upTo('agent-2', 2)]).latest();
    expect(latest.startNs).toBe(1e9);
    expect(latest.scheduled).toBeGreaterThan(50);
    expect(latest.responseP50Ns).toBeGreaterThan(1e6);
    const all = mergeOf(run, run.reports).latest();
    expect(all.inFlight).toBe(0);
  });

  it('does not wait for a silent agent for ever', () => {
    const long = syntheticRun({
      plan: createPlan({ ratePerSecond: 20, durationNs: 10e9 }),
      death: { agent: 1, atNs: 2e9 },
    });
    const latest = mergeOf(
      long,
      long.reports.filter((report) => report.lastWindow < 8),
    ).latest();
    expect(latest.startNs).toBe(6e9);
  });
});
