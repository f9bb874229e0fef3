/**
 * One stream: the state of a request's body and of its answer, and what each end of it means for the request. Pure but for the sink that it
 * tells; frames and sockets are the connection's.
 */
import type { Outcome } from '../../../shared/metrics/outcome.ts';
import { isStaleDeath, transferFailureClass } from '../connect-failure.ts';
import { decodeBody } from '../decoded-body.ts';
import type { AnswerHead } from './answer-head.ts';
import { ERROR_CODE, MAX_31_BITS } from './frame.ts';
import { grpcOutcome } from './grpc-status.ts';
import type { H2Exchange } from './h2-exchange.ts';
import { ReceiveWindow } from './receive-window.ts';
import { resetText } from './server-words.ts';

/** Heads of one answer before the final one; more is a server that never ends. */
const INTERIM_HEADS_MAX = 10_000;

/** A request on a connection. */
export class H2Stream {
  readonly id: number;
  readonly exchange: H2Exchange;
  readonly receiveWindow = new ReceiveWindow();
  /** Bytes of the request's body that the server takes on this stream now; below 0 after a lowered setting. */
  windowBytes: number;
  bodySent = 0;
  /** True while it stands in the queue of bodies. */
  uploadQueued = false;
  /** True once it is off its connection. */
  closed = false;
  /** Instant of the answer's last byte so far. */
  private lastNs = 0;
  private interimHeads = 0;

  constructor(id: number, exchange: H2Exchange, windowBytes: number) {
    this.id = id;
    this.exchange = exchange;
    this.windowBytes = windowBytes;
  }

  /** Bytes of the request's body that were not sent yet. */
  get bodyLeft(): number {
    return (this.exchange.request.body?.length ?? 0) - this.bodySent;
  }

  /** The server takes `bytes` more of the body, or fewer after a lowered setting. False when that is more than a window can be. */
  widen(bytes: number): boolean {
    this.windowBytes += bytes;
    return this.windowBytes <= MAX_31_BITS;
  }

  /** Takes a head or trailers that came at `nowNs`. Null, or why they are malformed (RFC 9113 §8.1.1). */
  takeHead(head: AnswerHead, endStream: boolean, nowNs: number): string | null {
    const { exchange } = this;
    this.lastNs = nowNs;
    if (head.fault !== null) return head.fault;
    if (exchange.status !== null) {
      if (head.status !== 0) return 'a second final head';
      exchange.grpcStatus = head.grpcStatus ?? exchange.grpcStatus;
      return endStream ? null : 'trailers that do not end the stream';
    }
    if (head.status === 0) return ':status is missing';
    if (head.isInterim) return this.takeInterim(head.status, endStream);
    exchange.status = head.status;
    exchange.declaredBytes = head.contentLength;
    // It ends a call: in a head that something follows it says nothing.
    exchange.grpcStatus = endStream ? head.grpcStatus : null;
    if (!exchange.ended) {
      exchange.sink.onFirstByte(nowNs);
      decodeBody(exchange, head.contentEncoding);
    }
    return null;
  }

  /** Takes a piece of the body. Null, or why it cannot be. */
  takeData(bytes: Uint8Array, from: number, to: number, nowNs: number): string | null {
    const { exchange } = this;
    this.lastNs = nowNs;
    if (exchange.status === null) return 'DATA before the head';
    if (this.isBodyless) return 'DATA where no body can be';
    exchange.receivedBytes += to - from;
    if (exchange.declaredBytes !== null && exchange.receivedBytes > exchange.declaredBytes)
      return 'more DATA than content-length';
    exchange.messages?.take(bytes, from, to);
    if (!exchange.ended && exchange.sink.wantsBytes) exchange.sink.onBytes(bytes.subarray(from, to), nowNs);
    return null;
  }

