/**
 * Whatever answers, closes, fails and is given up, in any order: no request waits for nothing, none overtakes another, the limit on
 * connections holds, and the pool comes to rest.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeConnection, FakePool, FakeRequest } from '../../../support/fake-pool.ts';

const CONNECTIONS_MAX = 3;
/** Half of the least life of a connection, and of the rest behind an answer. */
const STEP_NS = 50e6;
/** So long does each thing that happens take. */
const TICK_NS = 1e6;

/** A pool, all requests that were given to it, and what must hold. */
class World {
  readonly fake: FakePool;
  readonly #requests: FakeRequest[] = [];
  #lastSent = -1;

  constructor(connectionAgeNs: number | null) {
    this.fake = new FakePool({
      connectionsMax: CONNECTIONS_MAX,
      isReadyAtOnce: false,
      connectionAgeNs,
      onSent: (request) => this.#sent(request),
    });
  }

  get open(): FakeConnection[] {
    return this.fake.connections.filter(({ isOpen }) => isOpen);
  }

  get busy(): FakeConnection[] {
    return this.fake.connections.filter(({ request }) => request !== null);
  }

  get waiting(): FakeRequest[] {
    return this.#requests.filter(({ state, abandoned }) => state === 'waiting' && !abandoned);
  }

  submit(): void {
    const request = new FakeRequest();
    this.#requests.push(request);
    this.fake.pool.submit(request);
  }

  pass(ns: number): void {
    this.fake.nowNs += ns;
  }

  /** The target closes right behind three answers: connections rest behind theirs from now on (R016). */
  learnToRest(): void {
    for (let closes = 0; closes < 3; closes += 1) {
      this.submit();
      vi.runAllTimers();
      this.fake.ready();
      vi.runAllTimers();
      STEPS['answerAndClose']?.(this, 0);
      this.pass(TICK_NS);
    }
  }

  #sent(request: FakeRequest): void {
    const place = this.#requests.indexOf(request);
    expect(request.abandoned).toBe(false);
    expect(place).toBeGreaterThan(this.#lastSent);
    this.#lastSent = place;
  }

  /** What must hold once no turn is to come. */
  check(): void {
    const { length: waiting } = this.waiting;
    expect(this.open.length + this.fake.underWay).toBeLessThanOrEqual(CONNECTIONS_MAX);
    if (waiting === 0) return;
    const isAtLimit = this.busy.length + this.fake.underWay === CONNECTIONS_MAX;
    expect(isAtLimit || this.fake.underWay >= waiting).toBe(true);
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
  answerAndClose: (world, index) => world.busy.at(index % Math.max(1, world.busy.length))?.answerAndClose(),
  close: (world, index) => world.open.at(index % Math.max(1, world.open.length))?.closedByServer(),
  ready: (world) => world.fake.ready(),
  fail: (world) => world.fake.fail(),
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
