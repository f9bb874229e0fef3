/**
 * The HTTP/2 client behind the pinned client border: connections x streams over node:http2, by ALPN over TLS or with prior knowledge in
 * clear. A request takes a free stream in turn over the connections; without one it waits in order, and below the limit one more
 * connection is made. Requests a server refused unprocessed go to another connection and keep their stamps (R021, R022).
 */
import { type ClientHttp2Session, type OutgoingHttpHeaders, connect as connectHttp2 } from 'node:http2';
import type { Socket } from 'node:net';
import { IDENTITY_HEADER } from '../../../shared/schedule/identity-header.ts';
import { type ClientGauge, gaugesOfAddresses } from '../client-gauge.ts';
import { isTargetsFailure } from '../connect-failure.ts';
import { ConnectionAge } from '../connection-age.ts';
import { connectFailure } from '../connection-pool.ts';
import { Fifo } from '../fifo.ts';
import {
  createClientCounters,
  type ClientCounters,
  type Exchange,
  type OutboundRequest,
  type ProtocolClient,
  type ResponseSink,
} from '../protocol-client.ts';
import { splitUrl, type UrlParts, utf8AsLatin1 } from '../wire/request-head.ts';
import { SocketOpener, tlsSettingsFor } from '../socket-opener.ts';
import { type DialAddress, resolveBySystem, TargetAddress } from '../target-address.ts';
import type { WireClientOptions } from '../wire/wire-client.ts';
import { H2Exchange } from './h2-exchange.ts';
import { H2Session, type SessionOwner } from './h2-session.ts';

/** Most streams we open on one connection, whatever the server allows. */
const STREAMS_PER_CONNECTION_MAX = 1000;
/** How often one request may be moved before it counts as failed. */
const MOVES_MAX = 8;
/** Memory of one connection in MB, bodies being sent included, above which Node resets streams by itself: never, our limits bound it. */
const SESSION_MEMORY_MB = 1_000_000;
/** While servers take no streams at all, this many connections wait for one that does. */
const USELESS_SESSIONS_MAX = 4;
/** Fields of one answer's head above which Node resets its stream: 128 by default, and the reset looks like the server's. */
const HEADER_FIELDS_MAX = 65_536;
/** Frames without content, in the whole life of a connection, above which Node ends it: they break no rule, so never. */
const EMPTY_FRAMES_MAX = 2 ** 32 - 1;
/** Flow-control window of a stream and of a connection: large, so that our reading never holds a server back. */
const WINDOW_BYTES = 16 * 1024 * 1024;

/** Settings of one worker's HTTP/2 client; one origin. */
export interface H2ClientOptions extends WireClientOptions {
  readonly streamsPerConnection?: number;
}

/** HTTP/2 with many streams per connection. */
export class H2Client implements ProtocolClient, SessionOwner {
  readonly name: string;
  readonly counters: ClientCounters = createClientCounters();
  private readonly options: H2ClientOptions;
  private readonly origin: URL;
  private readonly opener: SocketOpener;
  private readonly address: TargetAddress;
  private readonly streamsMax: number;
  private readonly sessions: H2Session[] = [];
  private readonly age: ConnectionAge;
  private readonly waiting = new Fifo<H2Exchange>();
  private connecting = 0;
  private nextSession = 0;
  /** Peak of the connections that are gone. */
  private streamsPeakBefore = 0;
  private closed = false;
  /** Streams that a new connection is expected to take, by what servers have allowed so far; 0 = none until one allows some. */
  private expectedStreams = EXPECTED_STREAMS;
  private onAttemptEnd: (() => void) | null = null;
  private readonly rendered: ({ request: OutboundRequest; headers: OutgoingHttpHeaders } | undefined)[] = [];

