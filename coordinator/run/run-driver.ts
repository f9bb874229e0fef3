/**
 * Carries out the effects of one run's state machine: arms, starts, stops and releases agents, applies their reports, keeps the
 * deadline, and writes the run's record. All decisions are in `advance-run.ts`; all sums are in the merge.
 */
import { assertNever } from '../../shared/assert-never.ts';
import { isOpenEnded, planEndNs } from '../../shared/plan/release-end.ts';
import type { Join, RunKey } from '../../shared/rpc/control-message.ts';
import { isSameRun } from '../../shared/rpc/control-message.ts';
import { type ReportAck, type ReportMessage, reportText } from '../../shared/rpc/report-message.ts';
import type { ProbeDeal } from '../../shared/schedule/deal.ts';
import type { Timekeeper } from '../../shared/time/timekeeper.ts';
import { LOADFLEET_VERSION } from '../../shared/version.ts';
import { dealSlots } from '../fleet/deal-slots.ts';
import type { RunMessage } from '../fleet/fleet.ts';
import type { Member } from '../fleet/member.ts';
import type { ProgressState } from '../report/progress.ts';
import { NO_SCRAPING, ServerScraping } from '../scrape/server-scraping.ts';
import { endWarnings } from './end-warnings.ts';
import type { EndedRun } from './ended-run.ts';
import { LoopLag } from './loop-lag.ts';
import { RunDeadline } from './run-deadline.ts';
import type { RunEnd, RunRecord } from './run-record.ts';
import { RunReports, type TakenReport } from './run-reports.ts';
import { type RunRequest, runShapeOf } from './run-request.ts';
import { RunOrders } from './run-orders.ts';
import { RunRoster } from './run-roster.ts';
import { advanceRun, REPORT_MARGIN_NS } from './advance-run.ts';
import {
  deadlineOf,
  goesByPlan,
  plannedRun,
  type RunEffect,
  type RunEvent,
  type RunHappening,
  type RunShape,
  type RunState,
} from './run-state.ts';
import { startLeadNs } from './start-lead.ts';

export interface RunDriverOptions {
  readonly run: RunKey;
  readonly request: RunRequest;
  readonly timekeeper: Timekeeper;
  /** Members that can be given work now. */
  readonly readyMembers: () => readonly Member[];
  /** True while nothing beyond this host can take part. */
  readonly isLoopback: boolean;
  readonly onNotice: (text: string) => void;
}

export class RunDriver {
  readonly run: RunKey;
  readonly #options: RunDriverOptions;
  readonly #shape: RunShape;
  readonly #roster = new RunRoster();
  readonly #orders: RunOrders;
  readonly #ended = Promise.withResolvers<EndedRun>();
  readonly #warnings = new Set<string>();
  #state: RunState;
  readonly #reports: RunReports;
  #probe: ProbeDeal | null = null;
  #startedAtMs: number;
  #t0Ns: number | null = null;
  readonly #deadline: RunDeadline;
  readonly #ownLag: LoopLag;
  #scraping: Pick<ServerScraping, 'end'> = NO_SCRAPING;

  /** @throws FleetError `plan` for a plan this build cannot run. */
  constructor(options: RunDriverOptions) {
    const { run, request, timekeeper } = options;
    const { plan } = request.bundle;
    this.run = run;
    this.#options = options;
    this.#shape = runShapeOf(request);
    this.#orders = new RunOrders(run, plan, this.#roster);
    this.#reports = new RunReports(run, request);
    this.#deadline = new RunDeadline(timekeeper, REPORT_MARGIN_NS, () => this.#happen({ kind: 'deadline' }));
    this.#startedAtMs = timekeeper.wallMs();
    this.#ownLag = new LoopLag(timekeeper);
    this.#state = plannedRun(this.#shape, timekeeper.nowNs());
    this.#deadline.set(deadlineOf(this.#state));
    this.membersChanged();
  }

  /** Resolves when the run is over, however it ended. */
  get ended(): Promise<EndedRun> {
    return this.#ended.promise;
  }

  get state(): RunState {
    return this.#state;
  }

  /** The content of one of the plan's files; null when it has no such file. */
  blob(sha256: string): Uint8Array | null {
    return this.#options.request.bundle.blobs.get(sha256) ?? null;
  }

