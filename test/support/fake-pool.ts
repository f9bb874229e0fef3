/** A connection pool of which the test plays both ends: the requests that are submitted, and the target that makes connections and answers. */
import { expect } from 'vitest';
import { ConnectionPool } from '../../agent/client/connection-pool.ts';
import type { AttemptEvents } from '../../agent/client/dialler.ts';
import type { ConnectionOwner, PooledConnection, PooledExchange } from '../../agent/client/pooled-connection.ts';
import { createClientCounters, type ResponseSink, type WaitKind } from '../../agent/client/protocol-client.ts';
import type { AnswerKind } from '../../agent/client/reuse-rule.ts';
import { TargetAddress } from '../../agent/client/target-address.ts';

const REFUSED = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });

/** A request that notes what it is told. */
export class FakeRequest implements PooledExchange {
  abandoned = false;
  state: 'waiting' | 'sent' | 'ended' = 'waiting';
  /** The kinds of wait that it was told, in order. */
  readonly waits: WaitKind[] = [];
  /** The class that it failed with; null where it has not failed. */
  failure: string | null = null;
  readonly sink: ResponseSink = {
    wantsBytes: false,
    onWait: (kind) => {
      expect(this.state).toBe('waiting');
      this.waits.push(kind);
    },
    onSend: () => undefined,
    onFirstByte: () => undefined,
    onBytes: () => undefined,
    onEnd: (outcome) => {
      this.state = 'ended';
      this.failure = outcome.kind === 'failed' ? outcome.class : null;
    },
  };
}

/** A connection that answers, and is closed, when the test says so. */
export class FakeConnection implements PooledConnection<FakeRequest> {
  answerKind: AnswerKind | null = null;
  answeredNs = 0;
  isRegular = false;
  request: FakeRequest | null = null;
  isOpen = true;
  readonly #owner: ConnectionOwner<FakeRequest, FakeConnection>;
  readonly #onSent: (request: FakeRequest) => void;

  constructor(owner: ConnectionOwner<FakeRequest, FakeConnection>, onSent: (request: FakeRequest) => void) {
    this.#owner = owner;
    this.#onSent = onSent;
  }

  usable(): boolean {
    return this.isOpen && this.request === null;
  }

  dispatch(request: FakeRequest): void {
    expect(this.usable()).toBe(true);
    expect(request.state).toBe('waiting');
    this.request = request;
    request.state = 'sent';
    this.#onSent(request);
  }

  /** Its request, where it carries one, is answered. */
  answer(): void {
    if (this.request === null) return;
    this.#endRequest();
    if (this.answerKind !== null) this.#owner.onReused(this.answerKind);
    this.answerKind = 'sized';
    this.answeredNs = this.#owner.clock.nowNs();
    this.#owner.onIdle(this);
  }

  /** Its request has not left after all. */
  giveBack(): void {
    const { request } = this;
    if (request === null) return;
    this.request = null;
    request.state = 'waiting';
    this.#owner.onUnsent(request);
  }

  /** The server closes it, with what it carries. */
  closedByServer(): void {
    if (this.request === null) this.#owner.onServerClosed(this);
    this.close();
  }

  answerAndClose(): void {
    this.answer();
    this.closedByServer();
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#endRequest();
    this.#owner.onGone(this);
  }

  #endRequest(): void {
    if (this.request !== null) this.request.state = 'ended';
    this.request = null;
  }
}

export interface FakePoolOptions {
  readonly connectionsMax: number;
  /** Attempts to connect are ready at once; else they are under way until the test ends them. */
  readonly isReadyAtOnce: boolean;
  /** As `ConnectionPoolParts.connectionAgeNs`; absent: any age. */
  readonly connectionAgeNs?: number | null;
  readonly onSent?: (request: FakeRequest) => void;
}

/** The pool, and what it has made. Its clocks stand until the test moves them. */
export class FakePool {
  nowNs = 1e9;
  /** All that were made, in order. */
  readonly connections: FakeConnection[] = [];
  readonly pool: ConnectionPool<FakeRequest, FakeConnection>;
  readonly #onSent: (request: FakeRequest) => void;
  readonly #attempts: {
    readonly owner: ConnectionOwner<FakeRequest, FakeConnection>;
    readonly events: AttemptEvents<FakeConnection>;
  }[] = [];

  constructor({ connectionsMax, isReadyAtOnce, connectionAgeNs, onSent }: FakePoolOptions) {
    this.#onSent = onSent ?? (() => undefined);
    const clock = { nowNs: () => this.nowNs };
    this.pool = new ConnectionPool<FakeRequest, FakeConnection>({
      connectionsMax,
      connectTimeoutNs: 1e9,
      connectionAgeNs: connectionAgeNs ?? null,
      clock,
      steadyClock: clock,
      counters: createClientCounters(),
      encrypted: false,
      address: new TargetAddress(new URL('http://127.0.0.1:80/'), null, () => Promise.resolve([])),
      origin: 'http://127.0.0.1:80',
      open: ({ events }, owner) => {
        this.#attempts.push({ owner, events });
        if (isReadyAtOnce) this.ready();
      },
    });
  }

  /** Attempts that the test has not ended. */
  get underWay(): number {
    return this.#attempts.length;
  }

  submit(): FakeRequest {
    const request = new FakeRequest();
    this.pool.submit(request);
    return request;
  }

  submitMany(count: number): FakeRequest[] {
    return Array.from({ length: count }, () => this.submit());
  }

  /** The oldest attempt under way, where there is one, has made its connection. */
  ready(): void {
    const attempt = this.#attempts.shift();
    if (attempt === undefined) return;
    const connection = new FakeConnection(attempt.owner, this.#onSent);
    this.connections.push(connection);
    attempt.events.onReady(connection);
  }

  /** The oldest attempt under way, where there is one, was refused. */
  fail(): void {
    this.#attempts.shift()?.events.onFailed(REFUSED);
  }
}
