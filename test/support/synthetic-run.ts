/**
 * A run without processes, sockets or clocks: every arrival of a plan's real schedule meets a fate that the test decides, and each
 * agent reports what its workers would have. The raw samples are kept, so that a merged result can be held against the
 * pooled truth. Used by the tests of merge, verdict and report.
 */
import type { AgentReport } from '../../shared/metrics/agent-report.ts';
import type { CounterName } from '../../shared/metrics/counters.ts';
import type { MetricId, SeriesStatus } from '../../shared/metrics/metric.ts';
import type { DropReason, FailureClass } from '../../shared/metrics/outcome.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { seedFromBigInt } from '../../shared/random/seed.ts';
import { type Arrival, createArrival } from '../../shared/schedule/arrival-stream.ts';
import { lanesOfSlot, type ProbeDeal } from '../../shared/schedule/deal.ts';
import { createWorkerSchedule } from '../../shared/schedule/worker-schedule.ts';
import type { SlotOwner } from '../../coordinator/merge/run-merge.ts';
import type { AgentRecord, RunEnd, RunRecord } from '../../coordinator/run/run-record.ts';
import { AgentLedger, plannedEndNs } from './agent-ledger.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';

/** What becomes of one arrival. */
export type Fate =
  | { readonly kind: 'ok'; readonly wakeLagNs: number; readonly waitNs: number; readonly serviceNs: number }
  | {
      readonly kind: 'failed';
      readonly class: FailureClass;
      readonly detail: string;
      readonly wakeLagNs: number;
      /** null = ended before a byte left. */
      readonly serviceNs: number | null;
    }
  | { readonly kind: 'dropped'; readonly reason: DropReason }
  | { readonly kind: 'unfinished'; readonly wakeLagNs: number };

/** How the run goes. */
export interface SyntheticOptions {
  readonly plan: Plan;
  readonly agents?: number;
  readonly workersPerAgent?: number;
  readonly fate?: (arrival: Arrival, random: SeededRandom) => Fate;
  /** Index of the request template of an arrival. */
  readonly template?: (arrival: Arrival, random: SeededRandom) => number;
  /** Nothing is released from this run time on. */
  readonly stopAtNs?: number;
  /** Nothing of this agent (by index) is heard from this run time on. */
  readonly death?: { readonly agent: number; readonly atNs: number };
  readonly end?: RunEnd;
  /** A slot with few lanes. */
  readonly probe?: ProbeDeal;
}

/** One agent's raw truth. */
export interface SyntheticRun {
  readonly record: RunRecord;
  readonly slots: readonly SlotOwner[];
  /** By agent, in the order of their numbers; a dead agent's end early. */
  readonly reports: readonly AgentReport[];
  /** Samples of window-scoped series that were reported, by `phase metric status`. */
  readonly samples: ReadonlyMap<string, readonly number[]>;
}

/** A steady target: ok after 1 to 20 ms, sent 10 to 90 us late. */
export function steadyFate(_arrival: Arrival, random: SeededRandom): Fate {
  return {
    kind: 'ok',
    wakeLagNs: 10_000 + random.below(80_000),
    waitNs: random.below(5_000),
    serviceNs: 1_000_000 + random.below(19_000_000),
  };
}

/** Plays a run. */
export function syntheticRun(options: SyntheticOptions): SyntheticRun {
  const { plan, agents: agentCount = 2, workersPerAgent = 1 } = options;
  const workerSlots = agentCount * workersPerAgent;
  const drainEndNs = plannedEndNs(plan) + plan.limits.drainNs;
  const slots: SlotOwner[] = [];
  const reports: AgentReport[] = [];
  const samples = new Map<string, number[]>();
  for (let agent = 0; agent < agentCount; agent += 1) {
    const own = Array.from({ length: workersPerAgent }, (_, worker) => agent * workersPerAgent + worker);
    const identity = { agentId: `agent-${agent + 1}`, incarnation: `i${agent + 1}` };
    for (const slot of own) slots.push({ slot, ...identity });
    const ledger = new AgentLedger(plan, samples);
    for (const slot of own) playSlot(options, slot, workerSlots, drainEndNs, ledger);
    const deadAtNs = options.death?.agent === agent ? options.death.atNs : Infinity;
    reports.push(...ledger.reports(identity, own, deadAtNs));
  }
  const record: RunRecord = {
    runId: 'run-1',
    trial: 0,
    startedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5),
    durationNs: drainEndNs,
    loadfleetVersion: '0.1.0',
    command: 'loadfleet run plan.yaml',
    plan,
    servers: [],
    requestFile: null,
    probe: options.probe ?? null,
    effectiveYaml: 'name: fixture\n',
    secrets: [],
    agents: Array.from({ length: agentCount }, (_, agent) => agentRecord(options, agent, workersPerAgent)),
    workerSlots,
    end: options.end ?? { kind: 'finished' },
    warnings: [],
  };
  return { record, slots, reports, samples };
}

