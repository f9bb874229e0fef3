/**
 * The coordinator's exact sum of all reports of one trial. A report counts once, whole or not at all, in any order, however
 * often it is sent (P5, P6). What is read from it depends on the set of reports only, never on their order.
 * Not a judge: it neither balances the books (books.ts) nor evaluates gates (verdict/).
 */
import { FleetError } from '../../shared/fleet-error.ts';
import type { DecodedSparse } from '../../shared/histogram/sparse-form.ts';
import type { AgentReport, SeriesDelta } from '../../shared/metrics/agent-report.ts';
import { plannedWindows } from '../../shared/metrics/fidelity.ts';
import type { MetricId } from '../../shared/metrics/metric.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { planEndNs } from '../../shared/plan/release-end.ts';
import { COUNTER } from '../../shared/metrics/counters.ts';
import { BoundedTally } from './bounded-tally.ts';
import { checkRecords, type RecordFrame } from './check-records.ts';
import { checkReport, OTHER_REQUEST, type ReportFrame } from './check-report.ts';
import { FidelitySums } from './fidelity-sums.ts';
import { latestWindow, type LatestWindow } from './latest-window.ts';
import { type RequestSums, RequestTable } from './request-table.ts';
import { type Completeness, SenderSums } from './sender-sums.ts';
import { TelemetrySums } from './telemetry-sums.ts';
import { WindowRows } from './window-rows.ts';

export type { Completeness } from './sender-sums.ts';
export type { LatestWindow } from './latest-window.ts';

/** Which agent process owns a global worker slot. */
export interface SlotOwner {
  /** Global worker slot 0..W-1. */
  readonly slot: number;
  readonly agentId: string;
  readonly incarnation: string;
}

/** What became of one received report. Acknowledge `applied` and `duplicate`; never `rejected`. */
export type ApplyOutcome =
  | { readonly kind: 'applied' }
  | { readonly kind: 'duplicate' }
  /** Nothing of it was applied. The reason names the agent, the field and the limit; the run will be incomplete (R070). */
  | { readonly kind: 'rejected'; readonly reason: string };

/** How far a worker slot came, and whether it died. */
export interface SlotProgress {
  /** Highest `decidedThroughNs` reported, 0 before the first report. */
  readonly decidedThroughNs: number;
  readonly state: 'running' | 'finished' | 'lost';
}

/** Error texts and warnings that are kept by name (R095). */
const TEXTS_MAX = 200;
/** Rejected reports whose reason is kept. */
const REJECTIONS_MAX = 20;
/** Metrics that are kept per agent. */
const SENDER_METRICS: ReadonlySet<string> = new Set<MetricId>([
  'response',
  'service',
  'lag',
  'wakeLag',
  'wait',
  'waitQueue',
  'waitStream',
  'unfinishedAge',
  'loopGap',
]);

/** The sum of one trial's reports. */
export interface RunMerge {
  /** Takes one report; cheap enough for a hundred agents a second. Never throws for a bad report. */
  apply(report: AgentReport): ApplyOutcome;
  /** Whether everything of this agent process has arrived; ask it before ending a run. */
  completenessOf(agentId: string, incarnation: string): Completeness;
  /** The newest complete window, for the progress line. */
  latest(): LatestWindow;
  /** How far a worker slot came. */
  progressOf(slot: number): SlotProgress;

  /** Owners by slot. */
  readonly owners: readonly SlotOwner[];
  /** Every agent process that was given a slot, in the order of slots. */
  readonly senders: readonly SenderSums[];
  readonly rows: WindowRows;
  /** Request names by phase, in order of phase and name. */
  requests(): readonly RequestSums[];
  readonly telemetry: TelemetrySums;
  /** Planned against sent. */
  readonly fidelity: FidelitySums;
  /** Error texts, as `class: detail`. */
  readonly failures: BoundedTally;
  /** Warnings of agents, as `agent: text`. */
  readonly warnings: BoundedTally;
  /** Why reports were rejected, in string order, and how many were. */
  rejections(): { readonly reasons: readonly string[]; readonly count: number };
}

