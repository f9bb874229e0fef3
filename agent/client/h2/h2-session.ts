/**
 * One HTTP/2 connection over node:http2. Streams are counted by us, against the server's announced limit, so that no request waits
 * unseen inside the library (R022). After GOAWAY it takes no new request; streams the server did not process are handed back (R021).
 */
import { type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders, constants } from 'node:http2';
import type { Outcome } from '../../../shared/metrics/outcome.ts';
import { errorCodeOf, isStaleDeath, transferFailureClass } from '../connect-failure.ts';
import type { ClientCounters } from '../protocol-client.ts';
import type { AddressUse } from '../target-address.ts';
import type { H2Exchange } from './h2-exchange.ts';

/** What a session tells its pool. */
export interface SessionOwner {
  readonly counters: ClientCounters;
  nowNs(): number;
  /** A stream became free. */
  onFree(session: H2Session): void;
  /** The connection takes no more requests. */
  onGone(session: H2Session): void;
  /** The server did not process this request: it may go to another connection. */
  onRefused(exchange: H2Exchange): void;
}

/** Codes with which Node says that a session takes no more streams; any other error of `request` is about the request itself. */
const SESSION_OVER_CODES = new Set([
  'ERR_HTTP2_INVALID_SESSION',
  'ERR_HTTP2_GOAWAY_SESSION',
  'ERR_HTTP2_OUT_OF_STREAMS',
]);

/** A ready HTTP/2 connection. */
export class H2Session {
  streamsOpen = 0;
  /** Most streams open at once so far. */
  streamsPeak = 0;
  readonly retireAtNs: number;
  private readonly owner: SessionOwner;
  private readonly session: ClientHttp2Session;
  private readonly use: AddressUse;
  private readonly streamsMax: number;
  private accepting = true;
  private streamsEver = 0;
  /** Last stream that the server may have processed, from its GOAWAY; Infinity before one. */
  private lastStreamId = Infinity;
  /** What the server said last of the whole connection: `GOAWAY n`, or null. */
  private farewell: string | null = null;
  /** Last instant at which the server was heard on any stream. */
  private heardNs = -Infinity;

  /** `retireAtNs`: from when on its owner gives it no more requests. */
  constructor(
    owner: SessionOwner,
    session: ClientHttp2Session,
    use: AddressUse,
    streamsMax: number,
    retireAtNs: number = Infinity,
  ) {
    this.retireAtNs = retireAtNs;
    this.owner = owner;
    this.session = session;
    this.use = use;
    this.streamsMax = streamsMax;
    session.on('goaway', (errorCode: number, lastStreamId: number) => {
      this.lastStreamId = lastStreamId;
      this.farewell = `GOAWAY ${errorCode}`;
      this.stopAccepting();
    });
    // A limit that was raised lets waiting requests go.
    session.on('remoteSettings', () => owner.onFree(this));
    session.on('close', () => this.stopAccepting());
    session.on('error', () => this.stopAccepting());
  }

  /** How many more requests it can take now. */
  get streamsFree(): number {
    if (!this.accepting || this.session.destroyed || this.session.closed) return 0;
    return (
      Math.min(this.streamsMax, this.session.remoteSettings.maxConcurrentStreams ?? this.streamsMax) - this.streamsOpen
    );
  }

  /** Opens a stream for `exchange`. */
  dispatch(exchange: H2Exchange): void {
    const { body } = exchange.request;
    const endStream = body === null || body.length === 0;
    let stream: ClientHttp2Stream;
    try {
      stream = this.session.request(exchange.headers, { endStream });
    } catch (error) {
      this.requestRefused(exchange, error);
      return;
    }
    exchange.stream = stream;
    exchange.carrier = this;
    exchange.onReusedIdle = this.streamsOpen === 0 && this.streamsEver > 0;
    exchange.dispatchedNs = this.owner.nowNs();
    this.streamsOpen += 1;
    this.streamsEver += 1;
    this.use.requests += 1;
    this.streamsPeak = Math.max(this.streamsPeak, this.streamsOpen);
    if (!exchange.sent) {
      exchange.sent = true;
      exchange.sink.onSend(exchange.dispatchedNs);
    }
    this.listen(stream, exchange);
    if (!endStream) {
      this.owner.counters.bytesSent += body.length;
      stream.end(body);
    }
  }