  constructor(options: H2ClientOptions) {
    this.options = options;
    this.origin = new URL(options.url);
    const encrypted = this.origin.protocol === 'https:';
    this.name = encrypted ? 'node:http2 h2' : 'node:http2 h2c';
    this.opener = new SocketOpener(
      encrypted ? tlsSettingsFor(this.origin.hostname, options.tlsServerName, options.insecure, ['h2']) : null,
    );
    this.address = new TargetAddress(this.origin, options.connectTo, options.resolveAll ?? resolveBySystem);
    this.age = new ConnectionAge(options.connectionAgeNs);
    this.streamsMax = options.streamsPerConnection ?? STREAMS_PER_CONNECTION_MAX;
  }

  nowNs(): number {
    return this.options.clock.nowNs();
  }

  async prepare(connections: number): Promise<void> {
    while (this.sessions.length + this.connecting < Math.min(connections, this.options.connectionsMax)) this.openOne();
    if (this.connecting === 0) return;
    await new Promise<void>((resolve) => {
      this.onAttemptEnd = () => {
        if (this.connecting === 0) resolve();
      };
    });
    this.onAttemptEnd = null;
  }

  send(request: OutboundRequest, sink: ResponseSink): Exchange {
    const headers = this.headersOf(request);
    const exchange = new H2Exchange(request, sink, headers ?? {});
    if (headers !== null) this.place(exchange);
    else {
      const detail = `the URL is not of ${this.origin.origin}, the one origin of an HTTP/2 target`;
      exchange.end({ kind: 'failed', class: 'generator', status: null, detail }, this.nowNs());
    }
    return exchange;
  }

  gauges(): readonly ClientGauge[] {
    return [...gaugesOfAddresses(this.address.uses), { name: 'streamsPerConnectionMax', value: this.streamsPeak }];
  }

  takeWarnings(): readonly string[] {
    return [];
  }

  /** Most streams open at once on any connection (R022). */
  get streamsPeak(): number {
    return this.sessions.reduce((peak, session) => Math.max(peak, session.streamsPeak), this.streamsPeakBefore);
  }

  close(): Promise<void> {
    this.closed = true;
    for (const session of [...this.sessions]) session.close();
    return Promise.resolve();
  }

  onFree(session: H2Session): void {
    const allowsAgain = this.expectedStreams === 0 && session.streamsFree > 0;
    if (allowsAgain) this.expectedStreams = Math.min(EXPECTED_STREAMS, session.streamsFree);
    while (session.streamsFree > 0) {
      const exchange = this.takeWaiting();
      if (exchange === null) return;
      session.dispatch(exchange);
    }
    if (allowsAgain) this.growIfAllowed();
  }

  onGone(session: H2Session): void {
    this.streamsPeakBefore = Math.max(this.streamsPeakBefore, session.streamsPeak);
    const index = this.sessions.indexOf(session);
    if (index >= 0) this.sessions.splice(index, 1);
    this.growIfAllowed();
  }

  onRefused(exchange: H2Exchange): void {
    exchange.moves += 1;
    if (exchange.moves > MOVES_MAX || this.closed) {
      exchange.end(
        { kind: 'failed', class: 'reset', status: null, detail: `refused unprocessed ${exchange.moves} times` },
        this.nowNs(),
      );
      return;
    }
    this.counters.retries += 1;
    this.place(exchange);
  }

  private place(exchange: H2Exchange): void {
    if (this.age.isBounded) this.retireOld();
    const session = this.freeSession();
    if (session !== null) {
      session.dispatch(exchange);
      return;
    }
    this.waiting.push(exchange);
    const grows = this.growIfAllowed();
    if (!exchange.sent) exchange.sink.onWait(grows || this.sessions.length === 0 ? 'connect' : 'stream', this.nowNs());
  }

  private retireOld(): void {
    const nowNs = this.steadyNowNs();
    for (const session of this.sessions.filter(({ retireAtNs }) => retireAtNs <= nowNs)) {
      this.counters.connectionsRetired += 1;
      session.retire();
    }
  }

