/**
 * The HTTP/2 client behind the pinned client border: connections x streams on sockets of our own framing, by ALPN over TLS or with prior
 * knowledge in clear. A request takes a free stream in turn over the connections; without one it waits in order, and below the limit one
 * more connection is made. Requests a server refused unprocessed go to another connection and keep their stamps (R021, R022).
 */
import type { Socket } from 'node:net';
import { type ClientGauge, gaugesOfAddresses, gaugesOfHandshakes } from '../client-gauge.ts';
import type { ClientOptions } from '../client-options.ts';
import { ConnectionAge } from '../connection-age.ts';
import { connectFailure } from '../connect-failure.ts';
import { BodyDecoding } from '../decoded-body.ts';
import { type Attempt, type AttemptEvents, Dialler } from '../dialler.ts';
import { Fifo } from '../fifo.ts';
import {
  CLIENT_CLOSED,
  createClientCounters,
  type ClientCounters,
  type Exchange,
  type OutboundRequest,
  type ProtocolClient,
  type ResponseSink,
} from '../protocol-client.ts';
import { SocketOpener, tlsSettingsFor } from '../socket-opener.ts';
import { StallFreeTimer } from '../stall-free-timer.ts';
import { type AddressUse, resolveBySystem, TargetAddress } from '../target-address.ts';
import { H2Connection } from './h2-connection.ts';
import { H2Exchange } from './h2-exchange.ts';
import type { H2ConnectionOwner } from './h2-owner.ts';
import { OutputTurn } from './output-turn.ts';
import { RenderedRequests } from './rendered-requests.ts';
import { renderIdentity } from './request-block.ts';

/** Most streams we open on one connection, whatever the server allows. */
const STREAMS_PER_CONNECTION_MAX = 1000;
/** Streams a connection is expected to carry before its SETTINGS are known (the least RFC 9113 §6.5.2 recommends). */
const EXPECTED_STREAMS = 100;
/** How often one request may be moved before it counts as failed, but for moves off connections that others got their answers on. */
const MOVES_MAX = 8;
/** While servers take no streams at all, this many connections wait for one that does. */
const USELESS_CONNECTIONS_MAX = 4;

/** Settings of one worker's HTTP/2 client; one origin. */
export interface H2ClientOptions extends ClientOptions {
  readonly streamsPerConnection?: number;
}

/** HTTP/2 with many streams per connection. */
export class H2Client implements ProtocolClient, H2ConnectionOwner<H2Connection> {
  readonly name: string;
  readonly counters: ClientCounters = createClientCounters();
  readonly turn = new OutputTurn();
  private readonly options: H2ClientOptions;
  private readonly origin: URL;
  private readonly opener: SocketOpener;
  private readonly address: TargetAddress;
  private readonly streamsMax: number;
  /** Those that take requests. */
  private readonly connections: H2Connection[] = [];
  /** Those whose last streams have not ended. */
  private readonly leaving = new Set<H2Connection>();
  private readonly age: ConnectionAge;
  private readonly waiting = new Fifo<H2Exchange>();
  private readonly dialler: Dialler<H2Connection>;
  /** Sockets whose server has not sent its SETTINGS yet. */
  private readonly greeting = new Set<Socket>();
  private nextConnection = 0;
  /** Peak of the connections that take no more requests. */
  private streamsPeakBefore = 0;
  private closed = false;
  /** Streams that a new connection is expected to take, by what servers have allowed so far; 0 = none until one allows some. */
  private expectedStreams = EXPECTED_STREAMS;
  private readonly rendered: RenderedRequests;
  private readonly decoding = new BodyDecoding(this.counters);

  constructor(options: H2ClientOptions) {
    this.options = options;
    this.origin = new URL(options.url);
    this.rendered = new RenderedRequests(this.origin, options.connectTo !== null);
    const encrypted = this.origin.protocol === 'https:';
    this.name = encrypted ? 'wire h2' : 'wire h2c';
    this.opener = new SocketOpener(
      encrypted ? tlsSettingsFor(this.origin.hostname, options.tlsServerName, options.insecure, ['h2']) : null,
    );
    this.address = new TargetAddress(this.origin, options.connectTo, options.resolveAll ?? resolveBySystem);
    this.age = new ConnectionAge(options.connectionAgeNs);
    this.streamsMax = options.streamsPerConnection ?? STREAMS_PER_CONNECTION_MAX;
    this.dialler = new Dialler<H2Connection>({
      address: this.address,
      connectTimeoutNs: options.connectTimeoutNs,
      steadyClock: options.steadyClock ?? options.clock,
      counters: this.counters,
      followsName: this.age.isBounded,
      open: (attempt) => this.open(attempt),
      onReady: (connection) => this.attemptReady(connection),
      onFailed: (error) => this.attemptFailed(error),
    });
  }

