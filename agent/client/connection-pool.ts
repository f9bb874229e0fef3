/**
 * Connections to one origin that carry one request at a time, for any HTTP/1.1 client. A request that finds none idle waits in order, and
 * every wait is told to the sink (R033). While requests wait, the pool looks once in each turn of the loop, behind its reads:
 * - connections that these reads set free take the oldest requests, so many at most that what they send for is answered in a turn: more
 *   would be answers that lie in our sockets, are counted as the target's time, and make all others dearer;
 * - only where the reads set none free is a connection made, below the limit: then it is the target that is waited for. In a turn that
 *   brought answers a worker that cannot keep up would pay for a hundred connections what it lacks for requests, and never get over it.
 */

import type { Clock } from '../../shared/time/monotonic-clock.ts';
import { connectFailure } from './connect-failure.ts';
import { ConnectionAge } from './connection-age.ts';
import { type Attempt, Dialler } from './dialler.ts';
import { Fifo } from './fifo.ts';
import { IdleConnections } from './idle-connections.ts';
import type { ConnectionOwner, PooledConnection, PooledExchange } from './pooled-connection.ts';
import { CLIENT_CLOSED, type ClientCounters } from './protocol-client.ts';
import { type AnswerKind, CLOSES_BEHIND, REUSED_AGAIN, ReuseRule } from './reuse-rule.ts';
import type { AddressUse, TargetAddress } from './target-address.ts';

/** Most requests that waited and are sent in one turn of the loop. */
const SENT_IN_TURN_MAX = 64;
/** Most connections that are made in one turn: each takes about 0.1 ms. */
const MADE_IN_TURN_MAX = 16;

/** What a pool is made of. */
export interface ConnectionPoolParts<E, C> {
  readonly connectionsMax: number;
  /** Bound on making one connection, ns. */
  readonly connectTimeoutNs: number;
  /** Age at which a connection takes no further request, ns; null = any. */
  readonly connectionAgeNs: number | null;
  readonly clock: Clock;
  /** For what is remembered of addresses, and ages. */
  readonly steadyClock: Clock;
  readonly counters: ClientCounters;
  readonly encrypted: boolean;
  readonly address: TargetAddress;
  /** How warnings name what the pool leads to. */
  readonly origin: string;
  /** Begins one attempt to connect. */
  open(attempt: Attempt<C>, owner: ConnectionOwner<E, C>): void;
}

/** The connections of one origin. */
export class ConnectionPool<E extends PooledExchange, C extends PooledConnection<E>> implements ConnectionOwner<E, C> {
  readonly counters: ClientCounters;
  readonly clock: Clock;
  readonly encrypted: boolean;
  readonly #parts: ConnectionPoolParts<E, C>;
  readonly #dialler: Dialler<C>;
  readonly #idle = new IdleConnections<C>();
  readonly #reuse: Readonly<Record<AnswerKind, ReuseRule>> = { streamed: new ReuseRule(), sized: new ReuseRule() };
  #warnings: string[] = [];
  readonly #waiting = new Fifo<E>();
  /** How many were ever taken out of it. */
  #taken = 0;
  /** And from when on each takes no further request. */
  readonly #connections = new Map<C, number>();
  readonly #age: ConnectionAge;
  #closed = false;
  #turnPending = false;
  /** Whether the target may have answered since the last turn that looked: if not, the next one may make a connection. */
  #mayHaveAnswered = false;
  /** Connections that went or could not be made, and have not been replaced. */
  #gone = 0;