function agentRecord(options: SyntheticOptions, agent: number, workersPerAgent: number): AgentRecord {
  const { death } = options;
  return {
    agentId: `agent-${agent + 1}`,
    incarnation: `i${agent + 1}`,
    region: null,
    labels: {},
    cores: 2,
    nodeVersion: 'v26.10.0',
    slots: Array.from({ length: workersPerAgent }, (_, worker) => agent * workersPerAgent + worker),
    clientName: 'undici http/1.1',
    pacing: 'hybrid',
    clock: { offsetNs: 1_000, boundNs: 40_000, roundTripMinNs: 80_000 },
    state: death?.agent === agent ? { kind: 'lost', atNs: death.atNs, reason: 'no heartbeat' } : { kind: 'finished' },
  };
}

function playSlot(
  options: SyntheticOptions,
  slot: number,
  workerSlots: number,
  drainEndNs: number,
  ledger: AgentLedger,
): void {
  const { plan, fate = steadyFate, template = () => 0, stopAtNs = Infinity, probe = null } = options;
  const schedule = createWorkerSchedule({
    seed: seedFromBigInt(plan.seed),
    trial: 0,
    laneCount: plan.laneCount,
    phases: plan.phases.map(({ startNs, durationNs, arrivals }) => ({ startNs, durationNs, law: arrivals })),
    blobs: new Map(),
    ownedLanes: [{ lanes: lanesOfSlot({ laneCount: plan.laneCount, workerSlots, probe }, slot), fromNs: 0 }],
  });
  const random = seededRandom(slot + 1);
  const arrival = createArrival();
  let releasedNs = 0;
  let intendedNs = -1;
  while (schedule.next(arrival)) {
    const one = fate(arrival, random);
    const request = plan.requests[template(arrival, random)]?.name ?? '';
    // A worker releases in order, and all that is due at one instant together.
    if (arrival.intendedNs !== intendedNs) {
      const lagNs = one.kind === 'dropped' ? 0 : one.wakeLagNs;
      releasedNs = Math.max(releasedNs, arrival.intendedNs + lagNs);
      intendedNs = arrival.intendedNs;
    }
    if (releasedNs >= stopAtNs) {
      ledger.undecidedFrom(slot, arrival.intendedNs);
      return;
    }
    ledger.decide(slot, arrival, releasedNs);
    playArrival(slot, arrival, one, request, releasedNs, drainEndNs, ledger);
  }
}

function playArrival(
  slot: number,
  arrival: Arrival,
  fate: Fate,
  request: string,
  releasedNs: number,
  drainEndNs: number,
  ledger: AgentLedger,
): void {
  const { phase, intendedNs } = arrival;
  const count = (atNs: number, windowOfNs: number, counter: CounterName): void => {
    ledger.count(atNs, phase, request, windowOfNs, counter);
  };
  const sample = (atNs: number, metric: MetricId, status: SeriesStatus, value: number): void => {
    ledger.sample(atNs, phase, request, metric, status, value);
  };
  const wasSent = fate.kind !== 'dropped' && !(fate.kind === 'failed' && fate.serviceNs === null);
  ledger.pace(slot, {
    phase,
    intendedNs,
    sendNs: wasSent ? releasedNs + (fate.kind === 'ok' ? fate.waitNs : 0) : null,
  });
  count(releasedNs, intendedNs, 'decided');
  if (fate.kind === 'dropped') {
    count(releasedNs, intendedNs, `dropped:${fate.reason}`);
    return;
  }
  count(releasedNs, releasedNs, 'attempted');
  const sendNs = releasedNs + (fate.kind === 'ok' ? fate.waitNs : 0);
  if (fate.kind === 'unfinished') {
    count(sendNs, sendNs, 'sent');
    count(drainEndNs, drainEndNs, 'unfinished');
    sample(drainEndNs, 'unfinishedAge', 'failed', drainEndNs - intendedNs);
    sample(drainEndNs, 'wakeLag', 'failed', releasedNs - intendedNs);
    return;
  }
  const endNs = sendNs + (fate.serviceNs ?? 0);
  const status = fate.kind;
  count(endNs, endNs, fate.kind === 'ok' ? 'ok' : `failed:${fate.class}`);
  if (fate.kind === 'ok' && ledger.isGood(endNs - intendedNs)) count(endNs, endNs, 'good');
  if (fate.kind === 'failed') ledger.failure(endNs, fate.class, fate.detail);
  sample(endNs, 'response', status, endNs - intendedNs);
  sample(endNs, 'wakeLag', status, releasedNs - intendedNs);
  if (fate.serviceNs === null) return;
  count(sendNs, sendNs, 'sent');
  sample(endNs, 'service', status, fate.serviceNs);
  sample(endNs, 'lag', status, sendNs - intendedNs);
  sample(endNs, 'wait', status, sendNs - releasedNs);
}