  get encrypted(): boolean {
    return this.opener.encrypted;
  }

  nowNs(): number {
    return this.options.clock.nowNs();
  }

  async prepare(connections: number): Promise<void> {
    const wanted = Math.min(connections, this.options.connectionsMax);
    while (this.connections.length + this.dialler.underWay < wanted) this.dialler.dial();
    await this.dialler.settled();
  }

  send(request: OutboundRequest, sink: ResponseSink): Exchange {
    const rendered = this.rendered.of(request);
    const { identity } = request;
    const block = rendered === null ? '' : rendered.block + (identity === null ? '' : renderIdentity(identity));
    const exchange = new H2Exchange(
      request,
      sink,
      block,
      rendered?.isGrpc === true,
      request.decodes === true ? this.decoding : null,
    );
    if (rendered !== null) this.place(exchange);
    else {
      const detail = `the URL is not of ${this.origin.origin}, the one origin of an HTTP/2 target`;
      exchange.end({ kind: 'failed', class: 'generator', status: null, detail }, this.nowNs());
    }
    return exchange;
  }

  get decodingCount(): number {
    return this.decoding.ending.size;
  }

  gauges(): readonly ClientGauge[] {
    return [
      ...gaugesOfAddresses(this.address.uses),
      ...gaugesOfHandshakes([this.opener.handshakes]),
      { name: 'streamsPerConnectionMax', value: this.streamsPeak },
    ];
  }

  takeWarnings(): readonly string[] {
    return this.decoding.takeWarnings();
  }

  /** Most streams open at once on any connection (R022). */
  get streamsPeak(): number {
    return this.connections.reduce(
      (peak, connection) => Math.max(peak, connection.streamsPeak),
      this.streamsPeakBefore,
    );
  }

  close(): Promise<void> {
    this.closed = true;
    for (const connection of [...this.connections, ...this.leaving]) connection.close();
    this.opener.close();
    for (const socket of this.greeting) socket.destroy();
    this.decoding.close();
    for (let exchange = this.takeWaiting(); exchange !== null; exchange = this.takeWaiting())
      exchange.end(CLIENT_CLOSED, this.nowNs());
    // Behind those that wait: they have not failed by an attempt that ends with this.
    this.dialler.close();
    return Promise.resolve();
  }

  onFree(connection: H2Connection): void {
    const allowsAgain = this.expectedStreams === 0 && connection.streamsFree > 0;
    if (allowsAgain) this.expectedStreams = Math.min(EXPECTED_STREAMS, connection.streamsFree);
    while (connection.streamsFree > 0) {
      const exchange = this.takeWaiting();
      if (exchange === null) return;
      connection.dispatch(exchange);
    }
    if (allowsAgain) this.growIfAllowed();
  }

  onLeaving(connection: H2Connection): void {
    this.streamsPeakBefore = Math.max(this.streamsPeakBefore, connection.streamsPeak);
    const index = this.connections.indexOf(connection);
    if (index >= 0) this.connections.splice(index, 1);
    this.leaving.add(connection);
    this.growIfAllowed();
  }

  onClosed(connection: H2Connection): void {
    this.leaving.delete(connection);
    this.growIfAllowed();
  }

  onRefused(exchange: H2Exchange, tookOthers: boolean, words: string): void {
    if (!tookOthers) exchange.moves += 1;
    if (exchange.moves > MOVES_MAX) {
      const detail = `${words}, refused unprocessed ${exchange.moves} times`;
      exchange.end({ kind: 'failed', class: 'reset', status: null, detail }, this.nowNs());
      return;
    }
    if (exchange.sent) this.counters.retries += 1;
    this.place(exchange);
  }

  private place(exchange: H2Exchange): void {
    if (this.closed) {
      exchange.end(CLIENT_CLOSED, this.nowNs());
      return;
    }
    if (this.age.isBounded) this.retireOld();
    const connection = this.freeConnection();
    if (connection !== null) {
      connection.dispatch(exchange);
      return;
    }
    this.waiting.push(exchange);
    const grows = this.growIfAllowed();
    if (!exchange.sent)
      exchange.sink.onWait(grows || this.connections.length === 0 ? 'connect' : 'stream', this.nowNs());
  }

