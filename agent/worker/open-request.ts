/**
 * One attempted request from its release to its end: the five stamps, the parts of its wait, and the sink that the client
 * reports to (design §2, §6). Objects are pooled and reused; whoever holds one drops it when `ended` has been told.
 * It keeps facts only: what they count for is the recorder's business.
 */

import type { Exchange, OutboundRequest, ResponseSink, WaitKind } from '../client/protocol-client.ts';
import type { Outcome } from '../../shared/metrics/outcome.ts';
import type { Arrival } from '../../shared/schedule/arrival-stream.ts';
import type { AnswerReader } from './answer-reader.ts';
import { createDeadlineNode, type DeadlineNode } from './deadline-list.ts';
import type { RequestChain } from './request-chain.ts';

/**
 * How far a request has come; it stays after the end. `queued`: above `maxInFlight`, not yet with the client; `waiting`: with the
 * client, nothing sent; `sent`: a first byte left; `answered`: a first byte came back.
 */
export type RequestStage = 'queued' | 'waiting' | 'sent' | 'answered';

/** What names an arrival within its phase. */
export type ArrivalIdentity = Pick<Arrival, 'lane' | 'block' | 'rank' | 'index'>;

/** Who is told of a request's events, after its own fields are up to date. */
export interface RequestOwner {
  sent(request: OpenRequest): void;
  firstByte(request: OpenRequest): void;
  /** A piece of the body came at `tNs`; only called where somebody wants them. */
  bytes(request: OpenRequest, tNs: number): void;
  ended(request: OpenRequest, outcome: Outcome): void;
}

export class OpenRequest implements ResponseSink {
  readonly #owner: RequestOwner;
  readonly #wantsAllBytes: boolean;

  /** Rises each time the object is given back, so that a late reference can be recognised. */
  generation = 0;
  stage: RequestStage = 'queued';
  phase = 0;
  /** Position in `Plan.requests`. */
  template = 0;
  /** What is to be sent, or was; read by the client during `send` only. */
  outbound: OutboundRequest | null = null;
  /** The client's handle while the request is with the client. */
  exchange: Exchange | null = null;
  /** What reads the answer's body; null where nothing does. */
  reader: AnswerReader | null = null;
  /** Whose next request depends on this one's end; null for most. */
  chain: RequestChain | null = null;
  /** Which turn of a session it is; 0 = the first, or no session. */
  turn = 0;
  /** Place in the dispatcher's list of open requests. */
  openIndex = 0;

  /** Identity of the arrival (see `Arrival`). */
  lane = 0;
  block = 0;
  rank = 0;
  index = 0;
  /** Bytes of the answer's body so far; kept up where somebody wants them. */
  bodyBytes = 0;

  intendedNs = 0;
  releasedNs = 0;
  /** Valid from stage `sent` on. */
  sendNs = 0;
  /** Valid at stage `answered`. */
  firstByteNs = 0;
  /** Valid once `ended` has been told. */
  endNs = 0;

  waitQueueNs = 0;
  waitConnectNs = 0;
  waitStreamNs = 0;
  #waitKind: WaitKind | null = null;
  #waitSinceNs = 0;
  /** What it waited for last, also when that is over. */
  #lastWait: WaitKind | null = null;

  readonly timeoutNode: DeadlineNode<OpenRequest> = createDeadlineNode<OpenRequest>(this);
  readonly idleNode: DeadlineNode<OpenRequest> = createDeadlineNode<OpenRequest>(this);
  readonly closeNode: DeadlineNode<OpenRequest> = createDeadlineNode<OpenRequest>(this);

  /** `wantsAllBytes`: pieces of the body are wanted even where no reader takes them. */
  constructor(owner: RequestOwner, wantsAllBytes: boolean) {
    this.#owner = owner;
    this.#wantsAllBytes = wantsAllBytes;
  }

  get wantsBytes(): boolean {
    return this.#wantsAllBytes || this.reader !== null;
  }

  /** True once a first byte has left. */
  get wasSent(): boolean {
    return this.stage === 'sent' || this.stage === 'answered';
  }

  /** True for one that has not left, because a limit of the plan (in-flight cap, connections, streams) was the last it waited for. */
  get isHeldBack(): boolean {
    return !this.wasSent && (this.#lastWait === 'queue' || this.#lastWait === 'stream');
  }

  /** What the answer said, where its reader keeps it. */
  get answerText(): string | null {
    return this.reader?.answerText() ?? null;
  }

  /** Output tokens that its answer must have; null = not known. */
  get exactTokens(): number | null {
    return this.outbound?.exactTokens ?? null;
  }

  /** Makes the object a new request, released at `releasedNs`. */
  open(phase: number, template: number, intendedNs: number, releasedNs: number): void {
    this.stage = 'queued';
    this.phase = phase;
    this.template = template;
    this.intendedNs = intendedNs;
    this.releasedNs = releasedNs;
    this.bodyBytes = 0;
    this.waitQueueNs = 0;
    this.waitConnectNs = 0;
    this.waitStreamNs = 0;
    this.#waitKind = null;
    this.#lastWait = null;
  }

  /** Notes which arrival it is. */
  identify({ lane, block, rank, index }: ArrivalIdentity): void {
    this.lane = lane;
    this.block = block;
    this.rank = rank;
    this.index = index;
  }

  /** Ends the object's use for this request: later references to it are stale. */
  close(): void {
    this.generation += 1;
    this.outbound = null;
    this.exchange = null;
    this.chain = null;
  }

  /** Ends the wait that runs, if one does, at `tNs`. */
  endWait(tNs: number): void {
    const kind = this.#waitKind;
    if (kind === null) return;
    const spanNs = tNs - this.#waitSinceNs;
    if (kind === 'queue') this.waitQueueNs += spanNs;
    else if (kind === 'connect') this.waitConnectNs += spanNs;
    else this.waitStreamNs += spanNs;
    this.#waitKind = null;
  }

  onWait(kind: WaitKind, tNs: number): void {
    this.endWait(tNs);
    this.#waitKind = kind;
    this.#lastWait = kind;
    this.#waitSinceNs = tNs;
  }

  onSend(tNs: number): void {
    this.endWait(tNs);
    this.sendNs = tNs;
    this.stage = 'sent';
    this.#owner.sent(this);
  }

  onFirstByte(tNs: number): void {
    this.firstByteNs = tNs;
    this.stage = 'answered';
    this.#owner.firstByte(this);
  }

  onBytes(chunk: Uint8Array, tNs: number): void {
    this.bodyBytes += chunk.length;
    if (this.reader !== null) this.reader.take(chunk, tNs);
    this.#owner.bytes(this, tNs);
  }

  onEnd(outcome: Outcome, tNs: number): void {
    this.endWait(tNs);
    this.endNs = tNs;
    this.exchange = null;
    this.#owner.ended(this, outcome);
  }
}
