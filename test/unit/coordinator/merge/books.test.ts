import { describe, expect, it } from 'vitest';
import {
  type Accounting,
  assertBalanced,
  droppedTotal,
  failedTotal,
} from '../../../../coordinator/merge/accounting.ts';
import { type ArrivalCounter, balanceBooks, type RunBooks } from '../../../../coordinator/merge/books.ts';
import type { RunRecord } from '../../../../coordinator/run/run-record.ts';
import type { AgentReport } from '../../../../shared/metrics/agent-report.ts';
import { COUNTER } from '../../../../shared/metrics/counters.ts';
import { InvariantError } from '../../../../shared/fleet-error.ts';
import type { Phase } from '../../../../shared/plan/plan.ts';
import { seedFromBigInt } from '../../../../shared/random/seed.ts';
import { countArrivals } from '../../../../shared/schedule/count-arrivals.ts';
import { allLanes } from '../../../../shared/schedule/deal.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { mergeOf } from '../../../support/result-of.ts';
import { type Fate, steadyFate, syntheticRun, type SyntheticRun } from '../../../support/synthetic-run.ts';

function phase(name: string, startSeconds: number, seconds: number, ratePerSecond: number, warmup = false): Phase {
  const knots = [
    { tSeconds: 0, ratePerSecond },
    { tSeconds: seconds, ratePerSecond },
  ];
  return { name, warmup, startNs: startSeconds * 1e9, durationNs: seconds * 1e9, arrivals: { kind: 'poisson', knots } };
}

const plan = createPlan({ overrides: { phases: [phase('first', 0, 3, 150), phase('second', 3, 3, 300)] } });

function counterOf(record: RunRecord): ArrivalCounter {
  const basis = {
    seed: seedFromBigInt(record.plan.seed),
    trial: 0,
    laneCount: record.plan.laneCount,
    phases: record.plan.phases.map(({ startNs, durationNs, arrivals }) => ({ startNs, durationNs, law: arrivals })),
    blobs: new Map(),
  };
  return (index, lanes, fromNs, toNs) => countArrivals(basis, { phase: index, lanes, fromNs, toNs });
}

function booksOf(run: SyntheticRun, reports: readonly AgentReport[] = run.reports, record = run.record): RunBooks {
  return balanceBooks(record, mergeOf(run, reports), counterOf(record));
}

function plannedCount(run: SyntheticRun, index: number): number {
  return counterOf(run.record)(index, allLanes(run.record.plan.laneCount), 0, 1e15);
}

/** 70 % ok, 10 % answered 503, 10 % reset, 10 % never answered. */
function mixedFate(arrival: Parameters<typeof steadyFate>[0], random: Parameters<typeof steadyFate>[1]): Fate {
  const draw = random.below(10);
  const wakeLagNs = random.below(50_000);
  if (draw === 0) return { kind: 'failed', class: 'http-status', detail: '503', wakeLagNs, serviceNs: 2_000_000 };
  if (draw === 1) return { kind: 'failed', class: 'reset', detail: 'ECONNRESET', wakeLagNs, serviceNs: 900_000 };
  if (draw === 2) return { kind: 'unfinished', wakeLagNs };
  return steadyFate(arrival, random);
}

/** Both rules of P4 hold for every agent, phase and sum. */
function expectBalanced(books: RunBooks): void {
  expect(books.violations).toEqual([]);
  const all: Accounting[] = [books.total, ...books.phases];
  for (const agent of books.agents) all.push(agent.total, ...agent.phases);
  for (const one of all) {
    expect(one.attempted + droppedTotal(one) + one.cancelled + one.lost).toBe(one.scheduled);
    expect(one.ok + failedTotal(one) + one.unfinished).toBe(one.attempted);
  }
}

