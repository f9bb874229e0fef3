/**
 * One HTTP/1.1 connection: a socket, a parser and at most one request at a time. Node's socket machinery is kept out of the way:
 * reads land in one shared buffer, one clock reading per network read stamps all it brought, heads go out as one latin1 write.
 */
import type { Socket } from 'node:net';
import { type Outcome, withStatus } from '../../../shared/metrics/outcome.ts';
import type { Clock } from '../../../shared/time/monotonic-clock.ts';
import { errorCodeOf, isStaleDeath, transferFailureClass } from '../connect-failure.ts';
import { decodeBody } from '../decoded-body.ts';
import type { ConnectionOwner, PooledConnection } from '../pooled-connection.ts';
import type { AnswerKind } from '../reuse-rule.ts';
import type { ResponseHead } from './response-head.ts';
import { BodyWriter } from './body-writer.ts';
import { type FramingEvents, ResponseParser } from './response-parser.ts';
import { completeHead } from './request-head.ts';
import { CLIENT_CLOSED } from '../protocol-client.ts';
import { TextWriter } from '../text-writer.ts';
import { watchTlsEnd, WITHOUT_CLOSE_NOTIFY } from '../tls-end.ts';
import type { WireExchange } from './wire-exchange.ts';
import type { AddressUse } from '../target-address.ts';

/** Margin before the server's advertised keep-alive at which an idle connection is retired (R016). */
const KEEP_ALIVE_MARGIN_NS = 1e9;

/** A ready connection. */
export class WireConnection implements FramingEvents, PooledConnection<WireExchange> {
  /** From this instant on an idle connection must not be used; Infinity when the server advertised nothing. */
  retireAtNs = Infinity;
  answerKind: AnswerKind | null = null;
  answeredNs = 0;
  isRegular = false;
  private readonly owner: ConnectionOwner<WireExchange, WireConnection>;
  private readonly use: AddressUse;
  private readonly socket: Socket;
  private readonly texts: TextWriter;
  private readonly bodies: BodyWriter;
  private readonly parser: ResponseParser;
  /** Whether the end of the stream may have been made by anyone. */
  private readonly wasCutOff: () => boolean;
  private exchange: WireExchange | null = null;
  private open = true;
  private exchanges = 0;
  private sendNs = 0;
  /** The server's keep-alive, as it last advertised it. */
  private keepAliveNs = Infinity;
  /** Instant of the read being parsed. */
  private readNs = 0;
  private sawByte = false;
  /** Instant of the read that brought the first byte of the present response. */
  private firstReadNs = 0;
  /** Interim responses that had ended before the read being parsed. */
  private interimBefore = 0;

  constructor(owner: ConnectionOwner<WireExchange, WireConnection>, socket: Socket, use: AddressUse) {
    this.owner = owner;
    this.socket = socket;
    this.use = use;
    this.texts = new TextWriter(socket, owner.encrypted);
    this.bodies = new BodyWriter(socket, (bytes) => (owner.counters.bytesSent += bytes));
    this.parser = new ResponseParser(this);
    this.wasCutOff = owner.encrypted ? watchTlsEnd(socket) : neverCutOff;
    socket.on('error', (error) => this.fail(error));
    socket.on('end', () => this.endOfStream());
    socket.on('close', () => this.endOfStream());
    socket.resume();
  }

  /** Whether a request may be given to it now. */
  usable(clock: Clock): boolean {
    return this.open && this.exchange === null && (this.retireAtNs === Infinity || clock.nowNs() < this.retireAtNs);
  }

  /** Sends `exchange`'s request; its answer follows. */
  dispatch(exchange: WireExchange): void {
    this.exchange = exchange;
    this.sawByte = false;
    this.exchanges += 1;
    this.use.requests += 1;
    exchange.connection = this;
    this.parser.expect(exchange.head.isHead);
    const text = completeHead(exchange.head, exchange.request.identity);
    const { body } = exchange.request;
    this.sendNs = this.owner.clock.nowNs();
    if (body === null || body.length === 0) {
      this.owner.counters.bytesSent += text.length;
      this.texts.write(text);
    } else this.bodies.send(text, body);
    // Behind the write: who is told may send another request, and would have it written before this one.
    exchange.sink.onSend(this.sendNs);
  }

  /** Takes the first `length` bytes of one network read. */
  takeRead(bytes: Uint8Array, length: number): void {
    this.owner.counters.bytesReceived += length;
    if (this.exchange === null) {
      // Nothing was asked: the bytes belong to no request of ours.
      this.close();
      return;
    }
    this.readNs = this.owner.clock.nowNs();
    if (!this.sawByte || this.parser.atStart) this.firstReadNs = this.readNs;
    this.sawByte = true;
    this.interimBefore = this.parser.interimResponses;
    this.parser.feed(bytes, 0, length);
    // What follows an interim response has begun in the read in which that ended.
    if (this.parser.interimResponses !== this.interimBefore) this.firstReadNs = this.readNs;
  }

