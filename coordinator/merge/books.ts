/**
 * Balances the books of a run when its report is made (P4): for every agent and phase, and for the sums. `scheduled`, `cancelled`
 * and `lost` are counted here from the plan and the deal, never from what workers say, so that a worker that forgets an
 * arrival cannot hide it; only what no schedule holds (closed loops, later turns) is counted as workers say. A broken rule does not stop the report: it is named, with its numbers, and makes the run invalid.
 */
import { InvariantError } from '../../shared/fleet-error.ts';
import { COUNTER, type CounterCell, createCounterCell } from '../../shared/metrics/counters.ts';
import { FAILURE_CLASSES } from '../../shared/metrics/outcome.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { type LaneDeal, lanesOfSlot } from '../../shared/schedule/deal.ts';
import type { AgentRecord, RunRecord } from '../run/run-record.ts';
import { type Accounting, accountingOf, addAccounting, assertBalanced, emptyAccounting } from './accounting.ts';
import type { RunMerge } from './run-merge.ts';
import type { SenderSums } from './sender-sums.ts';

/** Counts the arrivals of phase `phase` on `lanes` with fromNs <= intendedNs < toNs (ns from T0), exactly. */
export type ArrivalCounter = (phase: number, lanes: Int32Array, fromNs: number, toNs: number) => number;

/** The books of one agent process. */
export interface AgentBooks {
  readonly agentId: string;
  readonly incarnation: string;
  /** Over all phases. */
  readonly total: Accounting;
  readonly phases: readonly Accounting[];
  /** Arrivals that it decided in reports that never came; part of `lost`. */
  readonly unreported: number;
  /** Run time from which on it left its arrivals undecided; null when it decided all. */
  readonly undecidedFromNs: number | null;
}

/** The books of a run. */
export interface RunBooks {
  readonly total: Accounting;
  /** In the order of the plan. */
  readonly phases: readonly Accounting[];
  readonly agents: readonly AgentBooks[];
  /** Broken rules, each with its scope and numbers; empty when the books balance. */
  readonly violations: readonly string[];
}

/** The books of `record`'s run from its reports and from `countArrivals` over the plan. */
export function balanceBooks(record: RunRecord, merge: RunMerge, countArrivals: ArrivalCounter): RunBooks {
  const violations: string[] = [];
  const check = (scope: string, books: Accounting): void => {
    try {
      assertBalanced(scope, books);
    } catch (error) {
      if (!(error instanceof InvariantError)) throw error;
      violations.push(error.message);
    }
  };
  const agents = merge.senders.map((sender) => booksOfSender(record, merge, sender, countArrivals));
  const nobodys = unassigned(record, merge, countArrivals);
  const phases = record.plan.phases.map((_, phase) =>
    agents.reduce((sum, agent) => addAccounting(sum, agent.phases[phase] as Accounting), nobodys[phase] as Accounting),
  );
  const total = phases.reduce(addAccounting, emptyAccounting());
  for (const agent of agents) {
    for (const [phase, books] of agent.phases.entries()) {
      check(`agent ${agent.agentId}, phase ${phaseName(record.plan, phase)}`, books);
    }
  }
  for (const [phase, books] of phases.entries()) check(`phase ${phaseName(record.plan, phase)}`, books);
  check('run', total);
  return { total, phases, agents, violations };
}

/** What ends a slot's silence: arrivals that it left undecided were cancelled, were lost, or should not exist. */
type Undecided = 'cancelled' | 'lost' | 'none';