/** Takes rows of requests that were reported, each report's once, and the number of those that have none. */
export type TakeRequests = (
  source: { readonly agentId: string; readonly slot: number },
  rows: Float64Array,
  leftOut: number,
) => void;

/** An empty sum for trial `trial` of run `runId` of `plan`, dealt to `slots`. */
export function createRunMerge(options: {
  readonly runId: string;
  readonly trial: number;
  readonly plan: Plan;
  readonly slots: readonly SlotOwner[];
  readonly onRequests?: TakeRequests;
}): RunMerge {
  const { runId, trial, plan, slots, onRequests = () => undefined } = options;
  return new RunSums(runId, trial, plan, slots, onRequests);
}

class RunSums implements RunMerge {
  readonly owners: readonly SlotOwner[];
  readonly rows: WindowRows;
  readonly telemetry: TelemetrySums;
  readonly fidelity: FidelitySums;
  readonly failures = new BoundedTally(TEXTS_MAX);
  readonly warnings = new BoundedTally(TEXTS_MAX);
  readonly #runId: string;
  readonly #trial: number;
  readonly #plan: Plan;
  readonly #onRequests: TakeRequests;
  readonly #requestNames: ReadonlySet<string>;
  readonly #senders = new Map<string, SenderSums>();
  readonly #requests: RequestTable;
  readonly #progress = new Map<number, { decidedThroughNs: number; state: SlotProgress['state'] }>();
  readonly #rejections = new BoundedTally(REJECTIONS_MAX);
  #rejected = 0;