  /** Members became ready: enough of them begin the arming. */
  membersChanged(): void {
    if (this.#state.kind !== 'planned') return;
    const agents = this.#options.readyMembers().map((member) => member.identity.agentId);
    this.#happen({ kind: 'agents-ready', agents });
  }

  /** A member has (re)joined: it is told again what it may have missed, or released from a run it should not be in. */
  memberJoined(member: Member, join: Join): void {
    const { agentId, incarnation } = member.identity;
    if (this.#roster.isAlive(agentId, incarnation)) {
      this.#roster.renew(member);
      const missed = this.#orders.last(member, this.#state);
      if (missed !== null) member.send(missed);
    } else if (join.current !== null) {
      member.send({ kind: 'release', run: join.current, reason: 'the coordinator went on without this agent' });
    }
  }

  /** A member said something about a run. */
  memberSaid(member: Member, message: RunMessage): void {
    const { agentId, incarnation } = member.identity;
    if (!isSameRun(message.run, this.run) || !this.#roster.isAlive(agentId, incarnation)) return;
    switch (message.kind) {
      case 'armed':
        this.#roster.armed(agentId, message.clientName, message.pacing);
        this.#happen({ kind: 'armed', agent: agentId, startLeadNs: this.#startLeadNs() });
        return;
      case 'arm-refused':
        this.#happen({ kind: 'refused', agent: agentId, step: 'arm', reason: message.reason });
        return;
      case 'start-refused':
        this.#happen({ kind: 'refused', agent: agentId, step: 'start', reason: message.reason });
        return;
      case 'started':
        this.#roster.started(agentId);
        return;
      case 'draining':
        this.#options.onNotice(`agent ${agentId} stops: ${message.reason}`);
        if (goesByPlan(this.#state)) this.#roster.stopped(agentId, this.#runTimeNs() ?? 0, message.reason);
        return;
      default:
        assertNever(message);
    }
  }

  /** A member is gone for good. */
  memberGone(member: Member, reason: string): void {
    const { agentId, incarnation } = member.identity;
    if (this.#roster.isAlive(agentId, incarnation)) this.#happen({ kind: 'agent-lost', agent: agentId, reason });
  }

  /** An agent of a fleet that gets no other is gone: a run that has not begun cannot begin any more. */
  memberMissing(agentId: string, reason: string): void {
    this.#happen({ kind: 'agent-missing', agent: agentId, reason });
  }

  /** Asks the run to end: the first time with a drain and full report, the second time (or `abrupt`) at once. */
  stop(signal: 'SIGINT' | 'SIGTERM' | 'stop', abrupt: boolean): void {
    this.#happen({ kind: 'stop', signal, abrupt });
  }

  /**
   * Takes one report and gives its answer. The answer is given only when the report counts: whatever must survive a crash is
   * stored between taking and `answer`.
   */
  takeReport(message: ReportMessage, answer: (ack: ReportAck) => void): void {
    const { key } = message;
    const { outcome, isFinal } = this.#take(message);
    if (outcome.kind === 'broken') this.#happen(outcome);
    switch (outcome.kind) {
      case 'broken':
      case 'rejected':
        // One of an earlier run says nothing of this one.
        if (isSameRun(key, this.run)) this.#warnings.add(`${reportText(key)} was rejected: ${outcome.reason}`);
        answer({ kind: 'rejected', key, reason: outcome.reason });
        return;
      case 'applied':
      case 'duplicate':
        answer({ kind: outcome.kind, key });
        break;
      default:
        assertNever(outcome);
    }
    if (!isFinal) return;
    this.#noteShortEnd(key.agentId);
    // Reports come in the order of their numbers: behind the final one nothing is on its way any more.
    this.#happen({ kind: 'agent-done', agent: key.agentId });
  }

  /** Who ended by itself says so on Control; with the link away that is lost, or later than the last report. The books must know it. */
  #noteShortEnd(agentId: string): void {
    if (!goesByPlan(this.#state)) return;
    const endNs = planEndNs(this.#options.request.bundle.plan);
    const isShort = this.#roster.grantsOf(agentId).some(({ slot }) => {
      const { state, decidedThroughNs } = this.#reports.merge.progressOf(slot);
      return state === 'finished' && decidedThroughNs <= endNs;
    });
    if (isShort) this.#roster.endedShort(agentId, this.#runTimeNs() ?? 0);
  }

  /** Where the run is, for the progress line. */
  progress(): ProgressState {
    const { plan } = this.#options.request.bundle;
    const elapsedNs = this.#runTimeNs() ?? 0;
    const phase = plan.phases.find(
      (one) => elapsedNs >= one.startNs && (isOpenEnded(one) || elapsedNs < one.startNs + one.durationNs),
    );
    return {
      elapsedNs,
      plannedNs: planEndNs(plan),
      state: this.#state.kind,
      phase: this.#runTimeNs() === null ? null : (phase?.name ?? null),
      agentsAlive: this.#roster.aliveCount,
      agentsTotal: this.#roster.size,
      latest: this.#reports.merge.latest(),
    };
  }

  #take(message: ReportMessage): TakenReport {
    const { key } = message;
    if (isSameRun(key, this.run) && this.#roster.has(key.agentId, key.incarnation)) return this.#reports.take(message);
    return { outcome: { kind: 'rejected', reason: 'it does not belong to the present run' }, isFinal: false };
  }

  #happen(happening: RunHappening): void {
    const event = { ...happening, nowNs: this.#options.timekeeper.nowNs() } as RunEvent;
    const { state, effects } = advanceRun(this.#shape, this.#state, event);
    this.#state = state;
    this.#deadline.set(deadlineOf(state));
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: RunEffect): void {
    switch (effect.kind) {
      case 'arm-agents':
        this.#armAgents(effect.agents);
        return;
      case 'start-agents':
        this.#t0Ns = effect.t0Ns;
        this.#roster.keepClocks();
        this.#startedAtMs = this.#options.timekeeper.wallMs();
        for (const member of this.#roster.members) member.send(this.#orders.start(member, effect.t0Ns));
        this.#scraping = new ServerScraping(this.#options.request.bundle.plan, effect.t0Ns, this.#options.timekeeper);
        return;
      case 'stop-agents':
        for (const member of this.#roster.members) {
          member.send({ kind: 'stop', run: this.run, drainNs: effect.drainNs, reason: effect.reason });
        }
        return;
      case 'mark-lost':
        for (const agent of effect.agents) this.#roster.lost(agent, this.#runTimeNs() ?? 0, effect.reason);
        return;
      case 'end-run':
        this.#endRun(effect.end);
        return;
      default:
        assertNever(effect);
    }
  }

  #armAgents(agents: readonly string[]): void {
    const { request, readyMembers } = this.#options;
    const { plan } = request.bundle;
    const members = readyMembers().filter((member) => agents.includes(member.identity.agentId));
    const deal = dealSlots(
      members.map((member) => member.identity),
      plan.laneCount,
      plan.fleet.workers,
      request.probe,
    );
    this.#probe = deal.probe;
    for (const member of members) this.#roster.add(member, deal.grants.get(member.identity.agentId) ?? []);
    this.#reports.begin(this.#roster.slotOwners());
    for (const member of members) member.send(this.#orders.arm(member));
  }

  #startLeadNs(): number {
    const { request, isLoopback } = this.#options;
    return startLeadNs(request.bundle.plan.fleet.startLeadNs, isLoopback, this.#roster.roundTripMaxNs());
  }

  /** Run time now; null before T0 is fixed. */
  #runTimeNs(): number | null {
    return this.#t0Ns === null ? null : this.#options.timekeeper.nowNs() - this.#t0Ns;
  }

  #endRun(end: RunEnd): void {
    this.#deadline.cancel();
    this.#ownLag.stop();
    for (const member of this.#roster.members) member.send(this.#orders.release({ kind: end.kind, end }));
    const { bundle, command } = this.#options.request;
    const record: Omit<RunRecord, 'servers' | 'requestFile'> = {
      runId: this.run.runId,
      trial: this.run.trial,
      startedAtMs: this.#startedAtMs,
      durationNs: Math.max(0, this.#runTimeNs() ?? 0),
      loadfleetVersion: LOADFLEET_VERSION,
      command,
      plan: bundle.plan,
      effectiveYaml: bundle.effectiveYaml,
      secrets: bundle.secrets,
      agents: this.#roster.records(),
      workerSlots: this.#roster.workerSlots,
      probe: this.#probe,
      end,
      warnings: [...this.#warnings, ...endWarnings(this.#roster, end, this.#ownLag.longestNs)],
    };
    const { merge, parts } = this.#reports;
    const isAbrupt = end.kind === 'interrupted' && end.abrupt;
    const files = Promise.all([this.#scraping.end(isAbrupt), this.#reports.endRequestFile()]);
    void files.then(([servers, requestFile]) => {
      this.#ended.resolve({ record: { ...record, servers, requestFile }, merge, blobs: bundle.blobs, parts });
    });
  }
}
