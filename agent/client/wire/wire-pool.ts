/**
 * Connections to one origin. Idle ones are used in turn, so that load spreads over all of them and over all addresses; a request that
 * finds none idle waits in order and, below the limit, causes one more to be made. Whichever connection is free first takes the oldest.
 */
import type { Outcome } from '../../../shared/metrics/outcome.ts';
import type { Clock } from '../../../shared/time/monotonic-clock.ts';
import type { ClientCounters } from '../protocol-client.ts';
import { Fifo } from '../fifo.ts';
import type { SocketOpener } from './socket-opener.ts';
import type { DialAddress, TargetAddress } from './target-address.ts';
import { type ConnectionOwner, WireConnection } from './wire-connection.ts';
import type { WireExchange } from './wire-exchange.ts';

/** What a pool is made of. */
export interface WirePoolParts {
  readonly connectionsMax: number;
  readonly connectTimeoutNs: number;
  readonly clock: Clock;
  readonly counters: ClientCounters;
  readonly opener: SocketOpener;
  readonly address: TargetAddress;
  /** The outcome of a request whose connection could not be made. */
  failureOf(error: unknown): Outcome;
}

/** The connections of one origin. */
export class WirePool implements ConnectionOwner {
  readonly counters: ClientCounters;
  private readonly parts: WirePoolParts;
  private readonly idle = new Fifo<WireConnection>();
  private readonly waiting = new Fifo<WireExchange>();
  private readonly connections = new Set<WireConnection>();
  /** Attempts under way. */
  private connecting = 0;
  private closed = false;
  /** Called when an attempt ends while `openAhead` waits. */
  private onAttemptEnd: (() => void) | null = null;

  constructor(parts: WirePoolParts) {
    this.parts = parts;
    this.counters = parts.counters;
  }

  get connectionsByAddress(): ReadonlyMap<string, number> {
    return this.parts.address.connectionsByAddress;
  }

  nowNs(): number {
    return this.parts.clock.nowNs();
  }

  /** Opens `count` connections and waits until each is ready or has failed. */
  async openAhead(count: number): Promise<void> {
    while (this.connections.size + this.connecting < count) this.openOne();
    if (this.connecting === 0) return;
    await new Promise<void>((resolve) => {
      this.onAttemptEnd = () => {
        if (this.connecting > 0) return;
        this.onAttemptEnd = null;
        resolve();
      };
    });
  }

  /** Sends on an idle connection, or waits for one. */
  submit(exchange: WireExchange): void {
    const connection = this.takeIdle();
    if (connection !== null) {
      connection.dispatch(exchange);
      return;
    }
    this.waiting.push(exchange);
    if (this.connecting < this.waiting.length && this.connections.size + this.connecting < this.parts.connectionsMax) {
      exchange.sink.onWait('connect', this.nowNs());
      this.openOne();
    } else {
      exchange.sink.onWait('queue', this.nowNs());
    }
  }

  onIdle(connection: WireConnection): void {
    const exchange = this.takeWaiting();
    if (exchange === null) this.idle.push(connection);
    else connection.dispatch(exchange);
  }

  onGone(connection: WireConnection): void {
    this.connections.delete(connection);
    this.replaceFor();
  }

  /** Closes everything; requests still waiting must have been aborted before. */
  close(): void {
    this.closed = true;
    for (const connection of [...this.connections]) connection.close();
  }

  private takeIdle(): WireConnection | null {
    if (this.idle.length === 0) return null;
    const nowNs = this.nowNs();
    for (let connection = this.idle.shift(); connection !== null; connection = this.idle.shift()) {
      if (connection.usable(nowNs)) return connection;
      connection.close();
    }
    return null;
  }

  private takeWaiting(): WireExchange | null {
    for (let exchange = this.waiting.shift(); exchange !== null; exchange = this.waiting.shift()) {
      if (!exchange.abandoned) return exchange;
    }
    return null;
  }

  /** A connection was lost: if requests wait and none is being made for them, make another. */
  private replaceFor(): void {
    const room = this.connections.size + this.connecting < this.parts.connectionsMax;
    if (!this.closed && room && this.waiting.length > this.connecting) this.openOne();
  }

  private openOne(): void {
    this.connecting += 1;
    this.attempt(this.parts.address.attemptsMax);
  }

  private attempt(attemptsLeft: number): void {
    const known = this.parts.address.nextKnown(this.nowNs());
    if (known !== null) {
      this.dial(known, attemptsLeft);
      return;
    }
    this.parts.address.next(this.nowNs()).then(
      (address) => this.dial(address, this.parts.address.attemptsMax),
      (error: unknown) => this.attemptFailed(error),
    );
  }

  private dial(address: DialAddress, attemptsLeft: number): void {
    this.counters.connectionsTried += 1;
    let connection: WireConnection | null = null;
    const onRead = (bytes: Uint8Array, length: number): void => connection?.takeRead(bytes, length);
    this.parts.opener.open(address, this.parts.connectTimeoutNs / 1e6, onRead, {
      onReady: (socket) => {
        connection = new WireConnection(this, socket, address);
        this.attemptReady(connection);
      },
      onFailed: (error) => {
        this.parts.address.markDead(address, this.nowNs());
        if (attemptsLeft > 1 && !this.closed) this.attempt(attemptsLeft - 1);
        else this.attemptFailed(error);
      },
    });
  }

  private attemptReady(connection: WireConnection): void {
    this.connecting -= 1;
    this.counters.connectionsOpened += 1;
    this.parts.address.markConnected(connection.address);
    if (this.closed) {
      connection.close();
    } else {
      this.connections.add(connection);
      this.onIdle(connection);
    }
    this.onAttemptEnd?.();
  }

  private attemptFailed(error: unknown): void {
    this.connecting -= 1;
    const exchange = this.takeWaiting();
    exchange?.sink.onEnd(this.parts.failureOf(error), this.nowNs());
    this.onAttemptEnd?.();
    this.replaceFor();
  }
}
