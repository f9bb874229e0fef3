import { describe, expect, it } from 'vitest';
import { LoopWork } from '../../../../agent/worker/loop-work.ts';

describe('the work of a loop', () => {
  it('does not count an empty spin, and counts turns that carried something', () => {
    const work = new LoopWork();
    work.turn(0, 0, false);
    for (let turn = 1; turn <= 100; turn += 1) work.turn(turn * 5_000, 5_000, turn % 4 === 0);
    expect(work.take()).toEqual({ busyNs: 125_000, totalNs: 500_000, gapMaxNs: 5_000 });
  });

  it('counts a turn that took long though nothing came of it: something held the loop up', () => {
    const work = new LoopWork();
    work.turn(0, 0, false);
    work.turn(200_000_000, 200_000_000, false);
    expect(work.take()).toEqual({ busyNs: 200_000_000, totalNs: 200_000_000, gapMaxNs: 200_000_000 });
  });

  it('leaves out the time blocked in the poll, and begins anew after each account', () => {
    const work = new LoopWork();
    work.turn(0, 0, true);
    work.turn(10_000_000, 100_000, true);
    expect(work.take()).toEqual({ busyNs: 100_000, totalNs: 10_000_000, gapMaxNs: 100_000 });
    expect(work.take()).toEqual({ busyNs: 0, totalNs: 0, gapMaxNs: 0 });
  });
});