  /** The server ended the stream at `nowNs`. */
  endAnswered(nowNs: number): void {
    const { exchange } = this;
    const { status } = exchange;
    if (status === null) this.endBroken('the stream ended before the head', nowNs);
    else if (this.isWhole) this.endWhole(this.lastNs);
    else if (exchange.declaredBytes === null) this.endWhole(nowNs);
    else this.endTruncated('fewer bytes than Content-Length', nowNs);
  }

  /** The server broke the protocol, on this stream or on the whole connection. */
  endBroken(reason: string, nowNs: number): void {
    const { status } = this.exchange;
    this.exchange.end({ kind: 'failed', class: 'protocol', status, detail: reason }, nowNs);
  }

  /** The server reset the stream with `code`, after it may have processed the request. */
  endReset(code: number, nowNs: number): void {
    const { exchange } = this;
    const { status, declaredBytes } = exchange;
    const words = resetText(code);
    if (this.isWhole) this.endWhole(this.lastNs);
    else if (BREACH_CODES.has(code)) this.endBroken(words, nowNs);
    else if (status === null) exchange.end({ kind: 'failed', class: 'reset', status, detail: words }, nowNs);
    else this.endTruncated(declaredBytes === null ? words : `${words}, fewer bytes than Content-Length`, nowNs);
  }

  /**
   * The connection closed; `farewell` is what the server had said before, `code` the error of the socket, null without one. `wasIdle`: it
   * had answered others before, then carried nothing, and has not been heard since (R016).
   */
  endClosed(farewell: string | null, code: string | null, wasIdle: boolean, nowNs: number): void {
    if (this.isWhole) this.endWhole(this.lastNs);
    else this.exchange.end(this.closedOutcome(farewell, code, wasIdle, nowNs), nowNs);
  }

  private closedOutcome(farewell: string | null, code: string | null, wasIdle: boolean, nowNs: number): Outcome {
    const { exchange } = this;
    const { status } = exchange;
    const detail = farewell ?? code ?? 'the connection closed';
    if (status !== null) return { kind: 'failed', class: 'truncated', status, detail };
    if (farewell === null && wasIdle && isStaleDeath(nowNs - exchange.dispatchedNs))
      return { kind: 'failed', class: 'stale-connection', status, detail: `reused idle connection: ${detail}` };
    return { kind: 'failed', class: code === null ? 'reset' : transferFailureClass(code), status, detail };
  }

  private endWhole(tNs: number): void {
    const { exchange } = this;
    const status = exchange.status as number;
    const { messages, grpcStatus } = exchange;
    exchange.end(messages === null ? { kind: 'ok', status } : grpcOutcome(grpcStatus, status, messages.isInside), tNs);
  }

  private endTruncated(detail: string, nowNs: number): void {
    const { status } = this.exchange;
    this.exchange.end({ kind: 'failed', class: 'truncated', status, detail }, nowNs);
  }

  private takeInterim(status: number, endStream: boolean): string | null {
    this.interimHeads += 1;
    if (status === 101) return 'status 101 is none of HTTP/2';
    if (endStream) return `the stream ended with status ${status}`;
    return this.interimHeads > INTERIM_HEADS_MAX ? `more than ${INTERIM_HEADS_MAX} interim heads` : null;
  }

  private get isBodyless(): boolean {
    const { request, status } = this.exchange;
    return request.method === 'HEAD' || status === 204 || status === 304;
  }

  /** Whether all that the answer's head announced is here: then a reset that follows takes nothing away (R020). */
  private get isWhole(): boolean {
    const { status, declaredBytes, receivedBytes } = this.exchange;
    return status !== null && (this.isBodyless || declaredBytes === receivedBytes);
  }
}

/** Codes of RST_STREAM that mean a breach of the protocol, or that it is the wrong one (RFC 9113 §7). */
const BREACH_CODES: ReadonlySet<number> = new Set([
  ERROR_CODE.protocol,
  ERROR_CODE.flowControl,
  ERROR_CODE.streamClosed,
  ERROR_CODE.frameSize,
  ERROR_CODE.compression,
  ERROR_CODE.http11Required,
]);