  /** In turn over the connections, so that all carry a like share. */
  private freeSession(): H2Session | null {
    const count = this.sessions.length;
    for (let step = 0; step < count; step += 1) {
      const index = (this.nextSession + step) % count;
      const session = this.sessions[index] as H2Session;
      if (session.streamsFree > 0) {
        this.nextSession = (index + 1) % count;
        return session;
      }
    }
    return null;
  }

  private takeWaiting(): H2Exchange | null {
    for (let exchange = this.waiting.shift(); exchange !== null; exchange = this.waiting.shift()) {
      if (!exchange.ended) return exchange;
    }
    return null;
  }

  /** Makes connections while more requests wait than those being made will carry. True when one is being made. */
  private growIfAllowed(): boolean {
    const connectingMax = this.expectedStreams === 0 ? USELESS_SESSIONS_MAX - this.uselessSessions() : Infinity;
    const expected = Math.max(1, this.expectedStreams);
    while (
      !this.closed &&
      this.connecting < connectingMax &&
      this.sessions.length + this.connecting < this.options.connectionsMax &&
      this.connecting * expected < this.waiting.length
    )
      this.openOne();
    return this.connecting > 0;
  }

  private uselessSessions(): number {
    return this.sessions.filter(({ streamsOpen, streamsFree }) => streamsOpen === 0 && streamsFree <= 0).length;
  }

  private openOne(): void {
    this.connecting += 1;
    this.attempt(this.address.attemptsMax);
  }

  /** Dials the next address; one that fails is followed by the next until `attemptsLeft` are used up (R024). */
  private attempt(attemptsLeft: number): void {
    const known = this.address.nextKnown(this.steadyNowNs());
    // A connection that replaces an old one follows its name; otherwise nobody waits for that.
    if (known !== null && !(this.age.isBounded && this.address.isRenewing)) {
      this.dial(known, attemptsLeft);
      return;
    }
    this.address.next(this.steadyNowNs()).then(
      (found) => this.dial(found, this.address.attemptsMax),
      (error: unknown) => this.attemptFailed(error),
    );
  }

  private dial(address: DialAddress, attemptsLeft: number): void {
    this.counters.connectionsTried += 1;
    const failed = (error: unknown): void => {
      if (isTargetsFailure(error)) this.address.markDead(address, this.steadyNowNs());
      if (attemptsLeft > 1 && !this.closed) this.attempt(attemptsLeft - 1);
      else this.attemptFailed(error);
    };
    const timeoutMs = this.address.attemptTimeoutNs(this.options.connectTimeoutNs) / 1e6;
    this.opener.open(address, timeoutMs, null, {
      onReady: (socket, protocol) => {
        if (this.opener.encrypted && protocol !== 'h2') {
          socket.destroy();
          failed(Object.assign(new Error('the server did not choose h2'), { code: 'ERR_TLS_ALPN' }));
        } else this.startSession(socket, address, failed);
      },
      onFailed: failed,
    });
  }