describe('balanceBooks', () => {
  it('R060 balances a mixed target per phase, per agent and in total', () => {
    const run = syntheticRun({ plan, agents: 3, workersPerAgent: 2, fate: mixedFate });
    const books = booksOf(run);
    expectBalanced(books);
    expect(books.phases.map((one) => one.scheduled)).toEqual([plannedCount(run, 0), plannedCount(run, 1)]);
    for (const [index, one] of books.phases.entries()) {
      const sum = books.agents.reduce((total, agent) => total + (agent.phases[index]?.scheduled ?? 0), 0);
      expect(sum).toBe(one.scheduled);
    }
    expect(books.total.failed.reset).toBeGreaterThan(0);
    expect(books.total.unfinished).toBeGreaterThan(0);
    expect(books.total.lost + books.total.cancelled).toBe(0);
  });

  it('R060 counts what was not released before a stop as cancelled, exactly', () => {
    const end = { kind: 'interrupted', atNs: 4e9, signal: 'SIGINT', abrupt: false } as const;
    const run = syntheticRun({ plan, agents: 2, workersPerAgent: 2, fate: mixedFate, stopAtNs: 4e9, end });
    const books = booksOf(run);
    expectBalanced(books);
    expect(books.total.cancelled).toBeGreaterThan(100);
    expect(books.phases[0]?.cancelled).toBe(0);
    expect(books.total.scheduled).toBe(plannedCount(run, 0) + plannedCount(run, 1));
    expect(books.total.lost).toBe(0);
  });

  it('R075 counts what agents still owed that stopped by themselves as lost', () => {
    const end = { kind: 'interrupted', atNs: 2.5e9, signal: 'SIGINT', abrupt: false } as const;
    const run = syntheticRun({ plan, agents: 2, stopAtNs: 2.5e9, end });
    const stopped = { kind: 'stopped', atNs: 2.5e9, reason: 'the lease lapsed' } as const;
    const agents = run.record.agents.map((agent) => ({ ...agent, state: stopped }));
    const books = booksOf(run, run.reports, { ...run.record, agents, end: { kind: 'finished' } });
    expectBalanced(books);
    expect(books.total).toMatchObject({ cancelled: 0, lost: booksOf(run).total.cancelled });
    expect(books.total.lost).toBeGreaterThan(0);
  });

  it('R074 counts what a dead agent left undecided as lost, from the last acknowledged instant', () => {
    const run = syntheticRun({ plan, agents: 2, fate: mixedFate, death: { agent: 1, atNs: 2.5e9 } });
    const books = booksOf(run);
    expectBalanced(books);
    const dead = books.agents[1];
    expect(dead?.undecidedFromNs).toBeGreaterThan(1.9e9);
    expect(dead?.undecidedFromNs).toBeLessThan(2.1e9);
    expect(dead?.total.lost).toBeGreaterThan(400);
    expect(dead?.phases[1]?.lost).toBe(dead?.phases[1]?.scheduled);
    expect(books.agents[0]?.total.lost).toBe(0);
    // Requests in flight when it died: acknowledged attempts without an acknowledged end.
    expect(dead?.total.unfinished).toBeGreaterThan(0);
  });

  it('counts a dead worker of a living agent as lost', () => {
    const run = syntheticRun({ plan, agents: 1, workersPerAgent: 2 });
    const whole = run.reports;
    const reports = whole.map((report): AgentReport => {
      const workers = report.workers.map((worker) =>
        worker.slot === 1 ? { ...worker, state: 'lost' as const } : worker,
      );
      return { ...report, workers };
    });
    expectBalanced(booksOf(run, reports));
    // The same agent, but worker 1 was never heard of: its arrivals are lost and the counts cannot hide it.
    const silent = syntheticRun({
      plan,
      agents: 1,
      workersPerAgent: 2,
      fate: (arrival, random) => steadyFate(arrival, random),
      stopAtNs: 2e9,
    });
    const died = silent.reports.map((report): AgentReport => {
      const workers = report.workers.map((worker) => ({ ...worker, state: 'lost' as const }));
      return { ...report, workers };
    });
    const books = booksOf(silent, died);
    expectBalanced(books);
    expect(books.total.lost).toBeGreaterThan(1000);
    expect(books.total.cancelled).toBe(0);
  });

  it('R070 counts the decisions of a report that never came as lost and not as zero', () => {
    const run = syntheticRun({ plan, agents: 2, fate: mixedFate });
    const reports = run.reports.filter((report) => !(report.key.agentId === 'agent-2' && report.key.seq === 2));
    const books = booksOf(run, reports);
    const incomplete = books.agents[1];
    expect(incomplete?.unreported).toBeGreaterThan(50);
    expect(incomplete?.total.lost).toBe(incomplete?.unreported);
    expect(books.total.scheduled).toBe(plannedCount(run, 0) + plannedCount(run, 1));
  });

  it('finds an arrival that a worker forgot, and names rule, scope and numbers', () => {
    const run = syntheticRun({ plan, agents: 2 });
    const reports = run.reports.map((report) => {
      if (report.key.agentId !== 'agent-2' || report.key.seq !== 2) return report;
      const counters = report.counters.map((delta) => {
        const cell = delta.cell.slice();
        if (delta.scope.kind === 'window' && delta.scope.window === 1) {
          cell[COUNTER.attempted] = (cell[COUNTER.attempted] as number) - 1;
          cell[COUNTER.decided] = (cell[COUNTER.decided] as number) - 1;
        }
        return { ...delta, cell };
      });
      return { ...report, counters };
    });
    const forged = reports.map((report) => {
      if (report.final === null || report.key.agentId !== 'agent-2') return report;
      const final = report.final.slice();
      final[COUNTER.attempted] = (final[COUNTER.attempted] as number) - 1;
      final[COUNTER.decided] = (final[COUNTER.decided] as number) - 1;
      return { ...report, final };
    });
    const books = booksOf(run, forged);
    const { scheduled, attempted } = books.total;
    expect(attempted).toBe(scheduled - 1);
    expect(books.violations.some((text) => text.startsWith('agent agent-2, phase first: scheduled'))).toBe(true);
    expect(books.violations.at(-1)).toContain(`run: scheduled ${scheduled}, but attempted ${attempted}`);
  });

  it('cancels the whole plan when the run failed before it was dealt', () => {
    const run = syntheticRun({ plan, agents: 1 });
    const record: RunRecord = {
      ...run.record,
      agents: [],
      workerSlots: 0,
      end: { kind: 'failed', atNs: null, reason: 'no agent joined' },
    };
    const books = booksOf({ ...run, record, slots: [] }, [], record);
    expectBalanced(books);
    expect(books.total.cancelled).toBe(plannedCount(run, 0) + plannedCount(run, 1));
    expect(books.total.scheduled).toBe(books.total.cancelled);
  });
});

describe('assertBalanced', () => {
  const books = booksOf(syntheticRun({ plan, agents: 1 })).total;

  it('throws an InvariantError with both sides of each rule', () => {
    const broken = (changes: Partial<Accounting>) => () => assertBalanced('here', { ...books, ...changes });
    expect(broken({})).not.toThrow();
    expect(broken({ lost: 1 })).toThrow(InvariantError);
    expect(broken({ lost: 1 })).toThrow(/here: scheduled \d+, but .* lost 1 = \d+/);
    expect(broken({ unfinished: 2 })).toThrow(/here: attempted \d+, but .* unfinished 2 = \d+/);
    expect(broken({ sent: books.attempted + 1 })).toThrow(/here: sent \d+ is above attempted \d+/);
  });
});
