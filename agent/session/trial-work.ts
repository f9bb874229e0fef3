/**
 * One trial of one run on this agent: its workers' assignments, what they handed over, and its numbered reports. It lives from
 * the arm order until every report has been answered or the run is released.
 */
import type { BlobStore } from '../../shared/plan/blob-ref.ts';
import type { TelemetrySample } from '../../shared/metrics/agent-report.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import type { Arm } from '../../shared/rpc/control-message.ts';
import type { ReportAck } from '../../shared/rpc/report-message.ts';
import { TokenCounting } from '../merge/token-counting.ts';
import { WorkerMerge } from '../merge/worker-merge.ts';
import { ReportOutbox } from '../uplink/report-outbox.ts';
import type { FromWorker, WorkerAssignment } from '../worker/worker-messages.ts';
import type { ResolvedPacing } from './resolve-pacing.ts';
import type { WorkerThread } from './worker-crew.ts';

/** Who sends the reports. */
export interface ReportSender {
  readonly agentId: string;
  readonly incarnation: string;
}

/** Everything that is known once the files are here. */
export interface TrialInput {
  readonly arm: Arm;
  readonly plan: Plan;
  readonly blobs: BlobStore;
  readonly pacing: ResolvedPacing;
}

/** Whether the last report, the one with the cumulative books, has been numbered. */
type FinalReport = 'not-due' | 'due' | 'numbered';

export class TrialWork {
  readonly input: TrialInput;
  readonly #merge: WorkerMerge;
  readonly #outbox: ReportOutbox;
  readonly #clientNames = new Set<string>();
  readonly #unarmed: Set<number>;
  #final: FinalReport = 'not-due';

  constructor(input: TrialInput, sender: ReportSender) {
    this.input = input;
    const slots = input.arm.grants.map((grant) => grant.slot);
    const { runId, trial } = input.arm.run;
    this.#merge = new WorkerMerge(slots, new TokenCounting(input.plan, input.blobs));
    this.#outbox = new ReportOutbox({ runId, trial, agentId: sender.agentId, incarnation: sender.incarnation });
    this.#unarmed = new Set(slots);
  }

  /** What thread `thread` has to do. */
  assignmentOf(thread: number): WorkerAssignment | null {
    const { arm, plan, blobs, pacing } = this.input;
    const grant = arm.grants[thread];
    if (grant === undefined) return null;
    const { runId, trial } = arm.run;
    const { slot, lanes } = grant;
    const recordLimit = recordLimitOf(plan.output.perRequestLimit, slot, arm.workerSlots);
    return { runId, trial, plan, blobs, slot, lanes, pacing: pacing.mode, recordLimit };
  }

  /** Notes that a worker is ready; true when all are. */
  workerArmed(slot: number, clientName: string): boolean {
    this.#unarmed.delete(slot);
    this.#clientNames.add(clientName);
    return this.#unarmed.size === 0;
  }

  /** What the workers send with, e.g. `undici http/1.1`. */
  get clientName(): string {
    return [...this.#clientNames].sort().join(', ');
  }

  /** Adds a hand-over and gives the emptied buffers back to the thread. */
  takeHandover(message: Extract<FromWorker, { kind: 'handover' }>, thread: WorkerThread): void {
    const blocks = this.#merge.take(message.slot, message.handover);
    if (blocks.length > 0) thread.post({ kind: 'recycle', blocks });
  }

  /** The worker is done. */
  workerFinished(slot: number): void {
    this.#merge.finish(slot);
  }

  /** The worker is gone: what it handed over stays, the rest of its share is lost (R084). */
  workerLost(slot: number, reason: string): void {
    this.#merge.lose(slot);
    this.warn(`worker slot ${slot} is lost: ${reason}`);
  }

  /** Puts a warning into the next report. */
  warn(text: string): void {
    this.#merge.warn(text);
  }

  /** Puts samples of the host into the next report. */
  addTelemetry(samples: readonly TelemetrySample[]): void {
    this.#merge.addTelemetry(samples);
  }

  /** True when every worker is done or gone. */
  get isOver(): boolean {
    return this.#merge.isOver;
  }

  /** True when the final report and all before it have been answered. */
  get isAnswered(): boolean {
    return this.#final === 'numbered' && this.#outbox.isEmpty;
  }

  /** Numbers a report of what is new, if there is room for one; else makes what waits small. */
  reportNews(): void {
    if (this.#final === 'due') this.reportFinal();
    else if (this.#final === 'numbered' || !this.#merge.hasNews) return;
    else if (this.#outbox.hasRoom) this.#outbox.number(this.#merge.takeReport(false));
    else this.#merge.compact();
  }

  /** Numbers the final report, now or as soon as there is room. */
  reportFinal(): void {
    if (this.#final === 'numbered') return;
    this.#final = 'due';
    if (!this.#outbox.hasRoom) return;
    this.#outbox.number(this.#merge.takeReport(true));
    this.#final = 'numbered';
  }

  /** Takes an answer; false when it is none of ours. A rejected report is as answered as an applied one. */
  answered(ack: ReportAck): boolean {
    if (!this.#outbox.answered(ack.key)) return false;
    if (this.#final === 'due') this.reportFinal();
    return true;
  }

  /** The unanswered reports numbered above `seq`. */
  waitingAfter(seq: number): ReturnType<ReportOutbox['waitingAfter']> {
    return this.#outbox.waitingAfter(seq);
  }
}

/** The share of slot `slot` of `slots` in the run's rows of requests, so that all shares together are `total`. */
function recordLimitOf(total: number | null, slot: number, slots: number): number | null {
  if (total === null) return null;
  const share = Math.floor(total / slots);
  return slot < total - share * slots ? share + 1 : share;
}