  /** The connection is ready once the server's SETTINGS are here: only they say how many streams it takes. */
  private startSession(socket: Socket, address: DialAddress, onFailed: (error: unknown) => void): void {
    // The type of a client's options lacks one that Node takes from clients as well.
    const options = {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: WINDOW_BYTES },
      maxSessionMemory: SESSION_MEMORY_MB,
      maxHeaderListPairs: HEADER_FIELDS_MAX,
      maxSessionInvalidFrames: EMPTY_FRAMES_MAX,
    };
    const session = connectHttp2(this.origin, options);
    const timer = setTimeout(
      () => failed(Object.assign(new Error('no SETTINGS in time'), { code: 'ETIMEDOUT' })),
      Math.min(this.options.connectTimeoutNs / 1e6, 2 ** 31 - 1),
    );
    const failed = (error: unknown): void => {
      clearTimeout(timer);
      session.removeAllListeners('remoteSettings');
      session.on('error', ignoreLateError);
      session.destroy();
      onFailed(error);
    };
    const closedEarly = (): void => failed(Object.assign(new Error('closed before SETTINGS'), { code: 'ECONNRESET' }));
    session.once('error', failed);
    session.once('close', closedEarly);
    session.once('remoteSettings', () => {
      clearTimeout(timer);
      session.off('error', failed);
      session.off('close', closedEarly);
      session.setLocalWindowSize(WINDOW_BYTES);
      this.attemptReady(session, address);
    });
  }

  private attemptReady(session: ClientHttp2Session, address: DialAddress): void {
    this.connecting -= 1;
    this.counters.connectionsOpened += 1;
    const use = this.address.useOf(address);
    use.connections += 1;
    this.address.markAlive(address);
    const ready = new H2Session(this, session, use, this.streamsMax, this.age.retireAtNs(this.steadyNowNs()));
    this.sessions.push(ready);
    if (this.closed) ready.close();
    else {
      this.expectedStreams = Math.max(0, Math.min(EXPECTED_STREAMS, ready.streamsFree));
      this.onFree(ready);
      this.growIfAllowed();
    }
    this.onAttemptEnd?.();
  }

  /** A connection could not be made. With others at work the waiting requests wait for their streams. */
  private attemptFailed(error: unknown): void {
    this.connecting -= 1;
    if (this.sessions.length === 0) {
      const outcome = connectFailure(error, this.opener.encrypted);
      // All that would have ridden on this connection fail with it; the others wait for the next attempt.
      for (let failedCount = 0; failedCount < Math.max(1, this.expectedStreams); failedCount += 1) {
        const exchange = this.takeWaiting();
        if (exchange === null) break;
        exchange.end(outcome, this.nowNs());
      }
      this.growIfAllowed();
    }
    this.onAttemptEnd?.();
  }

  /** The request's fields, or null when its URL leads elsewhere. */
  private headersOf(request: OutboundRequest): OutgoingHttpHeaders | null {
    const known = this.rendered[request.template];
    if (
      known !== undefined &&
      known.request.url === request.url &&
      known.request.headers === request.headers &&
      known.request.method === request.method
    ) {
      return request.identity === null ? known.headers : { ...known.headers, [IDENTITY_HEADER]: request.identity };
    }
    const parts = splitUrl(request.url);
    if (parts === null || !this.isOfOrigin(parts)) return null;
    const headers = renderHeaders(request, parts);
    this.rendered[request.template] = { request, headers };
    return request.identity === null ? headers : { ...headers, [IDENTITY_HEADER]: request.identity };
  }

  private steadyNowNs(): number {
    return (this.options.steadyClock ?? this.options.clock).nowNs();
  }

  /** With an address of its own to dial, a target may be called by any name. */
  private isOfOrigin({ scheme, authority }: UrlParts): boolean {
    if (`${scheme}:` !== this.origin.protocol) return false;
    if (this.options.connectTo !== null) return true;
    return URL.parse(`${scheme}://${authority}`)?.origin === this.origin.origin;
  }
}

/** Streams a connection is expected to carry before its SETTINGS are known (the least RFC 9113 §6.5.2 recommends). */
const EXPECTED_STREAMS = 100;
/** Fields of HTTP/1.1 connections that must not be sent in HTTP/2 (RFC 9113 §8.2.2). */
const CONNECTION_FIELDS = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'host',
]);

function renderHeaders(request: OutboundRequest, parts: UrlParts): OutgoingHttpHeaders {
  const headers: Record<string, string | string[]> = {
    ':method': request.method,
    ':path': utf8AsLatin1(parts.requestTarget),
    ':scheme': parts.scheme,
    ':authority': parts.authority,
  };
  for (const [name, value] of request.headers) {
    const lower = name.toLowerCase();
    if (lower === 'host') headers[':authority'] = value;
    if (CONNECTION_FIELDS.has(lower)) continue;
    const before = headers[lower];
    const bytes = utf8AsLatin1(value);
    headers[lower] = before === undefined ? bytes : [...(Array.isArray(before) ? before : [before]), bytes];
  }
  return headers;
}

/** A session that was given up may still report an error; it has been accounted for. */
function ignoreLateError(): void {
  return undefined;
}
