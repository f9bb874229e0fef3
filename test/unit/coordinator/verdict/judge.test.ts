import { describe, expect, it } from 'vitest';
import { judge, type Evidence } from '../../../../coordinator/verdict/judge.ts';
import { GATES } from '../../../../coordinator/verdict/thresholds-table.ts';
import { type Accounting, emptyAccounting } from '../../../../coordinator/merge/accounting.ts';
import type { AgentRecord } from '../../../../coordinator/run/run-record.ts';
import type { Gate } from '../../../../coordinator/verdict/verdict.ts';
import { cleanHarness } from '../../../support/clean-harness.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { histogramOf } from '../../../support/histogram-of.ts';
import { syntheticRun } from '../../../support/synthetic-run.ts';

const { record } = syntheticRun({ plan: createPlan({ ratePerSecond: 10 }), agents: 2 });
const whole: Accounting = { ...emptyAccounting(), scheduled: 1000, attempted: 1000, sent: 1000, ok: 1000 };

const check = {
  kind: 'made',
  ratePerSecond: 100,
  workers: 1,
  floorP50Ns: 210_000,
  floorP99Ns: 400_000,
  level: 'pass',
  isCarried: true,
} as const;

function evidence(changes: Partial<Evidence> = {}): Evidence {
  return {
    record,
    books: { total: whole, phases: [whole], agents: [], violations: [] },
    measured: whole,
    arrivals: changes.measured ?? whole,
    heldBack: 0,
    sentAfter: 0,
    senders: [
      { agentId: 'agent-1', incarnation: 'i1', completeness: { kind: 'complete' } },
      { agentId: 'agent-2', incarnation: 'i2', completeness: { kind: 'complete' } },
    ],
    lostSlots: [],
    rejections: { reasons: [], count: 0 },
    wakeLag: histogramOf([50_000, 60_000]),
    service: histogramOf([10_000_000, 10_000_000]),
    overflow: 0,
    excess: [
      { metric: 'response', percentage: 99, bound: { measured: 10e6, excess: 50_000, share: 0.005, alpha: 0.001 } },
    ],
    harness: cleanHarness(),
    tokenCounts: {
      byUsage: 10,
      byChunks: 0,
      mismatches: 0,
      tokensInChunks: 80,
      chunks: 80,
      tokenizer: { answers: 0, tokens: 0, otherwise: 0 },
    },
    recheck: { before: check, after: check, calibratedFloorP50Ns: 200_000 },
    planned: { ratePerSecond: 100, certified: { kind: 'certified', ratePerSecond: 1000, client: 'wire' } },
    ...changes,
  };
}

