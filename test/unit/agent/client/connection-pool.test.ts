import { describe, expect, it, vi } from 'vitest';
import {
  type ConnectionOwner,
  ConnectionPool,
  type PooledConnection,
  type PooledExchange,
} from '../../../../agent/client/connection-pool.ts';
import type { AttemptEvents } from '../../../../agent/client/dialler.ts';
import { createClientCounters, type ResponseSink, type WaitKind } from '../../../../agent/client/protocol-client.ts';
import { TargetAddress } from '../../../../agent/client/target-address.ts';

/** A request; `waits` are the kinds it was told, `failure` the class it ended with. */
class Request implements PooledExchange {
  abandoned = false;
  readonly waits: WaitKind[] = [];
  failure: string | null = null;
  readonly sink: ResponseSink = {
    wantsBytes: false,
    onWait: (kind) => this.waits.push(kind),
    onSend: () => undefined,
    onFirstByte: () => undefined,
    onBytes: () => undefined,
    onEnd: (outcome) => {
      this.failure = outcome.kind === 'failed' ? outcome.class : null;
    },
  };
}

/** A connection whose answers the test gives. */
class Connection implements PooledConnection<Request> {
  readonly answerKind = 'sized';
  answeredNs = 0;
  request: Request | null = null;
  #isOpen = true;
  readonly #owner: ConnectionOwner<Request, Connection>;

  constructor(owner: ConnectionOwner<Request, Connection>) {
    this.#owner = owner;
  }

  usable(): boolean {
    return this.#isOpen;
  }

  dispatch(request: Request): void {
    this.request = request;
  }

  answer(): void {
    this.request = null;
    this.#owner.onIdle(this);
  }

  /** Its request has not left. */
  giveBack(request: Request): void {
    this.request = null;
    this.#owner.onUnsent(request);
  }

  /** The server closes it right behind the answer, which ended at `answeredNs`. */
  answerAndClose(answeredNs: number): void {
    this.answeredNs = answeredNs;
    this.answer();
    this.#owner.onServerClosed(this);
    this.close();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.request = null;
    this.#owner.onGone(this);
  }
}

/** A pool whose attempts are ready at once, or stay under way where `isSlow`. */
function poolOf(connectionsMax: number, isSlow = false) {
  const made: Connection[] = [];
  const underWay: { owner: ConnectionOwner<Request, Connection>; events: AttemptEvents<Connection> }[] = [];
  const pool = new ConnectionPool<Request, Connection>({
    connectionsMax,
    connectionAgeNs: null,
    clock: { nowNs: () => 0 },
    steadyClock: { nowNs: () => 0 },
    counters: createClientCounters(),
    encrypted: false,
    address: new TargetAddress(new URL('http://127.0.0.1:80/'), null, () => Promise.resolve([])),
    origin: 'http://127.0.0.1:80',
    open: (_address, _use, owner, events) => {
      if (isSlow) {
        underWay.push({ owner, events });
        return;
      }
      made.push(new Connection(owner));
      events.onReady(made.at(-1) as Connection);
    },
  });
  const submit = (count: number): Request[] =>
    Array.from({ length: count }, () => {
      const request = new Request();
      pool.submit(request);
      return request;
    });
  return { pool, made, underWay, submit };
}

