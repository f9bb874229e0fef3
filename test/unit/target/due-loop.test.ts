import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DueLoop, type WaitFunctions } from '../../../target/due-loop.ts';
import { StallGate } from '../../../target/stall-gate.ts';

/** A clock and event loop that only moves when told: timers wake late by a fixed error, each spin turn costs 3 us. */
class FakeLoop implements WaitFunctions {
  now = 0;
  spins = 0;
  timers = 0;
  readonly timerErrorNs: number;
  #next: { atNs: number; callback: () => void } | null = null;

  constructor(timerErrorNs = 1_100_000) {
    this.timerErrorNs = timerErrorNs;
  }

  nowNs(): number {
    return this.now;
  }

  setTimeout(callback: () => void, delayMs: number): NodeJS.Timeout {
    this.timers++;
    return this.#arm(this.now + delayMs * 1e6 + this.timerErrorNs, callback) as NodeJS.Timeout;
  }

  setImmediate(callback: () => void): NodeJS.Immediate {
    this.spins++;
    return this.#arm(this.now + 3_000, callback) as NodeJS.Immediate;
  }

  clearTimeout(handle: unknown): void {
    if (this.#next === handle) this.#next = null;
  }

  clearImmediate(handle: unknown): void {
    this.clearTimeout(handle);
  }

  /** Moves to the next wake-up; false when nobody waits. */
  step(): boolean {
    const next = this.#next;
    if (next === null) return false;
    this.#next = null;
    this.now = Math.max(this.now, next.atNs);
    next.callback();
    return true;
  }

  runAll(): void {
    for (let steps = 0; steps < 1_000_000 && this.step(); steps++);
  }

  #arm(atNs: number, callback: () => void): unknown {
    if (this.#next !== null) throw new Error('two wake-ups are armed at once');
    this.#next = { atNs, callback };
    return this.#next;
  }
}

describe('DueLoop', () => {
  it('runs everything in order of instant and asking, never early, and late by no more than a turn', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50_000_000 }), { maxLength: 100 }), (dues) => {
        const fake = new FakeLoop();
        const loop = new DueLoop(fake, fake);
        const ran: [dueNs: number, place: number][] = [];
        dues.forEach((dueNs, place) =>
          loop.at(dueNs, () => {
            expect(fake.now).toBeGreaterThanOrEqual(dueNs);
            expect(fake.now - dueNs).toBeLessThanOrEqual(3_000);
            ran.push([dueNs, place]);
          }),
        );
        fake.runAll();
        const expected = dues.map((dueNs, place): [number, number] => [dueNs, place]);
        expect(ran).toEqual(expected.sort((a, b) => a[0] - b[0] || a[1] - b[1]));
        expect(loop.size).toBe(0);
      }),
    );
  });

  it('sleeps until shortly before the instant instead of spinning all the way', () => {
    const fake = new FakeLoop();
    new DueLoop(fake, fake).at(10e9, () => undefined);
    fake.runAll();
    expect(fake.timers).toBe(1);
    expect(fake.spins).toBeLessThanOrEqual(2_500_000 / 3_000 + 1);
  });

  it('wakes for an instant that is asked for while it sleeps towards a later one', () => {
    const fake = new FakeLoop();
    const loop = new DueLoop(fake, fake);
    const ran: string[] = [];
    loop.at(5e9, () => ran.push('late'));
    loop.at(4e6, () => ran.push(`early at ${Math.round(fake.now / 1e6)} ms`));
    fake.runAll();
    expect(ran).toEqual(['early at 4 ms', 'late']);
  });

  it('takes what callbacks ask for, also for the past', () => {
    const fake = new FakeLoop();
    const loop = new DueLoop(fake, fake);
    const ran: number[] = [];
    loop.at(1e6, () => {
      ran.push(1);
      loop.at(0, () => ran.push(2));
    });
    fake.runAll();
    expect(ran).toEqual([1, 2]);
  });

  it('lets reads and accepts have their turn in a burst', () => {
    const fake = new FakeLoop();
    const loop = new DueLoop(fake, fake);
    let ran = 0;
    for (let i = 0; i < 1_000; i++) loop.at(0, () => ran++);
    fake.step();
    expect(ran).toBe(256);
    fake.runAll();
    expect(ran).toBe(1_000);
  });

  it('R013 waits in full for an instant beyond what one timer can hold', () => {
    const fake = new FakeLoop(0);
    const loop = new DueLoop(fake, fake);
    const dueNs = 40 * 86_400e9;
    let ranAtNs = NaN;
    loop.at(dueNs, () => (ranAtNs = fake.now));
    fake.runAll();
    expect(ranAtNs).toBeGreaterThanOrEqual(dueNs);
    expect(fake.timers).toBeGreaterThan(1);
  });

  it('forgets everything when closed', () => {
    const fake = new FakeLoop();
    const loop = new DueLoop(fake, fake);
    loop.at(1e6, () => expect.unreachable());
    loop.close();
    expect(fake.step()).toBe(false);
  });
});

describe('StallGate', () => {
  /** What runs when (ms), of four callbacks due at 1, 12, 18 and 30 ms, with an action on the gate at some instants. */
  function runWith(actions: readonly (readonly [atMs: number, act: (gate: StallGate) => void])[]): string[] {
    const fake = new FakeLoop();
    const loop = new DueLoop(fake, fake);
    const gate = new StallGate(loop, fake);
    const ran: string[] = [];
    for (const ms of [1, 12, 18, 30]) gate.later(ms * 1e6, () => ran.push(`${ms} at ${Math.round(fake.now / 1e6)}`));
    for (const [atMs, act] of actions) loop.at(atMs * 1e6, () => act(gate));
    fake.runAll();
    return ran;
  }

  it('holds what is due in the stall until its end, in order, and nothing else', () => {
    const ran = runWith([[10, (gate) => gate.stall(10e6)]]);
    expect(ran).toEqual(['1 at 1', '12 at 20', '18 at 20', '30 at 30']);
  });

  it('ends with the later of two stalls', () => {
    const ran = runWith([
      [10, (gate) => gate.stall(15e6)],
      [11, (gate) => gate.stall(3e6)],
    ]);
    expect(ran).toEqual(['1 at 1', '12 at 25', '18 at 25', '30 at 30']);
  });

  it('lets go at once when released', () => {
    const ran = runWith([
      [10, (gate) => gate.stall(1e15)],
      [15, (gate) => gate.release()],
    ]);
    expect(ran).toEqual(['1 at 1', '12 at 15', '18 at 18', '30 at 30']);
  });
});