  constructor(runId: string, trial: number, plan: Plan, slots: readonly SlotOwner[], onRequests: TakeRequests) {
    this.#onRequests = onRequests;
    this.#runId = runId;
    this.#trial = trial;
    this.#plan = plan;
    this.#requestNames = new Set([...plan.requests.map((request) => request.name), OTHER_REQUEST]);
    this.owners = [...slots].sort((a, b) => a.slot - b.slot);
    this.rows = new WindowRows(plan.phases.length, planEndNs(plan));
    this.#requests = new RequestTable(
      plan.requests.map(({ name }) => name),
      plan.phases.length,
      this.rows,
    );
    this.telemetry = new TelemetrySums(this.rows.width);
    this.fidelity = new FidelitySums(plan.phases, plannedWindows(plan.phases), this.rows.width);
    const slotsOf = new Map<string, Set<number>>();
    for (const { slot, agentId, incarnation } of this.owners) {
      const key = senderKey(agentId, incarnation);
      const own = slotsOf.get(key) ?? new Set();
      if (own.size === 0) {
        slotsOf.set(key, own);
        this.#senders.set(key, new SenderSums(agentId, incarnation, own, plan.phases.length));
      }
      own.add(slot);
    }
  }

  get senders(): readonly SenderSums[] {
    return [...this.#senders.values()];
  }

  apply(report: AgentReport): ApplyOutcome {
    const { key } = report;
    if (key.runId !== this.#runId || key.trial !== this.#trial) {
      return this.#reject(
        report,
        `is for run ${key.runId} trial ${key.trial}, this is run ${this.#runId} trial ${this.#trial}`,
      );
    }
    const sender = this.#senders.get(senderKey(key.agentId, key.incarnation));
    if (sender === undefined) return this.#reject(report, `incarnation ${key.incarnation} was given no worker slot`);
    if (!Number.isSafeInteger(key.seq) || key.seq < 1)
      return this.#reject(report, 'the number must be an integer >= 1');
    if (sender.taken.has(key.seq)) return { kind: 'duplicate' };
    if (sender.taken.isTooFarAhead(key.seq)) return this.#reject(report, 'too many reports before it are missing');
    let decoded: readonly DecodedSparse[];
    let requests: readonly Float64Array[];
    try {
      decoded = checkReport(report, this.#frameOf(sender));
      requests = checkRecords(report.requests, this.#frameOf(sender));
    } catch (error) {
      if (error instanceof FleetError && error.code === 'protocol') return this.#reject(report, error.message);
      throw error;
    }
    sender.taken.add(key.seq);
    this.#addCounters(sender, report);
    for (const [index, delta] of report.series.entries()) {
      this.#addSeries(sender, delta, decoded[index] as DecodedSparse);
    }
    this.#addFacts(sender, report);
    for (const [index, { slot, leftOut }] of report.requests.entries()) {
      this.#onRequests({ agentId: sender.agentId, slot }, requests[index] as Float64Array, leftOut);
    }
    return { kind: 'applied' };
  }

  completenessOf(agentId: string, incarnation: string): Completeness {
    return this.#senders.get(senderKey(agentId, incarnation))?.completeness() ?? { kind: 'no-final' };
  }

  latest(): LatestWindow {
    return latestWindow(this.senders, this.rows, this.#plan.phases.length);
  }

  progressOf(slot: number): SlotProgress {
    return this.#progress.get(slot) ?? { decidedThroughNs: 0, state: 'running' };
  }

  requests(): readonly RequestSums[] {
    return this.#requests.all();
  }

  rejections(): { readonly reasons: readonly string[]; readonly count: number } {
    const reasons = this.#rejections.entries().map((entry) => entry.text);
    return { reasons: reasons.sort(), count: this.#rejected };
  }

  #frameOf(sender: SenderSums): ReportFrame & RecordFrame {
    return {
      phaseCount: this.#plan.phases.length,
      templateCount: this.#plan.requests.length,
      requestNames: this.#requestNames,
      ownSlots: sender.slots,
    };
  }

  #reject(report: AgentReport, what: string): ApplyOutcome {
    const reason = `report ${report.key.seq} of agent ${report.key.agentId}: ${what}`;
    this.#rejected += 1;
    this.#rejections.add(reason, 1);
    return { kind: 'rejected', reason };
  }

  #addCounters(sender: SenderSums, report: AgentReport): void {
    for (const { scope, cell } of report.counters) {
      if (scope.kind === 'window') {
        this.rows.at(scope.phase, scope.window).addCell(cell);
        sender.addCell(scope.phase, cell);
        sender.connections.add(scope.window, cell[COUNTER['connections-tried']] as number);
      } else {
        this.#requests.at(scope.phase, scope.request).addCell(cell);
      }
    }
  }

  #addSeries(sender: SenderSums, delta: SeriesDelta, samples: DecodedSparse): void {
    const { scope, metric, status } = delta;
    if (scope.kind === 'request') {
      this.#requests.at(scope.phase, scope.request).addSeries(metric, status, samples);
      return;
    }
    this.rows.at(scope.phase, scope.window).addSeries(metric, status, samples);
    const measured = this.#plan.phases[scope.phase]?.warmup === false;
    if (measured && SENDER_METRICS.has(metric)) sender.measured.addSeries(metric, status, samples);
  }

  #addFacts(sender: SenderSums, report: AgentReport): void {
    for (const worker of report.workers) {
      const known = this.#progress.get(worker.slot) ?? { decidedThroughNs: 0, state: 'running' };
      known.decidedThroughNs = Math.max(known.decidedThroughNs, worker.decidedThroughNs);
      // A slot's end is final: a report from before it may still come after it.
      if (known.state === 'running' || worker.state === 'lost') known.state = worker.state;
      this.#progress.set(worker.slot, known);
    }
    sender.lastWindow = Math.max(sender.lastWindow, report.lastWindow);
    if (report.final !== null) sender.final = report.final;
    for (const failure of report.failures) this.failures.add(`${failure.class}: ${failure.detail}`, failure.count);
    for (const warning of report.warnings) this.warnings.add(`${sender.agentId}: ${warning}`, 1);
    for (const window of report.fidelity) this.fidelity.add(window);
    for (const sample of report.telemetry) this.telemetry.add(sender.agentId, sample);
  }
}

function senderKey(agentId: string, incarnation: string): string {
  return `${agentId}\n${incarnation}`;
}
