/**
 * Whatever answers, closes, fails and is given up, in any order: no request waits for nothing, none overtakes another, the limit on
 * connections holds, and the pool comes to rest.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type ConnectionOwner,
  ConnectionPool,
  type PooledConnection,
  type PooledExchange,
} from '../../../../agent/client/connection-pool.ts';
import type { AttemptEvents } from '../../../../agent/client/dialler.ts';
import { createClientCounters, type ResponseSink } from '../../../../agent/client/protocol-client.ts';
import type { AnswerKind } from '../../../../agent/client/reuse-rule.ts';
import { TargetAddress } from '../../../../agent/client/target-address.ts';

const CONNECTIONS_MAX = 3;
/** Half of the least life of a connection, and of the rest behind an answer. */
const STEP_NS = 50e6;
/** So long does each thing that happens take. */
const TICK_NS = 1e6;
const REFUSED = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });

class Request implements PooledExchange {
  abandoned = false;
  state: 'waiting' | 'sent' | 'ended' = 'waiting';
  readonly sink: ResponseSink = {
    wantsBytes: false,
    onWait: () => expect(this.state).toBe('waiting'),
    onSend: () => undefined,
    onFirstByte: () => undefined,
    onBytes: () => undefined,
    onEnd: () => {
      this.state = 'ended';
    },
  };
}

class Connection implements PooledConnection<Request> {
  answerKind: AnswerKind | null = null;
  answeredNs = 0;
  request: Request | null = null;
  isOpen = true;
  readonly owner: ConnectionOwner<Request, Connection>;
  readonly #onDispatch: (request: Request) => void;

  constructor(owner: ConnectionOwner<Request, Connection>, onDispatch: (request: Request) => void) {
    this.owner = owner;
    this.#onDispatch = onDispatch;
  }

  usable(): boolean {
    return this.isOpen && this.request === null;
  }

  dispatch(request: Request): void {
    expect(this.usable()).toBe(true);
    this.request = request;
    this.#onDispatch(request);
  }

  answer(): void {
    if (this.request !== null) this.request.state = 'ended';
    this.request = null;
    if (this.answerKind !== null) this.owner.onReused(this.answerKind);
    this.answerKind = 'sized';
    this.answeredNs = this.owner.clock.nowNs();
    this.owner.onIdle(this);
  }

  closedByServer(): void {
    if (this.request === null) this.owner.onServerClosed(this);
    this.close();
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    if (this.request !== null) this.request.state = 'ended';
    this.request = null;
    this.owner.onGone(this);
  }
}

/** A pool, its target, and what may happen to them. */
class World {
  readonly requests: Request[] = [];
  readonly connections: Connection[] = [];
  readonly attempts: { owner: ConnectionOwner<Request, Connection>; events: AttemptEvents<Connection> }[] = [];
  readonly pool: ConnectionPool<Request, Connection>;
  #nowNs = 1e9;
  #lastSent = -1;

  constructor(connectionAgeNs: number | null) {
    const clock = { nowNs: () => this.#nowNs };
    this.pool = new ConnectionPool<Request, Connection>({
      connectionsMax: CONNECTIONS_MAX,
      connectionAgeNs,
      clock,
      steadyClock: clock,
      counters: createClientCounters(),
      encrypted: false,
      address: new TargetAddress(new URL('http://127.0.0.1:80/'), null, () => Promise.resolve([])),
      origin: 'http://127.0.0.1:80',
      open: (_address, _use, owner, events) => this.attempts.push({ owner, events }),
    });
  }

  get open(): Connection[] {
    return this.connections.filter(({ isOpen }) => isOpen);
  }

  get busy(): Connection[] {
    return this.connections.filter(({ request }) => request !== null);
  }

  get waiting(): Request[] {
    return this.requests.filter(({ state, abandoned }) => state === 'waiting' && !abandoned);
  }

  submit(): void {
    const request = new Request();
    this.requests.push(request);
    this.pool.submit(request);
  }

  ready(): void {
    const attempt = this.attempts.shift();
    if (attempt === undefined) return;
    const connection = new Connection(attempt.owner, (request) => this.#sent(request));
    this.connections.push(connection);
    attempt.events.onReady(connection);
  }

  fail(): void {
    this.attempts.shift()?.events.onFailed(REFUSED);
  }

  pass(ns: number): void {
    this.#nowNs += ns;
  }

  /** The target closes right behind three answers: connections rest behind theirs from now on (R016). */
  learnToRest(): void {
    for (let closes = 0; closes < 3; closes += 1) {
      this.submit();
      vi.runAllTimers();
      this.ready();
      vi.runAllTimers();
      STEPS['answerAndClose']?.(this, 0);
      this.pass(TICK_NS);
    }
  }

  #sent(request: Request): void {
    const place = this.requests.indexOf(request);
    expect(request.abandoned).toBe(false);
    expect(place).toBeGreaterThan(this.#lastSent);
    this.#lastSent = place;
    request.state = 'sent';
  }

  /** What must hold once no turn is to come. */
  check(): void {
    const { length: waiting } = this.waiting;
    expect(this.open.length + this.attempts.length).toBeLessThanOrEqual(CONNECTIONS_MAX);
    if (waiting === 0) return;
    const isAtLimit = this.busy.length + this.attempts.length === CONNECTIONS_MAX;
    expect(isAtLimit || this.attempts.length >= waiting).toBe(true);
  }
}

const STEPS: Readonly<Record<string, (world: World, index: number) => void>> = {
  submit: (world) => world.submit(),
  submitMany: (world) => {
    for (let count = 0; count < CONNECTIONS_MAX + 2; count += 1) world.submit();
  },
  answer: (world, index) => world.busy.at(index % Math.max(1, world.busy.length))?.answer(),
  answerAll: (world) => {
    for (const connection of world.busy) connection.answer();
  },
  answerAndClose: (world, index) => {
    const connection = world.busy.at(index % Math.max(1, world.busy.length));
    connection?.answer();
    connection?.closedByServer();
  },
  close: (world, index) => world.open.at(index % Math.max(1, world.open.length))?.closedByServer(),
  ready: (world) => world.ready(),
  fail: (world) => world.fail(),
  abandon: (world, index) => {
    const request = world.waiting.at(index % Math.max(1, world.waiting.length));
    if (request !== undefined) request.abandoned = true;
  },
  pass: (world) => world.pass(STEP_NS),
};

const steps = fc.array(
  fc.record({ name: fc.constantFrom(...Object.keys(STEPS)), index: fc.nat(20), endsTurn: fc.boolean() }),
  { maxLength: 80 },
);

describe('requests that wait for a connection', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setImmediate'], loopLimit: 200 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    { rests: false, ageNs: null },
    { rests: false, ageNs: 4 * STEP_NS },
    { rests: true, ageNs: null },
    { rests: true, ageNs: 4 * STEP_NS },
  ])('R033 never wait for nothing (connections rest: $rests, age: $ageNs)', ({ rests, ageNs }) => {
    fc.assert(
      fc.property(steps, (taken) => {
        const world = new World(ageNs);
        if (rests) world.learnToRest();
        for (const { name, index, endsTurn } of taken) {
          STEPS[name]?.(world, index);
          world.pass(TICK_NS);
          if (!endsTurn) continue;
          vi.runAllTimers();
          world.check();
        }
      }),
      { numRuns: 500 },
    );
  });
});