/** Lets the loop go round `count` times. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const isSent = (made: readonly Connection[], request: Request): boolean =>
  made.some((connection) => connection.request === request);

describe('who waits for a connection', () => {
  it('R033 has one made where the target is silent, for every request up to the limit', async () => {
    const { made, submit } = poolOf(5);
    const requests = submit(8);
    await turns(20);
    expect(made).toHaveLength(5);
    expect(requests.map((request) => isSent(made, request))).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('has none made while the reads of each turn set one free', async () => {
    const { pool, made, submit } = poolOf(100);
    await pool.openAhead(2);
    submit(60);
    for (let turn = 0; turn < 40; turn += 1) {
      await turns(1);
      for (const connection of made.slice(0, 1)) connection.answer();
    }
    expect(made).toHaveLength(2);
  });

  it('has one made in a turn, so that a target which answers then is not left waiting for a hundred handshakes', async () => {
    const { pool, made, submit } = poolOf(100);
    await pool.openAhead(1);
    submit(50);
    await turns(4);
    expect(made.length).toBeGreaterThan(1);
    expect(made.length).toBeLessThanOrEqual(5);
  });

  it('has one made at once where there is none at all', () => {
    const { underWay, submit } = poolOf(10, true);
    submit(3);
    expect(underWay).toHaveLength(1);
  });

  it('has one made, though more than one went', async () => {
    const { pool, made, submit } = poolOf(10);
    await pool.openAhead(5);
    submit(6);
    for (const connection of made.slice(0, 5)) connection.close();
    await turns(5);
    expect(made).toHaveLength(6);
  });

  it('R016 has one made in the place of one that rests, where there may be no more', async () => {
    const { made, submit } = poolOf(1);
    for (let closes = 1; closes <= 3; closes += 1) {
      submit(1);
      await turns(3);
      made.at(-1)?.answerAndClose(closes * 1e6);
    }
    submit(1);
    await turns(3);
    made.at(-1)?.answer();
    const [request] = submit(1);
    await turns(5);
    expect(made).toHaveLength(5);
    expect(made.at(-1)?.request).toBe(request);
  });

  it('gets one in the place of each that went, at most 16 in a turn', async () => {
    const { pool, underWay, submit } = poolOf(30, true);
    void pool.openAhead(30);
    const made = underWay.splice(0).map(({ owner, events }) => {
      const connection = new Connection(owner);
      events.onReady(connection);
      return connection;
    });
    submit(30);
    for (const connection of made) connection.close();
    submit(30);
    const begun: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await turns(1);
      begun.push(underWay.length);
    }
    expect(begun.slice(1)).toEqual([17, 30, 30]);
  });

  it('is sent in order, behind who waits already, though a connection is idle', async () => {
    const { pool, made, submit } = poolOf(1);
    await pool.openAhead(1);
    const [, second, third] = submit(3);
    made[0]?.answer();
    const [fourth] = submit(1);
    expect(made[0]?.request).toBeNull();
    for (const expected of [second, third, fourth]) {
      await turns(2);
      expect(made[0]?.request).toBe(expected);
      made[0]?.answer();
    }
  });

  it('goes with 63 others in one turn at most', async () => {
    const { pool, made, submit } = poolOf(400);
    await pool.openAhead(200);
    const requests = submit(400);
    const waiting = requests.slice(200);
    for (const connection of [...made]) connection.answer();
    await turns(1);
    expect(waiting.filter((request) => isSent(made, request))).toEqual(waiting.slice(0, 64));
    await turns(3);
    expect(waiting.every((request) => isSent(made, request))).toBe(true);
    expect(made).toHaveLength(200);
  });

  it('R033 waits for others, not for a connection of its own, where the limit leaves it none', async () => {
    const { underWay, submit } = poolOf(2, true);
    const requests = submit(3);
    await turns(5);
    expect(underWay).toHaveLength(2);
    expect(requests.map(({ waits }) => waits)).toEqual([['connect'], ['connect'], ['queue']]);
  });

  it('is told nothing once it is given up', async () => {
    const { pool, made, submit } = poolOf(100);
    await pool.openAhead(1);
    const requests = submit(4);
    for (const request of requests.slice(1)) request.abandoned = true;
    await turns(10);
    for (const connection of made) connection.answer();
    await turns(10);
    expect(requests.slice(1).map(({ waits }) => waits)).toEqual([['connect'], ['connect'], ['connect']]);
    expect(requests.slice(1).some((request) => isSent(made, request))).toBe(false);
  });

  it('fails with its attempt; the others have theirs', async () => {
    const { underWay, submit } = poolOf(2, true);
    const requests = submit(4);
    for (let failed = 0; failed < 4; failed += 1) {
      await turns(3);
      underWay.shift()?.events.onFailed(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
    }
    expect(requests.map(({ failure }) => failure)).toEqual(Array(4).fill('connect-refused'));
  });

  it('has another attempt made in the place of each that failed', async () => {
    const { underWay, submit } = poolOf(10, true);
    submit(30);
    await turns(12);
    for (const { events } of underWay.splice(0)) events.onFailed(new Error('refused'));
    await turns(2);
    expect(underWay).toHaveLength(10);
  });

  it('leaves the connection to the next one where it is given up', async () => {
    const { pool, made, submit } = poolOf(1);
    await pool.openAhead(1);
    const [, second] = submit(2);
    (second as Request).abandoned = true;
    made[0]?.answer();
    await turns(3);
    const [third] = submit(1);
    await turns(3);
    expect(made[0]?.request).toBe(third);
  });

  it('is told nothing of another wait where it was given up unsent', async () => {
    const { pool, made, submit } = poolOf(1);
    await pool.openAhead(1);
    const [request] = submit(1);
    (request as Request).abandoned = true;
    made[0]?.giveBack(request as Request);
    expect(request?.waits).toEqual([]);
  });

  it('has no connection made after the end', async () => {
    const { pool, underWay, submit } = poolOf(10, true);
    submit(8);
    await turns(3);
    const before = underWay.length;
    pool.close();
    await turns(5);
    expect(before).toBeLessThan(8);
    expect(underWay).toHaveLength(before);
  });

  it('leaves nothing open after the end, what was being made included', async () => {
    const { pool, underWay, submit } = poolOf(10, true);
    submit(1);
    pool.close();
    const attempt = underWay[0];
    const late = new Connection((attempt as (typeof underWay)[number]).owner);
    attempt?.events.onReady(late);
    await turns(1);
    expect([late.usable(), late.request]).toEqual([false, null]);
  });

  it('keeps no turn going where nothing can be done before an answer', async () => {
    const { pool, submit } = poolOf(1);
    await pool.openAhead(1);
    submit(2);
    await turns(3);
    const immediates = vi.spyOn(globalThis, 'setImmediate');
    await turns(5);
    // Those of `turns` only.
    expect(immediates).toHaveBeenCalledTimes(5);
    immediates.mockRestore();
  });
});
