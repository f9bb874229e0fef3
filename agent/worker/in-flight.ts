/**
 * The requests a worker has accepted and not yet seen the end of: at most `maxInFlight` with the client, the rest in a FIFO
 * (design §6). It holds their deadlines, and gives them up when the drain is over. Objects are pooled: memory is bounded by the
 * limits, whatever the target does (R004). It knows no protocol and no schedule.
 */

import type { OutboundRequest, ProtocolClient } from '../client/protocol-client.ts';
import type { Outcome } from '../../shared/metrics/outcome.ts';
import type { Limits } from '../../shared/plan/plan.ts';
import type { Arrival } from '../../shared/schedule/arrival-stream.ts';
import type { Clock } from '../../shared/time/monotonic-clock.ts';
import { assertInvariant } from '../../shared/fleet-error.ts';
import type { AnswerReaders } from './answer-reader.ts';
import type { BatchProgress } from './batch-progress.ts';
import { DeadlineList } from './deadline-list.ts';
import type { LeaseGate } from './lease-gate.ts';
import { OpenRequest, type RequestOwner } from './open-request.ts';
import type { PhaseEnds } from './phase-ends.ts';
import type { Recorder } from './recorder.ts';
import type { RequestChain } from './request-chain.ts';
import { Fifo } from '../client/fifo.ts';
import type { StatusExpectation } from './status-expectation.ts';

const UNANSWERED: Outcome = { kind: 'failed', class: 'timeout', status: null, detail: 'no answer within the timeout' };
const UNENDED: Outcome = {
  kind: 'failed',
  class: 'timeout',
  status: null,
  detail: 'the answer had begun, and did not end within the timeout',
};
const IDLE_TOO_LONG: Outcome = {
  kind: 'failed',
  class: 'timeout',
  status: null,
  detail: 'silent beyond the idle limit',
};
/** Given to the client only: the answer ended with its marker. */
const LEFT_OPEN: Outcome = { kind: 'failed', class: 'timeout', status: null, detail: 'open behind the end marker' };
/** How long a server may take from the end marker of an answer to the end of its body, ns. */
const CLOSE_NS = 1e9;
/** Given to the client only; the books say `unfinished`. */
const GIVEN_UP: Outcome = {
  kind: 'failed',
  class: 'timeout',
  status: null,
  detail: 'given up at the end of its phase or of the drain',
};

export interface InFlightParts {
  readonly clock: Clock;
  readonly client: ProtocolClient;
  readonly recorder: Recorder;
  readonly limits: Limits;
  readonly phaseEnds: PhaseEnds;
  readonly batches: BatchProgress;
  /** Asked before a queued request is sent. */
  readonly gate: LeaseGate;
  /** By position in `Plan.requests`. */
  readonly expectations: readonly StatusExpectation[];
  readonly readers: AnswerReaders;
  /** Called after each event of a request with its instant: a sleeping loop looks again, a busy one sees what is due. */
  readonly onActivity: (tNs: number) => void;
}

export class InFlight implements RequestOwner {
  readonly #parts: InFlightParts;
  readonly #pool: OpenRequest[] = [];
  /** With the client; a request's `openIndex` is its place. */
  readonly #open: OpenRequest[] = [];
  readonly #queue = new Fifo<OpenRequest>();
  readonly #timeouts: DeadlineList<OpenRequest>;
  readonly #idles: DeadlineList<OpenRequest> | null;
  readonly #closes = new DeadlineList<OpenRequest>(CLOSE_NS);
  /** The pieces of a body are wanted for every request: for the idle limit, or because rows have their number of bytes. */
  readonly #wantsAllBytes: boolean;
  #mode: 'running' | 'pumping' | 'closed' = 'running';
  /** The request that is being given up. */
  #givenUp: OpenRequest | null = null;
  #openPeak = 0;
  #queuePeak = 0;

  constructor(parts: InFlightParts) {
    this.#parts = parts;
    this.#timeouts = new DeadlineList(parts.limits.timeoutNs);
    const { idleTimeoutNs } = parts.limits;
    this.#idles = idleTimeoutNs === null ? null : new DeadlineList(idleTimeoutNs);
    this.#wantsAllBytes = this.#idles !== null || parts.recorder.keepsRows;
  }

  /** Requests with the client. */
  get openCount(): number {
    return this.#open.length;
  }

  /** Requests that wait above `maxInFlight`. */
  get queuedCount(): number {
    return this.#queue.length;
  }

  /** The cap is full of bodies that are still being decoded: without these there would be room. */
  get isFullOfDecoding(): boolean {
    const { client, limits } = this.#parts;
    const { decodingCount } = client;
    return decodingCount > 0 && this.#open.length - decodingCount + this.#queue.length < limits.maxInFlight;
  }

