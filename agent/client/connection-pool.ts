/**
 * Connections to one origin that carry one request at a time, for any HTTP/1.1 client. Idle ones are used in turn, so that load spreads
 * over all of them and over all addresses (R024); a request that finds none idle waits in order and, below the limit, causes one more to
 * be made; whichever connection is free first takes the oldest. Every wait is told to the sink (R033).
 */

import type { Outcome } from '../../shared/metrics/outcome.ts';
import type { Clock } from '../../shared/time/monotonic-clock.ts';
import { connectFailureClass, errorCodeOf, isTargetsFailure } from './connect-failure.ts';
import { ConnectionAge } from './connection-age.ts';
import { Fifo } from './fifo.ts';
import type { ClientCounters, ResponseSink } from './protocol-client.ts';
import { type AnswerKind, CLOSES_BEHIND, REST_NS, REUSED_AGAIN, ReuseRule } from './reuse-rule.ts';
import type { AddressUse, DialAddress, TargetAddress } from './target-address.ts';

/** A request that the pool holds while it waits. */
export interface PooledExchange {
  readonly sink: ResponseSink;
  /** Ended by `abort` while waiting: the queue passes over it. */
  readonly abandoned: boolean;
}

/** A ready connection. */
export interface PooledConnection<E> {
  /** Whether a request may be given to it now; asks `clock` only when that depends on the time. */
  usable(clock: Clock): boolean;
  dispatch(exchange: E): void;
  close(): void;
  /** How its last answer came; `null` before one. */
  readonly answerKind: AnswerKind | null;
  /** Run time at which its last answer ended, ns; valid once there was one. */
  readonly answeredNs: number;
}

/** What a connection tells its pool. */
export interface ConnectionOwner<E, C> {
  readonly counters: ClientCounters;
  readonly clock: Clock;
  readonly encrypted: boolean;
  /** The connection can take another request. */
  onIdle(connection: C): void;
  /** The connection is gone for good; a request on it has been ended or follows as unsent. */
  onGone(connection: C): void;
  /** Nothing of this request has left: it goes to another connection, its stamps unchanged. */
  onUnsent(exchange: E): void;
  /** A connection has answered again, behind an answer of `kind`. */
  onReused(kind: AnswerKind): void;
  /** The server closed the connection behind its last answer. */
  onServerClosed(connection: C): void;
}

/** Exactly one of the two comes for each attempt. */
export interface AttemptEvents<C> {
  onReady(connection: C): void;
  onFailed(error: unknown): void;
}

/** What a pool is made of. */
export interface ConnectionPoolParts<E, C> {
  readonly connectionsMax: number;
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
  /** Begins one attempt to connect to `address`. */
  open(address: DialAddress, use: AddressUse, owner: ConnectionOwner<E, C>, events: AttemptEvents<C>): void;
}

/** The connections of one origin. */
export class ConnectionPool<E extends PooledExchange, C extends PooledConnection<E>> implements ConnectionOwner<E, C> {
  readonly counters: ClientCounters;
  readonly clock: Clock;
  readonly encrypted: boolean;
  readonly #parts: ConnectionPoolParts<E, C>;
  readonly #idle = new Fifo<C>();
  /** Connections that rest behind their answer, the longest first. */
  readonly #resting = new Fifo<C>();
  readonly #reuse: Readonly<Record<AnswerKind, ReuseRule>> = { streamed: new ReuseRule(), sized: new ReuseRule() };
  #warnings: string[] = [];
  readonly #waiting = new Fifo<E>();
  /** And from when on each takes no further request. */
  readonly #connections = new Map<C, number>();
  readonly #age: ConnectionAge;
  /** Attempts under way. */
  #connecting = 0;
  #closed = false;
  /** Called when an attempt ends while `openAhead` waits. */
  #onAttemptEnd: (() => void) | null = null;

  constructor(parts: ConnectionPoolParts<E, C>) {
    this.#parts = parts;
    this.#age = new ConnectionAge(parts.connectionAgeNs);
    this.counters = parts.counters;
    this.clock = parts.clock;
    this.encrypted = parts.encrypted;
  }

  /** Use of each address so far (R024). */
  get addressUses(): readonly AddressUse[] {
    return this.#parts.address.uses;
  }