  constructor(parts: ConnectionPoolParts<E, C>) {
    this.#parts = parts;
    this.#age = new ConnectionAge(parts.connectionAgeNs);
    this.counters = parts.counters;
    this.clock = parts.clock;
    this.encrypted = parts.encrypted;
    this.#dialler = new Dialler<C>({
      address: parts.address,
      connectTimeoutNs: parts.connectTimeoutNs,
      steadyClock: parts.steadyClock,
      counters: parts.counters,
      followsName: this.#age.isBounded,
      open: (attempt) => parts.open(attempt, this),
      onReady: (connection) => this.#attemptReady(connection),
      onFailed: (error, order) => this.#attemptFailed(error, order),
    });
  }

  /** Use of each address so far (R024). */
  get addressUses(): readonly AddressUse[] {
    return this.#parts.address.uses;
  }

  /** Opens connections up to `count` and waits until each is ready or has failed. */
  async openAhead(count: number): Promise<void> {
    while (this.#connections.size + this.#dialler.underWay < count) this.#dialler.dial();
    await this.#dialler.settled();
  }

  /** Sends on an idle connection, or waits for one behind those that wait already. */
  submit(exchange: E): void {
    if (this.#closed) {
      exchange.sink.onEnd(CLIENT_CLOSED, this.clock.nowNs());
      return;
    }
    const connection = this.#waiting.length === 0 ? this.#takeIdle() : null;
    if (connection !== null) {
      connection.dispatch(exchange);
      return;
    }
    this.#waiting.push(exchange);
    const canHaveOwn = this.#connections.size + this.#waiting.length <= this.#parts.connectionsMax;
    exchange.sink.onWait(canHaveOwn ? 'connect' : 'queue', this.clock.nowNs());
    // The first one of all would learn nothing by waiting.
    if (this.#connections.size === 0 && this.#dialler.underWay === 0) this.#openForWaiting();
    // The turn that is under way may have read before: it is the next one that shows who is waited for.
    if (!this.#turnPending) this.#mayHaveAnswered = true;
    this.#lookInTurn();
  }

  /** Texts for the report since the last call. */
  takeWarnings(): readonly string[] {
    const warnings = this.#warnings;
    if (warnings.length > 0) this.#warnings = [];
    return warnings;
  }

  onReused(kind: AnswerKind): void {
    if (!this.#reuse[kind].reused()) return;
    this.#warnings.push(`${this.#parts.origin} ${REUSED_AGAIN[kind]}`);
  }

  onServerClosed(connection: C): void {
    const { answerKind: kind, answeredNs } = connection;
    if (kind === null || !this.#reuse[kind].closed(answeredNs, this.clock.nowNs())) return;
    this.#warnings.push(`${this.#parts.origin} ${CLOSES_BEHIND[kind]}`);
  }

  onIdle(connection: C): void {
    if (this.#retires(connection)) return;
    const kind = connection.answerKind;
    if (kind !== null && this.#reuse[kind].rests) {
      this.#idle.rest(connection);
    } else {
      this.#mayHaveAnswered = true;
      this.#idle.put(connection);
    }
    if (this.#waiting.length > 0) this.#lookInTurn();
  }

  onGone(connection: C): void {
    this.#connections.delete(connection);
    this.#idle.forget(connection);
    this.#gone += 1;
    if (this.#waiting.length > 0) this.#lookInTurn();
  }

  onUnsent(exchange: E): void {
    if (!exchange.abandoned) this.submit(exchange);
  }

  /** Closes everything; what waits has failed by it. */
  close(): void {
    this.#closed = true;
    for (const connection of [...this.#connections.keys()]) connection.close();
    for (let exchange = this.#takeWaiting(); exchange !== null; exchange = this.#takeWaiting())
      exchange.sink.onEnd(CLIENT_CLOSED, this.clock.nowNs());
    // Behind those that wait: they have not failed by an attempt that ends with this.
    this.#dialler.close();
  }

  #lookInTurn(): void {
    if (this.#turnPending || this.#closed) return;
    this.#turnPending = true;
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    this.#turnPending = false;
    if (this.#closed) return;
    const mayHaveAnswered = this.#mayHaveAnswered;
    this.#mayHaveAnswered = false;
    this.#sendWaiting();
    if (!mayHaveAnswered && this.#idle.isEmpty) this.#grow();
    if (this.#waiting.length > 0 && (!this.#idle.isEmpty || this.#canOpen())) this.#lookInTurn();
  };

  #grow(): void {
    const most = Math.min(MADE_IN_TURN_MAX, 1 + this.#gone);
    for (let made = 0; made < most && this.#idle.isEmpty && this.#openForWaiting(); made += 1)
      this.#gone = Math.max(0, this.#gone - 1);
  }

  #sendWaiting(): void {
    for (let sent = 0; sent < SENT_IN_TURN_MAX && this.#waiting.length > 0; sent += 1) {
      const connection = this.#takeIdle();
      if (connection === null) return;
      const exchange = this.#takeWaiting();
      if (exchange === null) this.#idle.put(connection);
      else connection.dispatch(exchange);
    }
  }

  #takeIdle(): C | null {
    for (;;) {
      const connection = this.#idle.take(this.clock);
      if (connection === null) return null;
      if (!connection.usable(this.clock)) connection.close();
      else if (!this.#retires(connection)) return connection;
    }
  }

  /** Closes an idle connection that is too old, and says whether it was. */
  #retires(connection: C): boolean {
    if (!this.#age.isBounded) return false;
    if (this.#parts.steadyClock.nowNs() < (this.#connections.get(connection) ?? Infinity)) return false;
    this.counters.connectionsRetired += 1;
    connection.close();
    return true;
  }

  /** The oldest request that waits; null when it is none of the first `order` that ever did. */
  #takeWaiting(order = Infinity): E | null {
    while (this.#taken < order) {
      const exchange = this.#waiting.shift();
      if (exchange === null) return null;
      this.#taken += 1;
      if (!exchange.abandoned) return exchange;
    }
    return null;
  }

  /** Whether another connection would help, and may be made: at the limit, in the place of one that rests. */
  #canOpen(): boolean {
    const { underWay } = this.#dialler;
    if (this.#waiting.length <= underWay) return false;
    return this.#connections.size + underWay < this.#parts.connectionsMax || this.#idle.someRest;
  }

  /** Begins one more connection, if more requests wait than are being made; at the limit, in the place of one that rests. */
  #openForWaiting(): boolean {
    const { underWay } = this.#dialler;
    if (this.#waiting.length <= underWay) return false;
    if (this.#connections.size + underWay >= this.#parts.connectionsMax && !this.#closeResting()) return false;
    this.#dialler.dial(this.#taken + this.#waiting.length);
    return true;
  }

  /** Closes the connection that rests the longest. False when none rests. */
  #closeResting(): boolean {
    const resting = this.#idle.takeResting();
    resting?.close();
    return resting !== null;
  }

  #attemptReady(connection: C): void {
    this.#connections.set(connection, this.#age.retireAtNs(this.#parts.steadyClock.nowNs()));
    if (this.#closed) {
      connection.close();
      return;
    }
    this.#idle.put(connection);
    if (this.#waiting.length > 0) this.#lookInTurn();
  }

  /**
   * A connection could not be made: the oldest request that waits has failed by it. Where there are connections, one that came after the
   * attempt was begun has not: it waits for these, or has an attempt of its own.
   */
  #attemptFailed(error: unknown, order: number): void {
    this.#gone += 1;
    this.#takeWaiting(this.#connections.size > 0 ? order : Infinity)?.sink.onEnd(
      connectFailure(error, this.encrypted),
      this.clock.nowNs(),
    );
    if (this.#waiting.length > 0) this.#lookInTurn();
  }
}
