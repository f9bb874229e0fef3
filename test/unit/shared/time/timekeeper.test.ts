import { describe, expect, it } from 'vitest';
import { hostTimekeeper, repeatEvery } from '../../../../shared/time/timekeeper.ts';
import { FakeTimekeeper } from '../../../support/fake-timekeeper.ts';

describe('repeatEvery', () => {
  it('calls back once an interval until it is cancelled', () => {
    const timekeeper = new FakeTimekeeper();
    const at: number[] = [];
    const repeat = repeatEvery(timekeeper, 10, () => at.push(timekeeper.nowNs()));
    timekeeper.advance(35);
    repeat.cancel();
    timekeeper.advance(100);
    expect(at).toEqual([10, 20, 30]);
    expect(timekeeper.pending).toBe(0);
  });

  it('can be cancelled from inside its own callback', () => {
    const timekeeper = new FakeTimekeeper();
    let calls = 0;
    const repeat = repeatEvery(timekeeper, 10, () => {
      calls += 1;
      repeat.cancel();
    });
    timekeeper.advance(100);
    expect(calls).toBe(1);
  });
});

describe('hostTimekeeper', () => {
  it('does not call back before the delay is over', async () => {
    const beganNs = hostTimekeeper.nowNs();
    await new Promise<void>((resolve) => hostTimekeeper.after(5_000_000, resolve));
    expect(hostTimekeeper.nowNs() - beganNs).toBeGreaterThanOrEqual(4_000_000);
  });

  it('takes a delay in the past as now', async () => {
    await new Promise<void>((resolve) => hostTimekeeper.after(-1, resolve));
  });

  it('tells the wall clock as a label', () => {
    expect(hostTimekeeper.wallMs()).toBeGreaterThan(Date.UTC(2024, 0, 1));
  });
});