  /** Highest `openCount` and `queuedCount` since the last call. */
  takePeaks(): { open: number; queued: number } {
    const peaks = { open: this.#openPeak, queued: this.#queuePeak };
    this.#openPeak = this.#open.length;
    this.#queuePeak = this.#queue.length;
    return peaks;
  }

  /**
   * Accepts an arrival released at `releasedNs`: to the client when there is room below `maxInFlight`, else to the queue. `arrival` is
   * not kept. `chain` is told of the request's end, unless the drain is over before; one whose phase is over before it left counts to it as dropped.
   */
  accept(
    arrival: Arrival,
    template: number,
    releasedNs: number,
    outbound: OutboundRequest,
    chain: RequestChain | null = null,
  ): void {
    const { phase, intendedNs } = arrival;
    const request = this.#pool.pop() ?? new OpenRequest(this, this.#wantsAllBytes);
    request.open(phase, template, intendedNs, releasedNs);
    request.identify(arrival);
    request.chain = chain;
    const turn = chain?.turn ?? 0;
    request.turn = turn;
    request.outbound = outbound;
    request.reader = this.#parts.readers.take(template);
    this.#parts.batches.accepted(request, releasedNs);
    if (this.#open.length < this.#parts.limits.maxInFlight && this.#queue.length === 0) {
      this.#toClient(request);
    } else {
      request.onWait('queue', releasedNs);
      if (this.isFullOfDecoding) this.#parts.recorder.countMany(phase, intendedNs, 'held-by-decoding', 1);
      this.#queue.push(request);
      if (this.#queue.length > this.#queuePeak) this.#queuePeak = this.#queue.length;
    }
    // The send comes first, the books after: the object may be another request by now.
    this.#parts.recorder.attempted(phase, template, intendedNs, releasedNs, turn);
  }

  /** The next deadline, Infinity when there is none. */
  nextDeadlineNs(): number {
    return Math.min(this.#timeouts.earliestNs(), this.#closes.earliestNs(), this.#idles?.earliestNs() ?? Infinity);
  }

  /**
   * Fails what was due at `untilNs`. Pass the instant of the turn before: then the loop has polled its sockets at least once
   * after the deadline, and an answer that was there in time is not called late because we were (R017).
   */
  expire(untilNs: number): void {
    this.#expire(this.#timeouts, untilNs, ({ stage }) => (stage === 'answered' ? UNENDED : UNANSWERED));
    if (this.#idles !== null) this.#expire(this.#idles, untilNs, () => IDLE_TOO_LONG);
    this.#expire(this.#closes, untilNs, () => LEFT_OPEN);
  }

  /** Gives up what is still queued, as unfinished: after a stop nothing more is sent. */
  giveUpQueued(nowNs: number): void {
    for (let request = this.#queue.shift(); request !== null; request = this.#queue.shift()) {
      this.#giveUpQueuedOne(request, nowNs);
    }
  }

  /**
   * `phase` is over: gives up those of its arrivals that a limit of the plan still holds back, as unfinished with their age. Later turns
   * of sessions go on: they may be due behind the end of their phase.
   */
  giveUpHeldBack(phase: number, nowNs: number): void {
    for (let left = this.#queue.length; left > 0; left -= 1) {
      const request = this.#queue.shift() as OpenRequest;
      const { chain } = request;
      if (request.phase !== phase || request.turn > 0) this.#queue.push(request);
      else {
        this.#giveUpQueuedOne(request, nowNs);
        chain?.dropped(nowNs);
      }
    }
    const held = this.#open.filter((request) => request.phase === phase && request.turn === 0 && request.isHeldBack);
    const generations = held.map(({ generation }) => generation);
    for (const [index, request] of held.entries()) {
      // The end of another may have made it end, too, and the object may be another request by now.
      if (request.generation !== generations[index]) continue;
      const { chain } = request;
      this.#giveUp(request, nowNs);
      chain?.dropped(nowNs);
    }
  }

  /** The drain is over: gives up everything, as unfinished with its age at `nowNs`. */
  giveUpAll(nowNs: number): void {
    this.#mode = 'closed';
    for (let request = this.#open.at(-1); request !== undefined; request = this.#open.at(-1)) {
      const before = this.#open.length;
      this.#giveUp(request, nowNs);
      assertInvariant(this.#open.length < before, 'client: an aborted request did not end');
    }
    this.giveUpQueued(nowNs);
  }

  sent(request: OpenRequest): void {
    this.#timeouts.start(request.timeoutNode, request.sendNs);
    this.#parts.batches.sent(request, request.sendNs);
    this.#parts.recorder.sent(request);
    this.#parts.onActivity(request.sendNs);
  }

  firstByte(request: OpenRequest): void {
    this.#idles?.start(request.idleNode, request.firstByteNs);
    this.#parts.onActivity(request.firstByteNs);
  }

  bytes(request: OpenRequest, tNs: number): void {
    this.#idles?.start(request.idleNode, tNs);
    const overNs = request.reader?.overNs ?? null;
    if (overNs !== null && !request.closeNode.listed) this.#closes.start(request.closeNode, tNs);
    this.#parts.onActivity(tNs);
  }

  ended(request: OpenRequest, outcome: Outcome): void {
    this.#timeouts.remove(request.timeoutNode);
    this.#idles?.remove(request.idleNode);
    this.#closes.remove(request.closeNode);
    this.#forget(request);
    const { recorder, phaseEnds, batches } = this.#parts;
    const { endNs } = request;
    if (!request.wasSent) batches.endedUnsent(request);
    const atMarker = endAtMarker(request, outcome);
    const isGivenUp = request === this.#givenUp;
    // From here on the object may become another request.
    if (isGivenUp) this.#givenUp = null;
    if (isGivenUp && atMarker === null && !isOwnFault(outcome)) {
      recorder.unfinished(request, outcome.status);
    } else {
      phaseEnds.note(request.phase, request.endNs);
      const judged = this.#judge(request, atMarker ?? outcome);
      recorder.ended(request, judged);
      // What comes next follows the end of the work on this one, which nobody could have begun before: of its connection, and of its decoding.
      request.endNs = request.outbound?.decodes === true ? this.#parts.clock.nowNs() : endNs;
      if (!isGivenUp) request.chain?.ended(request, judged);
    }
    this.#recycle(request);
    this.pump();
    this.#parts.onActivity(endNs);
  }

  /**
   * Sends queued requests while there is room and the lease allows it. A send that ends at once comes back here: the loop goes on, it
   * does not recurse.
   */
  pump(): void {
    if (this.#mode !== 'running' || this.#queue.length === 0) return;
    this.#mode = 'pumping';
    while (this.#open.length < this.#parts.limits.maxInFlight) {
      const nowNs = this.#parts.clock.nowNs();
      if (this.#parts.gate.permission(nowNs) !== 'granted') break;
      const request = this.#queue.shift();
      if (request === null) break;
      request.endWait(nowNs);
      this.#toClient(request);
    }
    this.#mode = 'running';
  }

  /** By the status, then by what the answer says. */
  #judge(request: OpenRequest, outcome: Outcome): Outcome {
    const expectation = this.#parts.expectations[request.template] as StatusExpectation;
    const byStatus = outcome.kind === 'ok' ? expectation.outcomeOf(outcome.status) : outcome;
    return request.reader === null ? byStatus : request.reader.judge(byStatus, request);
  }

  #giveUpQueuedOne(request: OpenRequest, nowNs: number): void {
    request.endWait(nowNs);
    request.endNs = nowNs;
    this.#parts.batches.endedUnsent(request);
    this.#parts.recorder.unfinished(request);
    this.#recycle(request);
  }

  #giveUp(request: OpenRequest, nowNs: number): void {
    this.#givenUp = request;
    request.exchange?.abort(GIVEN_UP, nowNs);
  }

  #toClient(request: OpenRequest): void {
    const { outbound, generation } = request;
    if (outbound === null) return;
    request.stage = 'waiting';
    request.openIndex = this.#open.length;
    this.#open.push(request);
    if (this.#open.length > this.#openPeak) this.#openPeak = this.#open.length;
    const exchange = this.#parts.client.send(outbound, request);
    // The send may have ended inside the call, and the object may be another request by now.
    if (request.generation === generation) request.exchange = exchange;
  }

  #expire(list: DeadlineList<OpenRequest>, untilNs: number, outcomeOf: (request: OpenRequest) => Outcome): void {
    for (let request = list.takeExpired(untilNs); request !== null; request = list.takeExpired(untilNs)) {
      request.exchange?.abort(outcomeOf(request), this.#parts.clock.nowNs());
    }
  }

  /** Takes `request` out of the open list; the last one takes its place. */
  #forget(request: OpenRequest): void {
    const last = this.#open.pop();
    if (last === undefined || last === request) return;
    last.openIndex = request.openIndex;
    this.#open[request.openIndex] = last;
  }

  #recycle(request: OpenRequest): void {
    if (request.reader !== null) this.#parts.readers.giveBack(request.template, request.reader);
    request.reader = null;
    request.close();
    this.#pool.push(request);
  }
}

/** An answer that came whole in time and of which only our own work was left, its decoding, is not open: it failed by us, as at its timeout. */
function isOwnFault(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && outcome.class === 'generator';
}

/**
 * The end of an answer that was over by its own end marker when `outcome` failed it: what becomes of the connection behind the marker is no
 * part of the answer, so it ended with the marker. Null for any other.
 */
function endAtMarker(request: OpenRequest, { kind, status }: Outcome): Outcome | null {
  const { reader } = request;
  if (kind === 'ok' || status === null || reader === null || reader.overNs === null) return null;
  reader.leftOpen();
  request.endNs = reader.overNs;
  return { kind: 'ok', status };
}
