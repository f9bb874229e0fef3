import { expect, it } from 'vitest';
import { LoopLag } from '../../../../coordinator/run/loop-lag.ts';
import { FakeTimekeeper } from '../../../support/fake-timekeeper.ts';

/** A loop that is blocked for `blockedNs` whenever a timer is due. */
class BusyTimekeeper extends FakeTimekeeper {
  blockedNs = 0;

  override nowNs(): number {
    return super.nowNs() + this.blockedNs;
  }
}

it('R080 the coordinator knows how late its own loop was at worst', () => {
  const timekeeper = new BusyTimekeeper();
  const lag = new LoopLag(timekeeper);
  timekeeper.advance(1e9);
  expect(lag.longestNs).toBe(0);
  timekeeper.blockedNs = 700e6;
  timekeeper.advance(100e6);
  expect(lag.longestNs).toBe(700e6);
  timekeeper.advance(1e9);
  expect(lag.longestNs).toBe(700e6);
  lag.stop();
  expect(timekeeper.pending).toBe(0);
});
