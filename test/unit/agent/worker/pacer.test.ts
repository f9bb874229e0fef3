import { describe, expect, it } from 'vitest';
import { Pacer } from '../../../../agent/worker/pacer.ts';
import { LoopSimulation } from '../../../support/loop-simulation.ts';

const MS = 1e6;

function pacerOn(loop: LoopSimulation, onTurn: (pacer: Pacer) => void): Pacer {
  const pacer: Pacer = new Pacer('hybrid', loop, loop, () => onTurn(pacer));
  return pacer;
}

describe('Pacer', () => {
  it('takes one turn for each plan, also when it is asked for turns again and again', () => {
    const loop = new LoopSimulation(0);
    let turns = 0;
    const pacer = pacerOn(loop, () => (turns += 1));
    pacer.turnSoon();
    pacer.turnSoon();
    pacer.stop();
    pacer.turnSoon();
    loop.run(MS);
    expect(turns).toBe(1);
  });

  it('takes no turn after stop, neither from an immediate nor from a timer', () => {
    const loop = new LoopSimulation(0);
    let turns = 0;
    const pacer = pacerOn(loop, () => (turns += 1));
    pacer.turnSoon();
    pacer.stop();
    loop.run(MS);
    pacer.waitFor(loop.nowNs(), 100 * MS, Infinity, false);
    expect(pacer.sleeping).toBe(true);
    pacer.stop();
    loop.run(200 * MS);
    expect(turns).toBe(0);
  });

  it('leaves a sleep at once when something happens, and does not wake a second time', () => {
    const loop = new LoopSimulation(0);
    const turns: number[] = [];
    const pacer = pacerOn(loop, () => turns.push(loop.nowNs()));
    pacer.waitFor(0, 100 * MS, Infinity, false);
    loop.at(10 * MS, () => pacer.turnSoon());
    loop.run(500 * MS);
    expect(turns).toHaveLength(1);
    expect(turns[0]).toBeLessThan(11 * MS);
  });

  it('learns the margin from its own wake-ups only', () => {
    const loop = new LoopSimulation(0, { timerErrorNs: () => 3 * MS });
    const pacer = pacerOn(loop, (self) => self.waitFor(loop.nowNs(), loop.nowNs() + 50 * MS, Infinity, false));
    const before = pacer.marginNs;
    pacer.turnSoon();
    loop.run(10_000 * MS);
    expect(pacer.marginNs).toBeGreaterThan(before);
    expect(pacer.marginNs).toBeGreaterThan(2.9 * MS);
    expect(pacer.marginNs).toBeLessThan(3.3 * MS);
  });

  it('spends what no timer can hold blocked, when nothing is open, and looks around from the margin on', () => {
    const loop = new LoopSimulation(0);
    const arrivalNs = 0.9 * MS;
    const pacer = pacerOn(loop, (self) => {
      if (loop.nowNs() < arrivalNs) self.waitFor(loop.nowNs(), arrivalNs, Infinity, true);
    });
    expect(pacer.waitFor(0, arrivalNs, Infinity, true)).toBe(true);
    expect(loop.nowNs()).toBe(0.6 * MS);
    expect([loop.blocksNs, pacer.blockedNs]).toEqual([[0.6 * MS], 0.6 * MS]);
    loop.run(MS);
    expect(loop.blocksNs).toHaveLength(1);
    expect(loop.turns).toBeGreaterThan(10);
  });

  it('never blocks while an answer may come', () => {
    const loop = new LoopSimulation(0);
    const pacer = pacerOn(loop, () => undefined);
    expect(pacer.waitFor(0, 0.9 * MS, Infinity, false)).toBe(false);
    expect([loop.blocksNs, pacer.blockedNs]).toEqual([[], 0]);
  });

  it('blocks to an earlier instant where blocks end late', () => {
    const lateNs = 0.4 * MS;
    const loop = new LoopSimulation(0, { blockErrorNs: () => lateNs });
    const late: boolean[] = [];
    const pacer = pacerOn(loop, () => undefined);
    for (let n = 0; n < 50; n += 1) {
      const arrivalNs = loop.nowNs() + 0.9 * MS;
      pacer.waitFor(loop.nowNs(), arrivalNs, Infinity, true);
      late.push(loop.nowNs() > arrivalNs);
    }
    expect(late[0]).toBe(true);
    expect(late.slice(5)).not.toContain(true);
  });
});
