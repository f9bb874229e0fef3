/**
 * One HTTP/1.1 connection driven by undici, at most one request at a time: the only file that sees undici. The socket is opened
 * elsewhere and lent to an undici `Client` that lives exactly as long as it. undici's own timeouts are off (R018); it retries,
 * redirects and decompresses nothing here, and adds no header but `connection` and `content-length`.
 * Known limits of undici: an interim answer with status 100 ends the connection, and the headers `expect` and `transfer-encoding`
 * are refused, and so are answers that repeat their Content-Length. A used connection writes its next request one turn of the loop
 * later; that turn is part of `wait`.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import { type Outcome, withStatus } from '../../../shared/metrics/outcome.ts';
import { type BodyDecoding, decodeBody, type DecodedBody, type DecodingExchange } from '../decoded-body.ts';
import type { ConnectionOwner, PooledConnection, PooledExchange } from '../pooled-connection.ts';
import type { AnswerKind } from '../reuse-rule.ts';
import { CLIENT_CLOSED, type Exchange, type OutboundRequest, type ResponseSink } from '../protocol-client.ts';
import { errorCodeOf, isStaleDeath } from '../connect-failure.ts';
import { type FailurePoint, undiciFailure } from './undici-failure.ts';
import { queuedBytesOf } from '../stream-binding.ts';
import type { AddressUse } from '../target-address.ts';
import { watchTlsEnd, WITHOUT_CLOSE_NOTIFY } from '../tls-end.ts';

/** Idle connections are closed by us after this, where the server advertises no limit of its own, ms. */
const IDLE_MS = 60_000;
/** Largest head of an answer, as for the wire client; undici's own limit is 16 KiB. */
const HEAD_BYTES_MAX = 262_144;
/** An advertised limit is undercut by this, ms (R016). */
const KEEP_ALIVE_MARGIN_MS = 1_000;

/** What undici is given for one request. */
export type UndiciRequest = Dispatcher.DispatchOptions;

/** A request in the client's hands: waiting for a connection, or on one. */
export class UndiciExchange implements Exchange, PooledExchange, DecodingExchange {
  readonly request: UndiciRequest;
  sink: ResponseSink;
  decoding: DecodedBody | null = null;
  readonly decodesFor: BodyDecoding | null;
  connection: UndiciConnection | null = null;
  abandoned = false;

  constructor(request: UndiciRequest, sink: ResponseSink, decodesFor: BodyDecoding | null = null) {
    this.request = request;
    this.sink = sink;
    this.decodesFor = decodesFor;
  }

  abort(outcome: Outcome, tNs: number): void {
    if (this.decoding?.giveUp() === true) return;
    this.abandoned = true;
    const status = this.connection?.abandon() ?? null;
    this.sink.onEnd(withStatus(outcome, status), tNs);
  }
}

/** The request as undici wants it; `headers` alternate name and value, Host included. */
export function undiciRequest(request: OutboundRequest, requestTarget: string, headers: string[]): UndiciRequest {
  return {
    path: requestTarget,
    method: request.method,
    headers,
    body: request.body,
    // Without it undici closes the connection after each HEAD, and after each GET with a body.
    reset: false,
  };
}

/** How far the present request has come on the wire. */
type Progress = 'unsent' | 'sent' | 'answering';

/** A ready connection; it is undici's handler for the request on it. */
export class UndiciConnection implements Dispatcher.DispatchHandler, PooledConnection<UndiciExchange> {
  answerKind: AnswerKind | null = null;
  answeredNs = 0;
  isRegular = false;
  readonly #owner: ConnectionOwner<UndiciExchange, UndiciConnection>;
  readonly #use: AddressUse;
  readonly #socket: Socket;
  readonly #client: Client;
  #open = true;
  #socketLent = false;
  #exchanges = 0;
  #bytesWritten = 0;
  #bytesRead = 0;
  /** What the socket itself died of; null while it has not. */
  #socketError: Error | null = null;
  /** The other side has ended the connection. */
  #peerEnded = false;