  /** `exchange` was given up. Where the server has not been heard since it was sent, the next requests go elsewhere. */
  abandon(exchange: H2Exchange): void {
    exchange.stream?.close(constants.NGHTTP2_CANCEL);
    if (!this.accepting || exchange.dispatchedNs <= this.heardNs) return;
    this.retire();
  }

  /** Takes no more requests; the connection is closed when its last stream has ended. */
  retire(): void {
    this.stopAccepting();
    this.session.close();
  }

  /** Closes the connection and all its streams. */
  close(): void {
    this.stopAccepting();
    this.session.destroy();
  }

  /** Nothing of `exchange` has left: the session ended just before, or Node does not write such a request. */
  private requestRefused(exchange: H2Exchange, error: unknown): void {
    const code = errorCodeOf(error);
    if (SESSION_OVER_CODES.has(code)) {
      this.stopAccepting();
      this.owner.onRefused(exchange);
      return;
    }
    const detail = `request refused by the client: ${error instanceof Error ? error.message : code}`;
    exchange.end({ kind: 'failed', class: 'generator', status: null, detail }, this.owner.nowNs());
  }

  private listen(stream: ClientHttp2Stream, exchange: H2Exchange): void {
    /** Instant of the last byte so far. */
    let lastNs = 0;
    const answerEnded = watchEndOfAnswer(stream);
    stream.on('response', (headers: IncomingHttpHeaders & { ':status'?: number }) => {
      lastNs = this.heardNs = this.owner.nowNs();
      if (exchange.ended) return;
      exchange.status = headers[':status'] ?? 0;
      const declared = headers['content-length'];
      exchange.declaredBytes = declared === undefined ? null : Number(declared);
      exchange.sink.onFirstByte(lastNs);
    });
    stream.on('data', (chunk: Buffer) => {
      lastNs = this.heardNs = this.owner.nowNs();
      exchange.receivedBytes += chunk.length;
      this.owner.counters.bytesReceived += chunk.length;
      if (!exchange.ended) exchange.sink.onBytes(chunk, lastNs);
    });
    stream.on('end', () => {
      if (!answerEnded()) return;
      if (!isWhole(exchange)) lastNs = this.owner.nowNs();
      // The answer is here though not all of the request is there: the server need not take the rest (RFC 9113 §8.1).
      if (stream.writableFinished || exchange.ended || !isCompleteAnswer(exchange, true)) return;
      exchange.end({ kind: 'ok', status: exchange.status }, lastNs);
      stream.close(constants.NGHTTP2_CANCEL);
    });
    let failure: unknown = null;
    stream.on('error', (error: unknown) => {
      failure = error;
    });
    stream.on('close', () => {
      this.streamsOpen -= 1;
      exchange.stream = null;
      if (isCompleteAnswer(exchange, answerEnded())) exchange.end({ kind: 'ok', status: exchange.status }, lastNs);
      else if (!exchange.ended) this.settle(exchange, stream, failure);
      this.owner.onFree(this);
    });
  }

  /** A stream closed without a whole answer: the request goes elsewhere, or it failed. */
  private settle(exchange: H2Exchange, stream: ClientHttp2Stream, failure: unknown): void {
    const { rstCode } = stream;
    const unprocessed = rstCode === constants.NGHTTP2_REFUSED_STREAM || (stream.id ?? 0) > this.lastStreamId;
    if (exchange.status === null && unprocessed) {
      this.owner.onRefused(exchange);
      return;
    }
    const nowNs = this.owner.nowNs();
    if (!this.session.destroyed) {
      this.heardNs = nowNs;
      exchange.end(streamOutcome(exchange, rstCode, failure), nowNs);
    } else exchange.end(connectionOutcome(exchange, this.farewell, failure, nowNs), nowNs);
  }