function booksOfSender(
  record: RunRecord,
  merge: RunMerge,
  sender: SenderSums,
  countArrivals: ArrivalCounter,
): AgentBooks {
  const agent = record.agents.find((one) => one.agentId === sender.agentId && one.incarnation === sender.incarnation);
  const complete = sender.completeness().kind === 'complete';
  const hasDeadSlot = [...sender.slots].some((slot) => isDead(merge, agent, slot));
  let unreported = 0;
  let undecidedFromNs: number | null = null;
  const phases = record.plan.phases.map((phase, index) => {
    const cell = sender.phaseCells[index] as CounterCell;
    const startNs = phase.startNs;
    const endNs = phase.startNs + Math.max(1, phase.durationNs);
    // What no schedule holds was decided when it was issued.
    const issued = cell[COUNTER.issued] as number;
    let scheduled = issued;
    let reached = issued;
    let cancelled = 0;
    let lost = 0;
    for (const slot of sender.slots) {
      const lanes = lanesOfSlot(dealOf(record), slot);
      const decidedThroughNs = Math.min(Math.max(merge.progressOf(slot).decidedThroughNs, startNs), endNs);
      const before = countArrivals(index, lanes, startNs, decidedThroughNs);
      const after = countArrivals(index, lanes, decidedThroughNs, endNs);
      scheduled += before + after;
      reached += before;
      if (after === 0) continue;
      const kind = fateOfUndecided(record, merge, agent, slot);
      if (kind === 'cancelled') cancelled += after;
      else if (kind === 'lost' || !complete) lost += after;
      undecidedFromNs = Math.min(undecidedFromNs ?? Infinity, decidedThroughNs);
    }
    if (!complete) {
      // A report is missing: what it decided is unknown to us, and what is unknown was lost.
      const missing = Math.max(0, reached - (cell[COUNTER.decided] as number));
      unreported += missing;
      lost += missing;
    }
    const unfinished = !complete || hasDeadSlot ? openIn(cell) : 0;
    return accountingOf(cell, { scheduled, cancelled, lost, unfinished });
  });
  const total = phases.reduce(addAccounting, emptyAccounting());
  return { agentId: sender.agentId, incarnation: sender.incarnation, total, phases, unreported, undecidedFromNs };
}

/** Attempts of which no end was reported: those of a dead sender (design §8); 0 for one that reported all. */
export function openIn(cell: CounterCell): number {
  const failed = FAILURE_CLASSES.reduce((sum, failure) => sum + (cell[COUNTER[`failed:${failure}`]] as number), 0);
  const ended = (cell[COUNTER.ok] as number) + failed + (cell[COUNTER.unfinished] as number);
  return Math.max(0, (cell[COUNTER.attempted] as number) - ended);
}

function fateOfUndecided(record: RunRecord, merge: RunMerge, agent: AgentRecord | undefined, slot: number): Undecided {
  if (isDead(merge, agent, slot)) return 'lost';
  if (record.end.kind !== 'finished') return 'cancelled';
  return agent?.state.kind === 'stopped' ? 'lost' : 'none';
}

function isDead(merge: RunMerge, agent: AgentRecord | undefined, slot: number): boolean {
  return agent?.state.kind === 'lost' || merge.progressOf(slot).state === 'lost';
}

/** Arrivals of lanes that no agent ever owned: all of them when the run failed before it was dealt. */
function unassigned(record: RunRecord, merge: RunMerge, countArrivals: ArrivalCounter): readonly Accounting[] {
  const { plan } = record;
  const workerSlots = Math.max(1, record.workerSlots);
  const owned = new Set(merge.owners.map((owner) => owner.slot));
  return plan.phases.map((phase, index) => {
    let scheduled = 0;
    for (let slot = 0; slot < workerSlots; slot += 1) {
      if (owned.has(slot)) continue;
      const lanes = lanesOfSlot({ ...dealOf(record), workerSlots }, slot);
      scheduled += countArrivals(index, lanes, phase.startNs, phase.startNs + Math.max(1, phase.durationNs));
    }
    const cell = createCounterCell();
    return accountingOf(cell, { scheduled, cancelled: scheduled, lost: 0, unfinished: 0 });
  });
}

function dealOf({ plan, workerSlots, probe }: RunRecord): LaneDeal {
  return { laneCount: plan.laneCount, workerSlots, probe };
}

function phaseName(plan: Plan, phase: number): string {
  return plan.phases[phase]?.name ?? String(phase);
}