  /** Opens connections up to `count` and waits until each is ready or has failed. */
  async openAhead(count: number): Promise<void> {
    while (this.#connections.size + this.#connecting < count) this.#openOne();
    if (this.#connecting === 0) return;
    await new Promise<void>((resolve) => {
      this.#onAttemptEnd = () => {
        if (this.#connecting > 0) return;
        this.#onAttemptEnd = null;
        resolve();
      };
    });
  }

  /** Sends on an idle connection, or waits for one. */
  submit(exchange: E): void {
    const connection = this.#takeIdle();
    if (connection !== null) {
      connection.dispatch(exchange);
      return;
    }
    this.#waiting.push(exchange);
    exchange.sink.onWait(this.#openForWaiting() ? 'connect' : 'queue', this.clock.nowNs());
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
      this.#resting.push(connection);
      this.#openForWaiting();
      return;
    }
    const exchange = this.#takeWaiting();
    if (exchange === null) this.#idle.push(connection);
    else connection.dispatch(exchange);
  }

  onGone(connection: C): void {
    this.#connections.delete(connection);
    this.#openForWaiting();
  }

  onUnsent(exchange: E): void {
    if (!exchange.abandoned) this.submit(exchange);
  }

  /** Closes everything; requests still open must have been aborted before. */
  close(): void {
    this.#closed = true;
    for (const connection of [...this.#connections.keys()]) connection.close();
  }

  #takeIdle(): C | null {
    if (this.#resting.length > 0) this.#endRests();
    for (let connection = this.#idle.shift(); connection !== null; connection = this.#idle.shift()) {
      if (!connection.usable(this.clock)) connection.close();
      else if (!this.#retires(connection)) return connection;
    }
    return null;
  }

  /** Who has rested long enough is idle. */
  #endRests(): void {
    const untilNs = this.clock.nowNs() - REST_NS;
    for (let next = this.#resting.peek(); next !== null && next.answeredNs <= untilNs; next = this.#resting.peek()) {
      this.#resting.shift();
      this.#idle.push(next);
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

  #takeWaiting(): E | null {
    for (let exchange = this.#waiting.shift(); exchange !== null; exchange = this.#waiting.shift()) {
      if (!exchange.abandoned) return exchange;
    }
    return null;
  }

  /** Begins one more connection if more requests wait than connections are being made, and the limit allows it. */
  #openForWaiting(): boolean {
    if (this.#closed || this.#waiting.length <= this.#connecting) return false;
    if (this.#connections.size + this.#connecting >= this.#parts.connectionsMax) return this.#replaceResting();
    this.#openOne();
    return true;
  }

  /** Closes the connection that rests the longest: its end opens another in its place. False when none rests. */
  #replaceResting(): boolean {
    for (let resting = this.#resting.shift(); resting !== null; resting = this.#resting.shift()) {
      if (!this.#connections.has(resting)) continue;
      resting.close();
      return true;
    }
    return false;
  }

  #openOne(): void {
    this.#connecting += 1;
    this.#attempt(this.#parts.address.attemptsMax);
  }

  /** Dials the next address; one that fails is followed by the next until `attemptsLeft` are used up (R024). */
  #attempt(attemptsLeft: number): void {
    const { address, steadyClock } = this.#parts;
    const known = address.nextKnown(steadyClock.nowNs());
    // A connection that replaces an old one follows its name; otherwise nobody waits for that.
    if (known !== null && !(this.#age.isBounded && address.isRenewing)) {
      this.#dial(known, attemptsLeft);
      return;
    }
    address.next(steadyClock.nowNs()).then(
      (found) => this.#dial(found, address.attemptsMax),
      (error: unknown) => this.#attemptFailed(error),
    );
  }

  #dial(dialled: DialAddress, attemptsLeft: number): void {
    const { address, steadyClock } = this.#parts;
    const use = address.useOf(dialled);
    this.counters.connectionsTried += 1;
    this.#parts.open(dialled, use, this, {
      onReady: (connection) => {
        use.connections += 1;
        address.markAlive(dialled);
        this.#attemptReady(connection);
      },
      onFailed: (error) => {
        if (isTargetsFailure(error)) address.markDead(dialled, steadyClock.nowNs());
        if (attemptsLeft > 1 && !this.#closed) this.#attempt(attemptsLeft - 1);
        else this.#attemptFailed(error);
      },
    });
  }

  #attemptReady(connection: C): void {
    this.#connecting -= 1;
    this.counters.connectionsOpened += 1;
    this.#connections.set(connection, this.#age.retireAtNs(this.#parts.steadyClock.nowNs()));
    if (this.#closed) connection.close();
    else this.onIdle(connection);
    this.#onAttemptEnd?.();
  }

  /** A connection could not be made: the oldest request that waits has failed by it. */
  #attemptFailed(error: unknown): void {
    this.#connecting -= 1;
    this.#takeWaiting()?.sink.onEnd(connectFailure(error, this.encrypted), this.clock.nowNs());
    this.#openForWaiting();
    this.#onAttemptEnd?.();
  }
}

/** The outcome of a request whose connection could not be made. */
export function connectFailure(error: unknown, encrypted: boolean): Outcome {
  const code = errorCodeOf(error);
  return { kind: 'failed', class: connectFailureClass(code, encrypted), status: null, detail: code };
}