  private retireOld(): void {
    const nowNs = this.steadyNowNs();
    for (const connection of this.connections.filter(({ retireAtNs }) => retireAtNs <= nowNs)) {
      this.counters.connectionsRetired += 1;
      connection.retire();
    }
  }

  /** In turn over the connections, so that all carry a like share. */
  private freeConnection(): H2Connection | null {
    const count = this.connections.length;
    for (let step = 0; step < count; step += 1) {
      const index = (this.nextConnection + step) % count;
      const connection = this.connections[index] as H2Connection;
      if (connection.streamsFree > 0) {
        this.nextConnection = (index + 1) % count;
        return connection;
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

  /**
   * Makes connections while more requests wait than those being made will carry. True when one is being made. Those that leave count as
   * long as they are there; but where there is no other, one is made all the same: answers may be long.
   */
  private growIfAllowed(): boolean {
    const connectingMax = this.expectedStreams === 0 ? USELESS_CONNECTIONS_MAX - this.uselessConnections() : Infinity;
    const expected = Math.max(1, this.expectedStreams);
    while (
      !this.closed &&
      this.dialler.underWay < connectingMax &&
      this.hasRoom &&
      this.dialler.underWay * expected < this.waiting.length
    )
      this.dialler.dial();
    return this.dialler.underWay > 0;
  }

  private get hasRoom(): boolean {
    const taking = this.connections.length + this.dialler.underWay;
    return taking === 0 || taking + this.leaving.size < this.options.connectionsMax;
  }

  private uselessConnections(): number {
    return this.connections.filter(({ streamsOpen, streamsFree }) => streamsOpen === 0 && streamsFree <= 0).length;
  }

  private open({ address, use, limits, events }: Attempt<H2Connection>): void {
    let connection: H2Connection | null = null;
    this.opener.open(address, limits, (bytes, length) => connection?.takeRead(bytes, length), {
      onReady: (socket, protocol) => {
        if (this.opener.encrypted && protocol !== 'h2') {
          socket.destroy();
          events.onFailed(Object.assign(new Error('the server did not choose h2'), { code: 'ERR_TLS_ALPN' }));
        } else connection = this.startConnection(socket, use, events);
      },
      onFailed: (error) => events.onFailed(error),
    });
  }

  /** The connection is ready once the server's SETTINGS are here: only they say how many streams it takes. */
  private startConnection(socket: Socket, use: AddressUse, events: AttemptEvents<H2Connection>): H2Connection {
    const timer = new StallFreeTimer(this.options.connectTimeoutNs / 1e6, () =>
      socket.destroy(Object.assign(new Error('no SETTINGS in time'), { code: 'ETIMEDOUT' })),
    );
    const settle = (): void => {
      timer.stop();
      this.greeting.delete(socket);
    };
    this.greeting.add(socket);
    return new H2Connection(this, socket, use, this.streamsMax, {
      onReady: (connection) => {
        settle();
        events.onReady(connection);
      },
      onFailed: (error) => {
        settle();
        events.onFailed(error);
      },
    });
  }

  private attemptReady(connection: H2Connection): void {
    connection.retireAtNs = this.age.retireAtNs(this.steadyNowNs());
    this.connections.push(connection);
    if (this.closed) {
      connection.close();
      return;
    }
    this.expectedStreams = Math.max(0, Math.min(EXPECTED_STREAMS, connection.streamsFree));
    this.onFree(connection);
    this.growIfAllowed();
  }

  /** A connection could not be made. Where others take requests, those that wait have them to wait for. */
  private attemptFailed(error: unknown): void {
    if (this.connections.length > this.uselessConnections()) return;
    const outcome = connectFailure(error, this.opener.encrypted);
    // All that would have ridden on this connection fail with it; the others wait for the next attempt.
    for (let failedCount = 0; failedCount < Math.max(1, this.expectedStreams); failedCount += 1) {
      const exchange = this.takeWaiting();
      if (exchange === null) break;
      exchange.end(outcome, this.nowNs());
    }
    this.growIfAllowed();
  }

  private steadyNowNs(): number {
    return (this.options.steadyClock ?? this.options.clock).nowNs();
  }
}