  /** Closes the connection; a request that is on it has failed by it. */
  close(): void {
    if (!this.open) return;
    this.open = false;
    this.bodies.stop();
    this.socket.destroy();
    this.owner.onGone(this);
    const { exchange } = this;
    this.exchange = null;
    exchange?.sink.onEnd(withStatus(CLIENT_CLOSED, exchange.status), this.owner.clock.nowNs());
  }

  /** Gives up the request on it: the connection cannot be used again. */
  abandon(): void {
    this.exchange = null;
    this.close();
  }

  onHead(head: ResponseHead): void {
    const exchange = this.exchange as WireExchange;
    exchange.status = head.status;
    if (head.keepAliveSeconds !== null) this.keepAliveNs = head.keepAliveSeconds * 1e9;
    exchange.sink.onFirstByte(this.parser.interimResponses === this.interimBefore ? this.firstReadNs : this.readNs);
    decodeBody(exchange, head.contentEncoding);
  }

  onBody(bytes: Uint8Array, start: number, end: number): void {
    const sink = this.exchange?.sink;
    if (sink?.wantsBytes === true) sink.onBytes(bytes.subarray(start, end), this.readNs);
  }

  onComplete(extraBytes: number): void {
    const exchange = this.exchange;
    if (exchange === null) return;
    this.exchange = null;
    const reusable =
      this.parser.head.persistent &&
      !exchange.head.asksToClose &&
      !this.parser.closeDelimited &&
      extraBytes === 0 &&
      this.open &&
      // An answer that came before its request was sent: the next request would wait for the rest of this one's body.
      (exchange.request.body === null || this.bodies.isDone);
    const status = exchange.status as number;
    const endNs = this.readNs;
    if (this.answerKind !== null) this.owner.onReused(this.answerKind);
    this.answerKind = this.parser.head.chunked ? 'streamed' : 'sized';
    this.answeredNs = endNs;
    if (this.keepAliveNs !== Infinity) {
      this.retireAtNs = this.readNs + this.keepAliveNs - Math.min(KEEP_ALIVE_MARGIN_NS, this.keepAliveNs / 2);
    }
    // Back to the pool first: a request that `onEnd` sets free must find this connection.
    if (reusable) this.owner.onIdle(this);
    else this.close();
    exchange.sink.onEnd({ kind: 'ok', status }, endNs);
  }

  onRefused(reason: string): void {
    this.endExchange(
      { kind: 'failed', class: 'protocol', status: this.exchange?.status ?? null, detail: reason },
      this.readNs,
    );
  }

  private endExchange(outcome: Outcome, tNs: number): void {
    const exchange = this.exchange;
    this.exchange = null;
    this.close();
    exchange?.sink.onEnd(outcome, tNs);
  }

  /** The peer closed. A close-delimited answer is complete by that; anything else is cut short. */
  private endOfStream(): void {
    const exchange = this.exchange;
    if (exchange === null) {
      this.closedWhileIdle();
      return;
    }
    this.readNs = this.owner.clock.nowNs();
    const isCutOff = this.parser.closeDelimited && this.wasCutOff();
    if (this.sawByte && !isCutOff && this.parser.finish()) return;
    const { status } = exchange;
    const detail = isCutOff ? WITHOUT_CLOSE_NOTIFY : 'the connection was closed inside the answer';
    const outcome: Outcome = this.sawByte
      ? { kind: 'failed', class: 'truncated', status, detail }
      : this.unanswered('closed', this.readNs);
    this.endExchange(outcome, this.readNs);
  }

  private closedWhileIdle(): void {
    if (this.open) this.owner.onServerClosed(this);
    this.close();
  }

  private fail(error: unknown): void {
    if (this.exchange === null) {
      this.closedWhileIdle();
      return;
    }
    const code = errorCodeOf(error);
    const failure = transferFailureClass(code);
    const { status } = this.exchange;
    const nowNs = this.owner.clock.nowNs();
    const outcome: Outcome =
      !this.sawByte && failure === 'reset'
        ? this.unanswered(code, nowNs)
        : { kind: 'failed', class: failure, status, detail: code };
    this.endExchange(outcome, nowNs);
  }

  /** A connection that was idle before and died soon without a byte of answer had been closed by its server (R016). */
  private unanswered(code: string, nowNs: number): Outcome {
    const reused = this.exchanges > 1 && isStaleDeath(nowNs - this.sendNs);
    this.owner.onServerClosed(this);
    return {
      kind: 'failed',
      class: reused ? 'stale-connection' : 'reset',
      status: null,
      detail: reused ? `reused idle connection: ${code}` : code,
    };
  }
}

/** Of a plain connection nothing can be known. */
function neverCutOff(): boolean {
  return false;
}