  private stopAccepting(): void {
    if (!this.accepting) return;
    this.accepting = false;
    this.owner.onGone(this);
  }
}

function isBodyless({ request, status }: H2Exchange): boolean {
  return request.method === 'HEAD' || status === 204 || status === 304;
}

/** Whether all that the answer's head announced is here: then a reset that follows takes nothing away (R020). */
function isWhole(exchange: H2Exchange): boolean {
  if (exchange.status === null) return false;
  return isBodyless(exchange) || exchange.declaredBytes === exchange.receivedBytes;
}

/** Whether nothing is missing of the answer; `ended` when the server said that it is over. */
function isCompleteAnswer(exchange: H2Exchange, ended: boolean): exchange is H2Exchange & { status: number } {
  return isWhole(exchange) || (ended && exchange.status !== null && exchange.declaredBytes === null);
}

/**
 * Tells whether the server itself ended its answer (END_STREAM). Node does not say: it ends the readable side of a stream that was reset,
 * with code 0 too, in the same way; but such a stream is closed by then.
 */
function watchEndOfAnswer(stream: ClientHttp2Stream): () => boolean {
  let ended = false;
  const push = stream.push.bind(stream);
  stream.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (chunk === null && !stream.closed) ended = true;
    return push(chunk, encoding);
  };
  return () => ended;
}

/** Codes of RST_STREAM, sent by either side, that mean a breach of the protocol (RFC 9113 §7). */
const BREACH_CODES: ReadonlySet<number> = new Set([
  constants.NGHTTP2_PROTOCOL_ERROR,
  constants.NGHTTP2_FLOW_CONTROL_ERROR,
  constants.NGHTTP2_STREAM_CLOSED,
  constants.NGHTTP2_FRAME_SIZE_ERROR,
  constants.NGHTTP2_COMPRESSION_ERROR,
]);

/** The stream alone ended; its connection lives. */
function streamOutcome(exchange: H2Exchange, rstCode: number, failure: unknown): Outcome {
  const { status, declaredBytes, receivedBytes } = exchange;
  if (status !== null && declaredBytes !== null && receivedBytes < declaredBytes)
    return { kind: 'failed', class: 'truncated', status, detail: 'fewer bytes than Content-Length' };
  if (BREACH_CODES.has(rstCode)) return { kind: 'failed', class: 'protocol', status, detail: `RST_STREAM ${rstCode}` };
  const code = errorCodeOf(failure);
  const detail = code === 'unknown' || code === 'ERR_HTTP2_STREAM_ERROR' ? `RST_STREAM ${rstCode}` : code;
  return { kind: 'failed', class: status === null ? 'reset' : 'truncated', status, detail };
}

/** The connection ended, and the stream with it; `farewell` is what the server had said before. */
function connectionOutcome(exchange: H2Exchange, farewell: string | null, failure: unknown, nowNs: number): Outcome {
  const { status } = exchange;
  const code = errorCodeOf(failure);
  const detail = farewell ?? (code === 'unknown' ? 'the connection closed' : code);
  if (code === 'ERR_HTTP2_ERROR') return { kind: 'failed', class: 'protocol', status, detail };
  if (status !== null) return { kind: 'failed', class: 'truncated', status, detail };
  if (farewell === null && exchange.onReusedIdle && isStaleDeath(nowNs - exchange.dispatchedNs))
    return { kind: 'failed', class: 'stale-connection', status, detail: `reused idle connection: ${detail}` };
  return { kind: 'failed', class: code === 'unknown' ? 'reset' : transferFailureClass(code), status, detail };
}
