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
    pacer.waitFor(loop.nowNs(), 100 * MS, Infinity);
    expect(pacer.sleeping).toBe(true);
    pacer.stop();
    loop.run(200 * MS);
    expect(turns).toBe(0);
  });

  it('leaves a sleep at once when something happens, and does not wake a second time', () => {
    const loop = new LoopSimulation(0);
    const turns: number[] = [];
    const pacer = pacerOn(loop, () => turns.push(loop.nowNs()));
    pacer.waitFor(0, 100 * MS, Infinity);
    loop.at(10 * MS, () => pacer.turnSoon());
    loop.run(500 * MS);
    expect(turns).toHaveLength(1);
    expect(turns[0]).toBeLessThan(11 * MS);
  });

  it('learns the margin from its own wake-ups only', () => {
    const loop = new LoopSimulation(0, { timerErrorNs: () => 3 * MS });
    const pacer = pacerOn(loop, (self) => self.waitFor(loop.nowNs(), loop.nowNs() + 50 * MS, Infinity));
    const before = pacer.marginNs;
    pacer.turnSoon();
    loop.run(10_000 * MS);
    expect(pacer.marginNs).toBeGreaterThan(before);
    expect(pacer.marginNs).toBeGreaterThan(2.9 * MS);
    expect(pacer.marginNs).toBeLessThan(3.3 * MS);
  });
});
