/**
 * One trial on one worker: the turn that the loop takes again and again from T0 to the end of the drain (design §6). A turn
 * measures the loop, fails what timed out, releases what is due, hands over at a window's end, works ahead while there is time,
 * and plans the next turn. It holds no socket and no protocol; the thread's messages are `worker-main.ts`'s.
 */

import type { ProtocolClient } from '../client/protocol-client.ts';
import type { Phase, Plan } from '../../shared/plan/plan.ts';
import { planEndNs } from '../../shared/plan/release-end.ts';
import type { ArrivalStream } from '../../shared/schedule/arrival-stream.ts';
import type { Clock } from '../../shared/time/monotonic-clock.ts';
import { AnswerTexts } from './answer-texts.ts';
import { BatchProgress } from './batch-progress.ts';
import type { BlockStore } from './block-store.ts';
import { ClientTraffic } from './client-traffic.ts';
import { ClosedLoop } from './closed-loop.ts';
import { Dispatcher } from './dispatcher.ts';
import { drainAfterPlan, drainAfterStop, drainChoreNs, type DrainState, isDrained, releasing } from './drain.ts';
import { FidelityMeter } from './fidelity-meter.ts';
import { InFlight } from './in-flight.ts';
import type { LeaseGate } from './lease-gate.ts';
import type { GcAccount } from './gc-pauses.ts';
import { LoopGapMeter } from './loop-gap.ts';
import { LoopWork } from './loop-work.ts';
import { PhaseEnds } from './phase-ends.ts';
import { OverPhases } from './over-phases.ts';
import { Pacer, type TurnScheduler } from './pacer.ts';
import type { PacingMode } from './pacing-plan.ts';
import { WINDOW_NS, windowOf } from '../../shared/metrics/window.ts';
import { Recorder } from './recorder.ts';
import type { RequestLog } from './request-log.ts';
import { ChainQueue } from './request-chain.ts';
import type { RequestsAhead } from './requests-ahead.ts';
import type { RequestRenderer } from './request-renderer.ts';
import { createAnswerReaders } from './llm-answer-reader.ts';
import { Sessions } from './sessions.ts';
import { SloCheck } from './slo-check.ts';
import { StatusExpectation } from './status-expectation.ts';
import type { WorkerHandover } from './worker-messages.ts';

/** Time between looks at the lease while something may be held back by it, ns. */
const HELD_POLL_NS = 50_000_000;
/** A slice of work ahead takes at most 0.1 ms; it is done when the next arrival is at least this far away, ns. */
const SLACK_NS = 150_000;
/** At rates that never leave such a gap, one slice is done this often all the same, ns: the stream must not run dry. */
const FORCED_AHEAD_NS = 1_000_000;
/** Workers hand over this far apart, ns, so that they do not all transfer at once; after `STAGGER_SLOTS` it starts again. */
const STAGGER_NS = 15_000_000;
const STAGGER_SLOTS = 16;

export interface TrialParts {
  readonly plan: Plan;
  readonly slot: number;
  readonly pacing: PacingMode;
  /** Run time; its zero is set before `begin`. */
  readonly clock: Clock;
  readonly scheduler: TurnScheduler;
  /** Time the loop has been blocked in its poll, ns. */
  readonly readIdleNs: () => number;
  /** Pauses of the garbage collector since the last call; null when they are not observed. */
  readonly takeGcPauses: () => GcAccount | null;
  readonly gate: LeaseGate;
  readonly stream: ArrivalStream;
  /** Own lanes, ascending. */
  readonly lanes: Int32Array;
  readonly renderer: RequestRenderer;
  /** Renders requests ahead of need; null where they are made in no time. */
  readonly ahead: Pick<RequestsAhead, 'renderAhead'> | null;
  readonly client: ProtocolClient;
  readonly store: BlockStore;
  /** Keeps a row of each request that ends; null = not wanted. */
  readonly log: RequestLog | null;
  readonly onHandover: (handover: WorkerHandover) => void;
  /** After the last hand-over. */
  readonly onFinished: () => void;
  /** Runs a turn, and takes care of what it throws. */
  readonly guard: (turn: () => void) => void;
}

