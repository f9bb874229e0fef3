/**
 * Carries out the session's effects: prepares workers, starts and stops them, keeps their leases written, and sends reports and
 * answers. All decisions are in `session-state.ts`; all counting is in `trial-work.ts`.
 */
import { durationText } from '../../shared/time/duration-text.ts';
import { assertNever } from '../../shared/assert-never.ts';
import { type AgentMessage, type Arm, type RunKey, runText } from '../../shared/rpc/control-message.ts';
import { type ReportAck, type ReportMessage, reportText } from '../../shared/rpc/report-message.ts';
import { toFleetError } from '../../shared/rpc/rpc-status.ts';
import type { LongTimer } from '../../shared/time/long-timer.ts';
import { repeatEvery, type Timekeeper } from '../../shared/time/timekeeper.ts';
import { Lease } from '../lease/lease.ts';
import { raiseStop, resetCells, writeLease } from '../lease/lease-cells.ts';
import type { BlobCache } from '../uplink/blob-cache.ts';
import type { Order } from '../uplink/control-link.ts';
import type { FromWorker } from '../worker/worker-messages.ts';
import type { HostLimits } from '../telemetry/host-limits.ts';
import type { WindowTelemetry } from '../telemetry/window-telemetry.ts';
import { KeptCrew } from './kept-crew.ts';
import { preflight } from './preflight.ts';
import { prepareTrial } from './prepare-trial.ts';
import { advanceSession, type SessionEffect, type SessionEvent, type SessionState } from './session-state.ts';
import { type ReportSender, TrialWork } from './trial-work.ts';
import type { CrewHandlers, StartCrew } from './worker-crew.ts';

/** How often news is put into a report, ns. */
const REPORT_INTERVAL_NS = 1_000_000_000;
/** How often the lease is looked at, ns. */
const LEASE_CHECK_NS = 250_000_000;
/** A lease that has lapsed for this long is given up: the workers, who stopped already, are told to drain, ns. */
const LEASE_GIVE_UP_NS = 1_000_000_000;
/** The drain when the agent has to go by itself, ns. */
const LEAVE_DRAIN_NS = 2_000_000_000;

export interface AgentSessionOptions {
  readonly sender: ReportSender;
  readonly timekeeper: Timekeeper;
  readonly startCrew: StartCrew;
  readonly blobs: BlobCache;
  /** Worker threads offered. */
  readonly workers: number;
  /** What this host allows, and worker threads of the whole run on it (see `resolvePacing`). */
  readonly host: HostLimits;
  readonly hostWorkers: number;
  readonly telemetry: WindowTelemetry;
  /** Says something on the Control stream. */
  readonly send: (message: AgentMessage) => void;
  /** Reports were numbered: send what waits. */
  readonly onReports: () => void;
  /** A new trial numbers its reports from 1. */
  readonly onTrial: () => void;
  /** The session has become idle. */
  readonly onIdle: () => void;
  readonly onNotice: (text: string) => void;
}

export class AgentSession {
  readonly #options: AgentSessionOptions;
  readonly #lease = new Lease();
  readonly #timers: readonly LongTimer[];
  #state: SessionState = { kind: 'idle' };
  #trial: TrialWork | null = null;
  readonly #crew: KeptCrew;
  #arm: Arm | null = null;

