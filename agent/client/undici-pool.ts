/**
 * The undici connections to one origin: idle ones are used in turn; a request that finds none idle waits in order and, below the
 * limit, causes one more to be made; whichever connection is free first takes the oldest. Every wait is told to the sink (R033).
 */

import type { Outcome } from '../../shared/metrics/outcome.ts';
import type { Clock } from '../../shared/time/monotonic-clock.ts';
import { connectFailureClass, errorCodeOf } from './connect-failure.ts';
import { Fifo } from './fifo.ts';
import type { ClientCounters, Exchange, ResponseSink } from './protocol-client.ts';
import {
  UndiciConnection,
  type UndiciConnectionOwner,
  type UndiciExchange,
  type UndiciRequest,
} from './undici-connection.ts';
import type { SocketOpener } from './wire/socket-opener.ts';
import type { DialAddress, TargetAddress } from './wire/target-address.ts';

export interface UndiciPoolParts {
  readonly connectionsMax: number;
  readonly connectTimeoutNs: number;
  readonly clock: Clock;
  readonly opener: SocketOpener;
  readonly address: TargetAddress;
}

/** Where a request stands that the pool was given. */
class PooledExchange implements UndiciExchange {
  readonly request: UndiciRequest;
  readonly sink: ResponseSink;
  connection: UndiciConnection | null = null;
  /** Ended by `abort` while waiting: the queue passes over it. */
  abandoned = false;

  constructor(request: UndiciRequest, sink: ResponseSink) {
    this.request = request;
    this.sink = sink;
  }

  abort(outcome: Outcome, tNs: number): void {
    this.abandoned = true;
    this.connection?.abandon();
    this.sink.onEnd(outcome, tNs);
  }
}

export class UndiciPool implements UndiciConnectionOwner {
  readonly clock: Clock;
  readonly encrypted: boolean;
  readonly #parts: UndiciPoolParts;
  readonly #idle = new Fifo<UndiciConnection>();
  readonly #waiting = new Fifo<PooledExchange>();
  readonly #connections = new Set<UndiciConnection>();
  /** Attempts under way. */
  #connecting = 0;
  #closed = false;
  #onAttemptEnd: (() => void) | null = null;
  #tried = 0;
  #opened = 0;
  #bytesSentBefore = 0;
  #bytesReceivedBefore = 0;

  constructor(parts: UndiciPoolParts) {
    this.#parts = parts;
    this.clock = parts.clock;
    this.encrypted = parts.opener.encrypted;
  }

  /** What the connections, gone ones included, have done so far. */
  get counters(): ClientCounters {
    let bytesSent = this.#bytesSentBefore;
    let bytesReceived = this.#bytesReceivedBefore;
    for (const connection of this.#connections) {
      bytesSent += connection.bytesSent;
      bytesReceived += connection.bytesReceived;
    }
    return { connectionsTried: this.#tried, connectionsOpened: this.#opened, bytesSent, bytesReceived, retries: 0 };
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
  submit(request: UndiciRequest, sink: ResponseSink): Exchange {
    const exchange = new PooledExchange(request, sink);
    this.#place(exchange);
    return exchange;
  }

  onIdle(connection: UndiciConnection): void {
    const exchange = this.#takeWaiting();
    if (exchange === null) this.#idle.push(connection);
    else this.#dispatch(connection, exchange);
  }

  onGone(connection: UndiciConnection): void {
    this.#connections.delete(connection);
    this.#bytesSentBefore += connection.bytesSent;
    this.#bytesReceivedBefore += connection.bytesReceived;
    this.#openForWaiting();
  }

  onUnsent(exchange: UndiciExchange): void {
    if (exchange instanceof PooledExchange && !exchange.abandoned) {
      exchange.connection = null;
      this.#place(exchange);
    }
  }

  /** Closes everything; requests still open must have been aborted before. */
  close(): void {
    this.#closed = true;
    for (const connection of [...this.#connections]) connection.close();
  }

  #place(exchange: PooledExchange): void {
    const connection = this.#takeIdle();
    if (connection !== null) {
      this.#dispatch(connection, exchange);
      return;
    }
    this.#waiting.push(exchange);
    const opened = this.#openForWaiting();
    exchange.sink.onWait(opened ? 'connect' : 'queue', this.clock.nowNs());
  }

  #dispatch(connection: UndiciConnection, exchange: PooledExchange): void {
    exchange.connection = connection;
    connection.dispatch(exchange);
  }

  #takeIdle(): UndiciConnection | null {
    for (let connection = this.#idle.shift(); connection !== null; connection = this.#idle.shift()) {
      if (connection.usable) return connection;
      connection.close();
    }
    return null;
  }

  #takeWaiting(): PooledExchange | null {
    for (let exchange = this.#waiting.shift(); exchange !== null; exchange = this.#waiting.shift()) {
      if (!exchange.abandoned) return exchange;
    }
    return null;
  }

  /** Begins one more connection if more requests wait than connections are being made, and the limit allows it. */
  #openForWaiting(): boolean {
    const room = this.#connections.size + this.#connecting < this.#parts.connectionsMax;
    if (this.#closed || !room || this.#waiting.length <= this.#connecting) return false;
    this.#openOne();
    return true;
  }

  #openOne(): void {
    this.#connecting += 1;
    this.#attempt(this.#parts.address.attemptsMax);
  }

  /** Dials the next address; one that fails is followed by the next until `attemptsLeft` are used up (R024). */
  #attempt(attemptsLeft: number): void {
    const { address } = this.#parts;
    const known = address.nextKnown(this.clock.nowNs());
    if (known !== null) {
      this.#dial(known, attemptsLeft);
      return;
    }
    address.next(this.clock.nowNs()).then(
      (found) => this.#dial(found, address.attemptsMax),
      (error: unknown) => this.#attemptFailed(error),
    );
  }

  #dial(address: DialAddress, attemptsLeft: number): void {
    this.#tried += 1;
    this.#parts.opener.open(address, this.#parts.connectTimeoutNs / 1e6, null, {
      onReady: (socket) => {
        this.#opened += 1;
        this.#connecting -= 1;
        this.#parts.address.markConnected(address);
        const connection = new UndiciConnection(this, socket, address);
        this.#connections.add(connection);
        if (this.#closed) connection.close();
        else this.onIdle(connection);
        this.#onAttemptEnd?.();
      },
      onFailed: (error) => {
        this.#parts.address.markDead(address, this.clock.nowNs());
        if (attemptsLeft > 1 && !this.#closed) this.#attempt(attemptsLeft - 1);
        else this.#attemptFailed(error);
      },
    });
  }

  /** A connection could not be made: the oldest request that waits has failed by it. */
  #attemptFailed(error: unknown): void {
    this.#connecting -= 1;
    const code = errorCodeOf(error);
    const failure = connectFailureClass(code, this.encrypted);
    this.#takeWaiting()?.sink.onEnd({ kind: 'failed', class: failure, status: null, detail: code }, this.clock.nowNs());
    this.#openForWaiting();
    this.#onAttemptEnd?.();
  }
}
