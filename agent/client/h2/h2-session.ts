/**
 * One HTTP/2 connection over node:http2. Streams are counted by us, against the server's announced limit, so that no request waits
 * unseen inside the library (R022). After GOAWAY it takes no new request; streams the server did not process are handed back (R021).
 */
import { type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders, constants } from 'node:http2';
import type { Outcome } from '../../../shared/metrics/outcome.ts';
import { errorCodeOf, transferFailureClass } from '../connect-failure.ts';
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

/** A ready HTTP/2 connection. */
export class H2Session {
  streamsOpen = 0;
  /** Most streams open at once so far. */
  streamsPeak = 0;
  private readonly owner: SessionOwner;
  private readonly session: ClientHttp2Session;
  private readonly use: AddressUse;
  private readonly streamsMax: number;
  private accepting = true;

  constructor(owner: SessionOwner, session: ClientHttp2Session, use: AddressUse, streamsMax: number) {
    this.owner = owner;
    this.session = session;
    this.use = use;
    this.streamsMax = streamsMax;
    session.on('goaway', () => this.stopAccepting());
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
    } catch {
      // The session closed between the check and the call: nothing left us.
      this.stopAccepting();
      this.owner.onRefused(exchange);
      return;
    }
    exchange.stream = stream;
    this.streamsOpen += 1;
    this.use.requests += 1;
    this.streamsPeak = Math.max(this.streamsPeak, this.streamsOpen);
    if (!exchange.sent) {
      exchange.sent = true;
      exchange.sink.onSend(this.owner.nowNs());
    }
    this.listen(stream, exchange);
    if (!endStream) {
      this.owner.counters.bytesSent += body.length;
      stream.end(body);
    }
  }

  /** Closes the connection and all its streams. */
  close(): void {
    this.stopAccepting();
    this.session.destroy();
  }

  private listen(stream: ClientHttp2Stream, exchange: H2Exchange): void {
    let endNs: number | null = null;
    stream.on('response', (headers: IncomingHttpHeaders & { ':status'?: number }) => {
      if (exchange.ended) return;
      exchange.status = headers[':status'] ?? 0;
      const declared = headers['content-length'];
      exchange.declaredBytes = declared === undefined ? null : Number(declared);
      exchange.sink.onFirstByte(this.owner.nowNs());
    });
    stream.on('data', (chunk: Buffer) => {
      exchange.receivedBytes += chunk.length;
      this.owner.counters.bytesReceived += chunk.length;
      if (!exchange.ended) exchange.sink.onBytes(chunk, this.owner.nowNs());
    });
    // Whether the end was a good one is known only at `close`: a reset also ends the readable side.
    stream.on('end', () => {
      endNs = this.owner.nowNs();
    });
    let failure: unknown = null;
    stream.on('error', (error: unknown) => {
      failure = error;
    });
    stream.on('close', () => {
      this.streamsOpen -= 1;
      exchange.stream = null;
      if (!exchange.ended) this.settle(exchange, stream, endNs, failure);
      this.owner.onFree(this);
    });
  }

  /** A stream closed: its answer is whole, or the request goes elsewhere, or it failed. */
  private settle(exchange: H2Exchange, stream: ClientHttp2Stream, endNs: number | null, failure: unknown): void {
    const rstCode = stream.rstCode;
    const clean = rstCode === constants.NGHTTP2_NO_ERROR && failure === null && !stream.aborted;
    if (clean && endNs !== null && exchange.status !== null && !isShort(exchange)) {
      exchange.end({ kind: 'ok', status: exchange.status }, endNs);
    } else if (exchange.status === null && rstCode === constants.NGHTTP2_REFUSED_STREAM) {
      this.owner.onRefused(exchange);
    } else {
      exchange.end(outcomeOf(exchange, rstCode, failure), this.owner.nowNs());
    }
  }

  private stopAccepting(): void {
    if (!this.accepting) return;
    this.accepting = false;
    this.owner.onGone(this);
  }
}

function isShort(exchange: H2Exchange): boolean {
  const bodyless = exchange.request.method === 'HEAD' || exchange.status === 204 || exchange.status === 304;
  return !bodyless && exchange.declaredBytes !== null && exchange.receivedBytes < exchange.declaredBytes;
}

function outcomeOf(exchange: H2Exchange, rstCode: number, failure: unknown): Outcome {
  const { status } = exchange;
  if (isShort(exchange))
    return { kind: 'failed', class: 'truncated', status, detail: 'fewer bytes than Content-Length' };
  if (rstCode !== constants.NGHTTP2_NO_ERROR)
    return { kind: 'failed', class: status === null ? 'reset' : 'truncated', status, detail: `RST_STREAM ${rstCode}` };
  const code = errorCodeOf(failure);
  if (status !== null)
    return {
      kind: 'failed',
      class: 'truncated',
      status,
      detail: code === 'unknown' ? 'the stream closed inside the answer' : code,
    };
  return {
    kind: 'failed',
    class: code === 'unknown' ? 'reset' : transferFailureClass(code),
    status,
    detail: code === 'unknown' ? 'the connection closed' : code,
  };
}