  constructor(options: AgentSessionOptions) {
    this.#options = options;
    const handlers: CrewHandlers = {
      onMessage: (thread, message) => this.#onWorkerMessage(thread, message),
      onDeath: (thread, reason) => this.#onWorkerDeath(thread, reason),
    };
    this.#crew = new KeptCrew(options.startCrew, handlers, options.onNotice);
    this.#timers = [
      repeatEvery(options.timekeeper, REPORT_INTERVAL_NS, () => this.#reportNews()),
      repeatEvery(options.timekeeper, LEASE_CHECK_NS, () => this.#checkLease()),
    ];
  }

  get state(): SessionState {
    return this.#state;
  }

  /** The run it is in, for the join. */
  get currentRun(): RunKey | null {
    return this.#state.kind === 'idle' ? null : this.#state.run;
  }

  /** The lease of the present run, ns; null when there is none. */
  get leaseNs(): number | null {
    return this.#trial?.input.plan.fleet.leaseNs ?? null;
  }

  /** Number of the lease request that goes out now. */
  askLease(): number {
    return this.#lease.ask(this.#options.timekeeper.nowNs());
  }

  /** The coordinator granted a lease. */
  onLease(seq: number, leaseNs: number): void {
    this.#lease.grant(seq, leaseNs);
    this.#writeLeases();
  }

  /** The coordinator took the agent in, perhaps again. */
  onWelcome(): void {
    this.#apply({ kind: 'welcomed' });
  }

  /** Carries out an order of the coordinator. */
  onOrder(order: Order): void {
    switch (order.kind) {
      case 'arm':
        this.#arm = this.#state.kind === 'idle' ? order : this.#arm;
        this.#apply({ kind: 'arm-ordered', run: order.run });
        return;
      case 'start': {
        const nowNs = this.#options.timekeeper.nowNs();
        this.#apply({ kind: 'start-ordered', run: order.run, t0Ns: order.t0AgentClockNs, nowNs });
        return;
      }
      case 'stop':
        this.#apply({ kind: 'stop-ordered', run: order.run, drainNs: order.drainNs, reason: order.reason });
        return;
      case 'release':
        // The usual release comes while the last answers are on their way, on the other connection.
        if (this.#state.kind !== 'idle' && this.#state.kind !== 'reporting') {
          this.#options.onNotice(`released from ${runText(order.run)} while ${this.#state.kind}: ${order.reason}`);
        }
        this.#apply({ kind: 'release-ordered', run: order.run });
        return;
      default:
        assertNever(order);
    }
  }

  /** Takes the coordinator's answer to a report. */
  onAck(ack: ReportAck): void {
    if (this.#trial?.answered(ack) !== true) return;
    if (ack.kind === 'rejected') this.#options.onNotice(`${reportText(ack.key)} was rejected: ${ack.reason}`);
    this.#options.onReports();
    if (this.#trial.isAnswered) this.#apply({ kind: 'all-answered' });
  }

  /** The unanswered reports numbered above `seq`. */
  waitingAfter(seq: number): readonly ReportMessage[] {
    return this.#trial?.waitingAfter(seq) ?? [];
  }

  /** Ends what is going on with a short drain, because the agent itself has to go; `onIdle` follows when it is reported. */
  leave(reason: string): void {
    if (this.#state.kind === 'idle') return;
    this.#apply({ kind: 'stop-ordered', run: this.#state.run, drainNs: LEAVE_DRAIN_NS, reason });
  }

  /** Stops everything at once and ends the workers. */
  async shutdown(): Promise<void> {
    for (const timer of this.#timers) timer.cancel();
    this.#options.telemetry.stop();
    await this.#crew.close();
  }

  #apply(event: SessionEvent): void {
    const { state, effects } = advanceSession(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
  }

  #startTelemetry(t0Ns: number): void {
    if (this.#trial === null) return;
    const { target } = this.#trial.input.plan;
    this.#options.telemetry.start(t0Ns, target, (samples) => this.#trial?.addTelemetry(samples));
  }

  #perform(effect: SessionEffect): void {
    switch (effect.kind) {
      case 'begin-arming':
        void this.#beginArming();
        return;
      case 'tell':
        this.#tell(effect.state);
        return;
      case 'refuse-arm':
        this.#options.send({ kind: 'arm-refused', run: effect.run, reason: effect.reason });
        return;
      case 'start-workers':
        this.#beginLease();
        for (const thread of this.#crew.threads) thread.post({ kind: 'start', t0HostNs: effect.t0Ns });
        this.#startTelemetry(effect.t0Ns);
        return;
      case 'stop-workers':
        for (const thread of this.#crew.threads) {
          raiseStop(thread.cells);
          thread.post({ kind: 'stop', drainNs: effect.drainNs });
        }
        return;
      case 'report-final':
        this.#options.telemetry.finish();
        this.#trial?.reportFinal();
        this.#options.onReports();
        return;
      case 'forget':
        this.#forget(effect.crew);
        return;
      default:
        assertNever(effect);
    }
  }

  /** Tells the coordinator where the session stands; states it knows of by itself need no words. */
  #tell(state: SessionState): void {
    const { send } = this.#options;
    switch (state.kind) {
      case 'idle':
      case 'arming':
        return;
      case 'armed':
        send({ kind: 'armed', run: state.run, clientName: state.clientName, pacing: state.pacing });
        return;
      case 'running':
        send({ kind: 'started', run: state.run, aheadNs: state.aheadNs });
        return;
      case 'draining':
        send({ kind: 'draining', run: state.run, reason: state.reason });
        return;
      case 'reporting':
        // Its draining may have been over before the link was back.
        if (state.stopped !== null) send({ kind: 'draining', run: state.run, reason: state.stopped });
        return;
      case 'refused':
        send({ kind: `${state.step}-refused`, run: state.run, reason: state.reason });
        return;
      default:
        assertNever(state);
    }
  }

  async #beginArming(): Promise<void> {
    const arm = this.#arm;
    if (arm === null) return;
    try {
      const input = await prepareTrial(arm, this.#options);
      // Released in the meantime: the workers never hear of it.
      if (this.#state.kind !== 'arming' || this.#arm !== arm) return;
      this.#armWorkers(new TrialWork(input, this.#options.sender));
    } catch (thrown) {
      if (this.#arm === arm) this.#apply({ kind: 'arming-failed', reason: toFleetError(thrown).message });
    }
  }

  #armWorkers(trial: TrialWork): void {
    this.#trial = trial;
    this.#options.onTrial();
    this.#warnAhead(trial);
    const threads = this.#crew.take(trial.input.arm.grants.length);
    for (const [index, thread] of threads.entries()) {
      const assignment = trial.assignmentOf(index);
      resetCells(thread.cells);
      if (assignment !== null) thread.post({ kind: 'arm', assignment });
    }
    // A plan can be dealt to fewer slots than there are agents.
    if (threads.length === 0) this.#apply({ kind: 'crew-armed', clientName: 'none', pacing: 'none' });
  }

  /** What is worth a word before anything is sent: printed here and now, and stored with the result. */
  #warnAhead(trial: TrialWork): void {
    const { hostWorkers, host, onNotice } = this.#options;
    const own = trial.input.arm.grants.length;
    for (const warning of preflight(trial.input.plan, own, Math.max(hostWorkers, own), host)) {
      onNotice(warning);
      trial.warn(warning);
    }
  }

  #onWorkerMessage(index: number, message: FromWorker): void {
    const trial = this.#trial;
    const thread = this.#crew.threads[index];
    if (trial === null || thread === undefined) return;
    switch (message.kind) {
      case 'armed':
        if (trial.workerArmed(message.slot, message.clientName)) {
          this.#apply({ kind: 'crew-armed', clientName: trial.clientName, pacing: trial.input.pacing.text });
        }
        return;
      case 'handover':
        trial.takeHandover(message, thread);
        return;
      case 'finished':
        trial.workerFinished(message.slot);
        if (trial.isOver) this.#apply({ kind: 'crew-over' });
        return;
      case 'fault':
        this.#onWorkerDeath(index, message.message);
        return;
      default:
        assertNever(message);
    }
  }

  /** A worker is gone; the others go on (R084). */
  #onWorkerDeath(index: number, reason: string): void {
    const trial = this.#trial;
    const slot = trial?.input.arm.grants[index]?.slot;
    this.#options.onNotice(`worker thread ${index} is gone: ${reason}`);
    this.#crew.wear();
    if (trial === null || slot === undefined) return;
    trial.workerLost(slot, reason);
    this.#apply({ kind: 'arming-failed', reason: `worker slot ${slot}: ${reason}` });
    if (trial.isOver) this.#apply({ kind: 'crew-over' });
  }

  /** From here on the lease is the plan's. It may be nearly over by that, so it is asked for at once. */
  #beginLease(): void {
    if (this.leaseNs !== null) this.#lease.limit(this.leaseNs);
    this.#writeLeases();
    this.#options.send({ kind: 'heartbeat', seq: this.askLease() });
  }

  #writeLeases(): void {
    if (this.#state.kind !== 'running') return;
    for (const thread of this.#crew.threads) writeLease(thread.cells, this.#lease.deadlineNs, this.#state.t0Ns);
  }

  #checkLease(): void {
    const state = this.#state;
    if (state.kind !== 'running' || this.#trial === null) return;
    const nowNs = this.#options.timekeeper.nowNs();
    if (nowNs < state.t0Ns || !this.#lease.isLapsed(nowNs - LEASE_GIVE_UP_NS)) return;
    this.#trial.warn(
      `the lease lapsed at run time ${durationText(this.#lease.deadlineNs - state.t0Ns)}: nothing was sent after that`,
    );
    this.#apply({ kind: 'lease-lapsed', drainNs: this.#trial.input.plan.limits.drainNs });
  }

  #reportNews(): void {
    if (this.#state.kind !== 'running' && this.#state.kind !== 'draining') return;
    this.#trial?.reportNews();
    this.#options.onReports();
  }

  #forget(crew: 'keep' | 'dismiss'): void {
    this.#options.telemetry.stop();
    this.#trial = null;
    this.#arm = null;
    if (crew === 'dismiss') this.#crew.dismiss();
    else this.#crew.dismissWorn();
    this.#options.onIdle();
  }
}