  #exchange: UndiciExchange | null = null;
  #progress: Progress = 'unsent';
  #status = 0;
  #sendNs = 0;
  #firstByteNs = 0;
  #persistent = true;
  #isChunked = false;
  /** The answer ends where its connection does. */
  #isUntilClose = false;
  readonly #wasCutOff: () => boolean;

  constructor(owner: ConnectionOwner<UndiciExchange, UndiciConnection>, socket: Socket, use: AddressUse) {
    this.#owner = owner;
    this.#socket = socket;
    this.#use = use;
    this.#wasCutOff = owner.encrypted ? watchTlsEnd(socket) : () => false;
    // The origin is a stand-in: every request carries its own Host, and the socket is there already.
    this.#client = new Client('http://connected.invalid', {
      connect: this.#lendSocket,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: HEAD_BYTES_MAX,
      keepAliveTimeout: IDLE_MS,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      allowH2: false,
    });
    // These hear of it before undici does.
    socket.on('error', (error) => {
      // undici ends the socket by an error of its own behind one of TLS.
      this.#socketError ??= error;
    });
    socket.once('end', () => {
      this.#peerEnded = true;
    });
    socket.once('close', this.#onClose);
  }

  /** Whether a request may be given to it now. */
  usable(): boolean {
    return this.#open && !this.#socket.destroyed;
  }

  /** Sends `exchange`'s request; its answer follows. */
  dispatch(exchange: UndiciExchange): void {
    this.#exchange = exchange;
    exchange.connection = this;
    this.#exchanges += 1;
    this.#use.requests += 1;
    this.#progress = 'unsent';
    this.#status = 0;
    this.#persistent = true;
    this.#client.dispatch(exchange.request, this);
  }

  /** Gives up the request on it: the connection cannot be used again. Returns the status of its answer, null before one came. */
  abandon(): number | null {
    this.#exchange = null;
    this.close();
    return this.#status === 0 ? null : this.#status;
  }

  /** Closes the connection; a request that is on it has failed by it. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#countBytes();
    // undici gives a body to the socket as a whole: what is left of one that ends early was not sent.
    this.#owner.counters.bytesSent -= queuedBytesOf(this.#socket);
    this.#owner.onGone(this);
    this.#socket.destroy();
    // Not inside one of undici's own calls: it would find its state changed under it.
    queueMicrotask(() => {
      this.#client.destroy().catch(ignoreError);
    });
    const exchange = this.#exchange;
    this.#exchange = null;
    const status = this.#status === 0 ? null : this.#status;
    exchange?.sink.onEnd(withStatus(CLIENT_CLOSED, status), this.#owner.clock.nowNs());
  }

  onRequestStart(): void {
    this.#progress = 'sent';
    this.#sendNs = this.#owner.clock.nowNs();
    this.#exchange?.sink.onSend(this.#sendNs);
  }

  onResponseStarted(): void {
    this.#progress = 'answering';
    this.#firstByteNs = this.#owner.clock.nowNs();
  }

  onResponseStart(_controller: unknown, status: number, headers: IncomingHttpHeaders): void {
    // The first byte of an interim answer is not the answer's.
    if (status < 200) return;
    this.#status = status;
    // A list, or several fields, which undici gives as an array: whatever says close.
    this.#persistent = !/\bclose\b/i.test([headers.connection].flat().join());
    this.#isChunked = headers['transfer-encoding'] !== undefined;
    const exchange = this.#exchange;
    if (exchange === null) return;
    const isBodyless = exchange.request.method === 'HEAD' || status === 204 || status === 304;
    this.#isUntilClose = !isBodyless && !this.#isChunked && headers['content-length'] === undefined;
    exchange.sink.onFirstByte(this.#firstByteNs);
    decodeBody(exchange, [headers['content-encoding'] ?? []].flat().join() || null);
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.#exchange?.sink.onBytes(chunk, this.#owner.clock.nowNs());
  }

  onResponseEnd(): void {
    const exchange = this.#exchange;
    if (exchange === null) return;
    if (this.#socketError !== null) {
      // undici takes a reset for the end of an answer that a close would end (R020).
      this.onResponseError(null, this.#socketError);
      return;
    }
    const endNs = this.#owner.clock.nowNs();
    const outcome = this.#isUntilClose && this.#wasCutOff() ? cutOffOutcome(this.#status) : okOutcome(this.#status);
    this.#exchange = null;
    this.#countBytes();
    if (this.answerKind !== null) this.#owner.onReused(this.answerKind);
    this.answerKind = this.#isChunked ? 'streamed' : 'sized';
    this.answeredNs = endNs;
    // Back to the pool first: a request that `onEnd` sets free must find this connection.
    // An answer that came before its request was sent: the next request would wait for the rest of this one's body.
    const isReusable = this.#persistent && !this.#isUntilClose && this.usable();
    if (isReusable && this.#socket.writableLength === 0) this.#owner.onIdle(this);
    else this.close();
    exchange.sink.onEnd(outcome, endNs);
  }

  onResponseError(_controller: unknown, error: Error): void {
    const exchange = this.#exchange;
    if (exchange === null) return;
    const endNs = this.#owner.clock.nowNs();
    const point = this.#failurePoint(endNs);
    if (point.kind === 'unanswered') this.#tellServersClose();
    this.abandon();
    exchange.sink.onEnd(undiciFailure(this.#socketError ?? error, point), endNs);
  }

  /** Adds what the socket has carried since the last call to the client's counters. */
  #countBytes(): void {
    const { counters } = this.#owner;
    const { bytesWritten, bytesRead } = this.#socket;
    counters.bytesSent += bytesWritten - this.#bytesWritten;
    counters.bytesReceived += bytesRead - this.#bytesRead;
    this.#bytesWritten = bytesWritten;
    this.#bytesRead = bytesRead;
  }

  /** undici also closes connections itself, ahead of an advertised limit: by an error of its own. */
  #tellServersClose(): void {
    const error = this.#socketError;
    const isServersError = error !== null && !errorCodeOf(error).startsWith('UND_ERR');
    if (this.#peerEnded || isServersError) this.#owner.onServerClosed(this);
  }

  #failurePoint(nowNs: number): FailurePoint {
    switch (this.#progress) {
      case 'unsent':
        return { kind: 'connecting', encrypted: this.#owner.encrypted };
      case 'sent':
        return { kind: 'unanswered', stale: this.#exchanges > 1 && isStaleDeath(nowNs - this.#sendNs) };
      case 'answering':
        return { kind: 'answering', status: this.#status === 0 ? null : this.#status, closed: this.#peerEnded };
    }
  }

  /** undici asks for a socket: the first time it gets ours, afterwards there is none. */
  readonly #lendSocket: buildConnector.connector = (_options, callback) => {
    const gone = this.#socketLent || this.#socket.destroyed;
    this.#socketLent = true;
    // Not in this call: undici would not look at its queue again.
    queueMicrotask(() => {
      if (gone) callback(new Error('the connection is gone'), null);
      else callback(null, this.#socket);
    });
  };

  readonly #onClose = (): void => {
    const exchange = this.#exchange;
    // A request that was written hears of it from undici, which knows how far the answer came.
    if (exchange !== null && this.#progress !== 'unsent') return;
    if (this.#open) this.#tellServersClose();
    this.abandon();
    if (exchange === null) return;
    exchange.connection = null;
    this.#owner.onUnsent(exchange);
  };
}

function cutOffOutcome(status: number): Outcome {
  return { kind: 'failed', class: 'truncated', status, detail: WITHOUT_CLOSE_NOTIFY };
}

/** One `ok` outcome per status, so that an end allocates none. */
const okOutcomes = new Map<number, Outcome>();

function okOutcome(status: number): Outcome {
  const known = okOutcomes.get(status);
  if (known !== undefined) return known;
  const made: Outcome = { kind: 'ok', status };
  okOutcomes.set(status, made);
  return made;
}

/** An error of a socket is told to the request on it, by undici; without a request it is only a connection less. */
function ignoreError(): void {
  return undefined;
}