function gate(changes: Partial<Evidence>, name: string): Gate {
  const found = judge(evidence(changes)).gates.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no gate ${name}`);
  return found;
}

function withAgents(change: (agent: AgentRecord, index: number) => AgentRecord): Partial<Evidence> {
  return { record: { ...record, agents: record.agents.map(change) } };
}

describe('judge', () => {
  it('calls a clean run valid and lists what was not measured by name', () => {
    const verdict = judge(evidence());
    expect(verdict).toMatchObject({ status: 'valid', reasons: [] });
    const notMeasured = verdict.gates.filter((one) => one.kind === 'not-measured').map((one) => one.name);
    expect(notMeasured).toEqual(['network-card']);
    const passed = verdict.gates.filter((one) => one.kind === 'pass').map((one) => one.name);
    expect([...passed, ...notMeasured].sort()).toEqual(Object.keys(GATES).sort());
  });

  it('names the broken rule of the books and is invalid', () => {
    const violations = ['agent a: scheduled 5, but ... = 4', 'run: scheduled 5, but ... = 4'];
    const verdict = judge(evidence({ books: { total: whole, phases: [whole], agents: [], violations } }));
    expect(verdict.status).toBe('invalid');
    expect(verdict.reasons[0]).toContain('run: scheduled 5, but ... = 4');
  });

  it.each([
    [990, 'pass'],
    [989, 'fail'],
  ] as const)('R005 %i of 1000 sent, the rest dropped: %s', (sent, kind) => {
    const measured = { ...whole, attempted: sent, sent, ok: sent, dropped: { ...whole.dropped, late: 1000 - sent } };
    const found = gate({ measured }, 'sent-share');
    expect(found).toMatchObject({ kind, measured: sent / 1000, limit: 0.99 });
    if (kind === 'fail') expect(found.reason).toContain('generator-limited');
  });

  it('R005 is degraded, not invalid, where the target refused attempts that were on time', () => {
    const measured = { ...whole, sent: 0, ok: 0, failed: { ...whole.failed, 'connect-refused': 1000 } };
    expect(gate({ measured }, 'sent-share')).toMatchObject({ kind: 'warn', measured: 0 });
  });

  it('R005 is invalid where a limit of the plan held attempts back until they were given up', () => {
    const measured = { ...whole, sent: 130, ok: 130, unfinished: 870 };
    const found = gate({ measured, heldBack: 870 }, 'sent-share');
    expect(found).toMatchObject({ kind: 'fail', measured: 0.13 });
    expect(found.reason).toContain('870 were held back by limits of the plan');
    expect(gate({ measured }, 'sent-share').kind).toBe('warn');
    // A target that answers no attempt to connect: nobody was ahead of those that waited for a connection.
    const dead = { ...whole, sent: 0, ok: 0, unfinished: 950, failed: { ...whole.failed, 'connect-timeout': 50 } };
    expect(gate({ measured: dead, heldBack: 900 }, 'sent-share').kind).toBe('warn');
  });

  it('R005 is degraded where all was sent, but more than 1 % of it in the drain', () => {
    const found = gate({ sentAfter: 300 }, 'sent-share');
    expect(found).toMatchObject({ kind: 'warn', measured: 1 });
    expect(found.reason).toContain('300 of them only when their phase was over');
    expect(gate({ sentAfter: 10 }, 'sent-share').kind).toBe('pass');
  });

  it('R032 is invalid where the generator itself could not connect', () => {
    const measured = { ...whole, sent: 900, ok: 900, failed: { ...whole.failed, generator: 100 } };
    expect(gate({ measured }, 'sent-share')).toMatchObject({ kind: 'fail', measured: 0.9 });
  });

  it('judges an interrupted run on what fell due before the stop', () => {
    const measured = { ...whole, attempted: 400, sent: 400, ok: 400, cancelled: 600 };
    expect(gate({ measured }, 'sent-share')).toMatchObject({ kind: 'pass', measured: 1 });
    const none = { ...whole, attempted: 0, sent: 0, ok: 0, cancelled: 1000 };
    expect(gate({ measured: none }, 'sent-share').kind).toBe('not-measured');
  });

  it.each([
    [100_000, 2_000_000, 'pass'],
    [300_000, 2_000_000, 'warn'],
    [2_500_000, 2_000_000, 'fail'],
    // Quick targets: a lag that a timer of a shared host has anyway does not invalidate, it degrades.
    [900_000, 100_000, 'warn'],
    [1_200_000, 100_000, 'fail'],
  ] as const)('R002 wakeLag p99 of %i ns against a service p50 of %i ns: %s', (lag, service, kind) => {
    const found = gate({ wakeLag: histogramOf([lag]), service: histogramOf([service]) }, 'wake-lag');
    expect(found.kind).toBe(kind);
    expect(found.measured).toBe(lag);
    if (kind !== 'pass') expect(found.reason).toContain('generator-limited');
  });

  it('does not judge wakeLag without an answered request', () => {
    expect(gate({ service: histogramOf([]) }, 'wake-lag')).toMatchObject({ kind: 'not-measured', measured: null });
  });

  it('R074 names when a lost agent was lost and how much is missing', () => {
    const lost = { ...whole, attempted: 600, sent: 600, ok: 600, lost: 400 };
    const agents = [
      { agentId: 'agent-2', incarnation: 'i2', total: lost, phases: [lost], unreported: 0, undecidedFromNs: 2.5e9 },
    ];
    const found = gate(
      {
        ...withAgents((agent, index) =>
          index === 1 ? { ...agent, state: { kind: 'lost', atNs: 3e9, reason: 'no heartbeat' } } : agent,
        ),
        books: { total: whole, phases: [whole], agents, violations: [] },
      },
      'members-lost',
    );
    expect(found.kind).toBe('warn');
    expect(found.reason).toBe(
      'agent agent-2 was lost at 3.000 s (no heartbeat): 400 arrivals from 2.500 s on were lost',
    );
  });

  it('R084 names dead workers', () => {
    expect(gate({ lostSlots: [3, 5] }, 'members-lost')).toMatchObject({
      kind: 'warn',
      reason: 'worker slots 3, 5 died',
    });
  });

  it.each([
    [{ kind: 'gap', missing: [4, 5] }, 'agent agent-1: reports 4, 5 are missing'],
    [{ kind: 'no-final' }, 'agent agent-1: its last report is missing'],
    [
      { kind: 'differs', counters: [{ name: 'ok', received: 9, sent: 10 }] },
      'agent agent-1: its own sums differ, ok: received 9, sent 10',
    ],
  ] as const)('R070 a living agent whose reports are %j makes the result incomplete', (completeness, text) => {
    const senders = [{ agentId: 'agent-1', incarnation: 'i1', completeness }];
    const found = gate({ senders }, 'reports-complete');
    expect(found.kind).toBe('fail');
    expect(found.reason).toContain(text);
  });

  it('R070 a rejected report makes the result incomplete and is quoted', () => {
    const rejections = { reasons: ['report 3 of agent agent-1: histogram: truncated'], count: 1 };
    const found = gate({ rejections }, 'reports-complete');
    expect(found).toMatchObject({ kind: 'fail' });
    expect(found.reason).toContain('report 3 of agent agent-1');
  });

  it('does not ask a dead agent for its last report', () => {
    const dead = withAgents((agent, index) =>
      index === 0 ? { ...agent, state: { kind: 'lost', atNs: 1e9, reason: 'gone' } } : agent,
    );
    const senders = [{ agentId: 'agent-1', incarnation: 'i1', completeness: { kind: 'no-final' } as const }];
    expect(gate({ ...dead, senders }, 'reports-complete').kind).toBe('pass');
  });

  it('takes the worst clock bound, and none at all as not measured', () => {
    const clocks = withAgents((agent, index) => ({
      ...agent,
      clock: { offsetNs: 0, boundNs: index === 1 ? 6_000_000 : 10_000, roundTripMinNs: 1 },
    }));
    expect(gate(clocks, 'clock-bound')).toMatchObject({ kind: 'warn', measured: 6_000_000 });
    const unknown = withAgents((agent, index) => (index === 1 ? { ...agent, clock: null } : agent));
    expect(gate(unknown, 'clock-bound').kind).toBe('not-measured');
  });

  it('orders reasons by gravity', () => {
    const verdict = judge(
      evidence({
        overflow: 2,
        lostSlots: [1],
        books: { total: whole, phases: [whole], agents: [], violations: ['run: x'] },
      }),
    );
    expect(verdict.status).toBe('invalid');
    expect(verdict.reasons[0]).toContain('run: x');
    expect(verdict.reasons).toHaveLength(3);
  });
});