export class Trial {
  readonly #parts: TrialParts;
  readonly #recorder: Recorder;
  readonly #phaseEnds: PhaseEnds;
  readonly #overPhases: OverPhases;
  readonly #batches: BatchProgress;
  readonly #inFlight: InFlight;
  readonly #dispatcher: Dispatcher;
  readonly #chains = new ChainQueue();
  readonly #closed: ClosedLoop;
  readonly #pacer: Pacer;
  readonly #gap: LoopGapMeter;
  readonly #work = new LoopWork();
  readonly #traffic: ClientTraffic;
  /** More can be rendered ahead: no sleep before that. */
  #wantsTurn = false;
  /** Something happened since the last turn. */
  #hadEvent = false;
  readonly #planEndNs: number;
  #drain: DrainState = releasing;
  #phase = 0;
  #previousTurnNs = -Infinity;
  #sleptSinceTurn = false;
  #nextHandoverNs: number;
  #lastAheadNs = -Infinity;

  constructor(parts: TrialParts) {
    const { plan, clock, client, store, slot } = parts;
    this.#parts = parts;
    const names = plan.requests.map((request) => request.name);
    const readers = createAnswerReaders(plan);
    this.#recorder = new Recorder(
      store,
      names,
      new SloCheck(plan.slo),
      slot,
      new FidelityMeter(plan.phases),
      (template) => readers.reads(template),
      parts.log,
      plan.requests.some(({ llm }) => llm !== null && llm.tokenizer !== null) ? new AnswerTexts() : null,
    );
    this.#phaseEnds = new PhaseEnds(plan.phases);
    this.#overPhases = new OverPhases(plan.phases, plan.limits.phaseGraceNs);
    this.#batches = new BatchProgress(plan);
    this.#inFlight = new InFlight({
      clock,
      client,
      recorder: this.#recorder,
      gate: parts.gate,
      readers,
      limits: plan.limits,
      phaseEnds: this.#phaseEnds,
      batches: this.#batches,
      expectations: plan.requests.map((request) => new StatusExpectation(request.expect)),
      onActivity: this.#onActivity,
    });
    this.#closed = new ClosedLoop({
      ...parts,
      queue: this.#chains,
      onPause: (phase, tNs) => this.#recorder.countMany(phase, tNs, 'closed-pauses', 1),
    });
    this.#dispatcher = new Dispatcher({
      ...parts,
      inFlight: this.#inFlight,
      recorder: this.#recorder,
      chains: this.#chains,
      sessions: Sessions.areIn(plan)
        ? new Sessions({
            ...parts,
            queue: this.#chains,
            onCount: (phase, tNs, counter, by) => this.#recorder.countMany(phase, tNs, counter, by),
          })
        : null,
    });
    this.#pacer = new Pacer(parts.pacing, clock, parts.scheduler, () => parts.guard(this.#turn));
    this.#gap = new LoopGapMeter(
      () => parts.readIdleNs() + this.#pacer.blockedNs,
      (gapNs, tNs) => {
        if (tNs >= 0) this.#recorder.loopGap(this.#phaseAt(tNs), tNs, gapNs);
      },
    );
    this.#planEndNs = planEndNs(plan);
    this.#nextHandoverNs = WINDOW_NS + (slot % STAGGER_SLOTS) * STAGGER_NS;
    this.#traffic = new ClientTraffic(client.counters, plan.phases, (phase, tNs, counter, by) =>
      this.#recorder.countMany(phase, tNs, counter, by),
    );
  }

  /** A text for the report's warnings. */
  warn(text: string): void {
    this.#recorder.warn(text);
  }

  /** Work that may be done before T0: generates ahead and makes blocks. False when nothing is left to do. */
  workAhead(): boolean {
    const streamMore = this.#parts.stream.workAhead();
    return this.#parts.store.workAhead() || this.#logAhead() || this.#renderAhead() || streamMore;
  }

  /** Begins taking turns; the clock's zero is known now. */
  begin(): void {
    this.#gap.reset();
    this.#traffic.begin();
    this.#pacer.turnSoon();
  }

  /** Stops releasing and drains for at most `drainNs`. */
  stop(drainNs: number): void {
    const nowNs = this.#parts.clock.nowNs();
    this.#dispatcher.stop(nowNs);
    this.#drain = drainAfterStop(this.#drain, nowNs, drainNs);
    this.#pacer.turnSoon();
  }

  /** Takes no further turn; what is open is left to the client's end. */
  abandon(): void {
    this.#pacer.stop();
  }

  readonly #onActivity = (tNs: number): void => {
    // What fell due by now does not wait for all the reads of this poll: under load they take up to a millisecond.
    if (this.#drain.kind === 'releasing' && this.#dispatcher.nextArrivalNs() <= tNs) this.#dispatcher.releaseOne();
    // A turn soon measures the loop, learns of a new deadline, and sees the last request of a drain end.
    this.#hadEvent = true;
    if (this.#pacer.sleeping) this.#pacer.turnSoon();
  };

  readonly #turn = (): void => {
    const { clock } = this.#parts;
    const nowNs = clock.nowNs();
    const gapNs = this.#gap.turn(nowNs, this.#sleptSinceTurn);
    this.#work.turn(nowNs, gapNs, this.#hadEvent || this.#sleptSinceTurn);
    this.#hadEvent = false;
    if (nowNs >= this.#traffic.edgeNs) this.#traffic.book(nowNs);
    // By then the loop has polled its sockets: what was late because of us is neither a timeout nor a batch that does not go forward.
    const polledNs = this.#previousTurnNs;
    this.#inFlight.expire(polledNs);
    this.#previousTurnNs = nowNs;
    for (let over = this.#overPhases.take(nowNs); over !== null; over = this.#overPhases.take(nowNs))
      this.#inFlight.giveUpHeldBack(over, nowNs);
    if (this.#drain.kind === 'releasing') this.#release(nowNs, polledNs);
    else if (this.#chains.length > 0) this.#dispatcher.releaseFollowing();
    this.#inFlight.pump();
    if (nowNs >= this.#nextHandoverNs && this.#dispatcher.settled) this.#handOver(nowNs, false);
    const open = this.#inFlight.openCount + this.#inFlight.queuedCount + this.#chains.length;
    if (isDrained(this.#drain, nowNs, open)) {
      this.#finish(nowNs);
      return;
    }
    this.#useSlack(nowNs);
    this.#planNext();
  };

  #release(nowNs: number, polledNs: number): void {
    this.#dispatcher.releaseDue();
    if (this.#dispatcher.exhausted && !this.#closed.isIssuing(nowNs) && this.#batches.isWorkedOff(polledNs)) {
      this.#drain = drainAfterPlan(this.#planEndNs, nowNs, this.#parts.plan.limits.drainNs);
    }
  }

  #useSlack(nowNs: number): void {
    const slack = this.#nextReleaseNs() - nowNs >= SLACK_NS;
    this.#wantsTurn = slack && this.#renderAhead();
    if (!slack && nowNs - this.#lastAheadNs < FORCED_AHEAD_NS) return;
    this.#lastAheadNs = nowNs;
    if (!this.#parts.stream.workAhead() && slack && !this.#parts.store.workAhead()) this.#logAhead();
  }

  #renderAhead(): boolean {
    return this.#parts.ahead?.renderAhead() ?? false;
  }

  #logAhead(): boolean {
    return this.#parts.log?.workAhead() ?? false;
  }

  #planNext(): void {
    const nowNs = this.#parts.clock.nowNs();
    const isQuiet = this.#inFlight.openCount === 0 && this.#inFlight.queuedCount === 0;
    const choreNs = Math.min(
      this.#wantsTurn ? nowNs : Infinity,
      // Over is what lies behind the instant, not at it.
      isQuiet ? Infinity : this.#overPhases.nextNs + 1,
      this.#nextHandoverNs,
      this.#traffic.edgeNs,
      drainChoreNs(this.#drain, nowNs),
      this.#drain.kind === 'releasing' && this.#closed.endNs > nowNs ? this.#closed.endNs : Infinity,
      this.#inFlight.nextDeadlineNs(),
      this.#dispatcher.held || this.#inFlight.queuedCount > 0 ? nowNs + HELD_POLL_NS : Infinity,
    );
    this.#sleptSinceTurn = this.#pacer.waitFor(nowNs, this.#nextReleaseNs(), choreNs, isQuiet);
  }

  /** The next instant at which something may be released: none while held back, and of the schedule none while draining. */
  #nextReleaseNs(): number {
    if (this.#dispatcher.held) return Infinity;
    const followingNs = this.#chains.peekNs();
    return this.#drain.kind === 'releasing' ? Math.min(this.#dispatcher.nextArrivalNs(), followingNs) : followingNs;
  }

  #finish(nowNs: number): void {
    this.#pacer.stop();
    // What is due by now is a timeout, not unfinished; both are decided by this one reading of the clock.
    this.#inFlight.expire(nowNs);
    this.#inFlight.giveUpAll(nowNs);
    this.#handOver(nowNs, true);
    this.#parts.onFinished();
  }

  #handOver(nowNs: number, last: boolean): void {
    this.#traffic.book(nowNs);
    for (const warning of this.#parts.client.takeWarnings()) this.#recorder.warn(warning);
    const decidedThroughNs = this.#dispatcher.decidedThroughNs();
    const undecidedNs = Math.min(decidedThroughNs, this.#chains.peekNs());
    const completeBelowWindow = Math.min(windowOf(nowNs), windowOf(undecidedNs));
    const peaks = this.#inFlight.takePeaks();
    const handover = this.#recorder.handOver({
      completeBelowWindow: last ? windowOf(nowNs) + 1 : completeBelowWindow,
      // A window that a stop cut short is not compared: nobody planned to send half of it.
      pacedBelowWindow: last && this.#dispatcher.exhausted ? Infinity : completeBelowWindow,
      decidedThroughNs,
      gauges: [
        { name: 'inFlightMax', value: peaks.open },
        { name: 'queueMax', value: peaks.queued },
        { name: 'pacingMarginNs', value: this.#pacer.marginNs },
        ...this.#phaseEnds.take(last),
        ...this.#loopGauges(),
        ...this.#parts.client.gauges(),
      ],
      last,
    });
    while (this.#nextHandoverNs <= nowNs) this.#nextHandoverNs += WINDOW_NS;
    this.#parts.onHandover(handover);
  }

  #loopGauges(): WorkerHandover['gauges'] {
    const { busyNs, totalNs, gapMaxNs } = this.#work.take();
    const pauses = this.#parts.takeGcPauses();
    return [
      { name: 'loopBusyNs', value: busyNs },
      { name: 'loopTotalNs', value: totalNs },
      { name: 'loopBusyShare', value: totalNs === 0 ? null : busyNs / totalNs },
      { name: 'loopGapMaxNs', value: gapMaxNs },
      { name: 'gcPauseMaxNs', value: pauses?.longestNs ?? null },
      { name: 'gcPauseTotalNs', value: pauses?.totalNs ?? null },
    ];
  }

  /** The phase that run time `tNs` falls in; after the plan's end the last one. Time only goes on. */
  #phaseAt(tNs: number): number {
    const { phases } = this.#parts.plan;
    while (this.#phase + 1 < phases.length && (phases[this.#phase + 1] as Phase).startNs <= tNs) this.#phase += 1;
    return this.#phase;
  }
}
