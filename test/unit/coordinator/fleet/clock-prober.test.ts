import { describe, expect, it } from 'vitest';
import { ClockProber, PROBES_PER_BATCH, REFRESH_INTERVAL_NS } from '../../../../coordinator/fleet/clock-prober.ts';
import { FakeTimekeeper } from '../../../support/fake-timekeeper.ts';

/** An agent whose clock is ahead by `offsetNs` and that answers after `wayNs` each way. */
function harness(agent: { offsetNs: number; wayNs: number }) {
  const timekeeper = new FakeTimekeeper(1e12);
  let batches = 0;
  const asked: number[] = [];
  const prober = new ClockProber(
    timekeeper,
    (id) => {
      asked.push(id);
      const { wayNs } = agent;
      timekeeper.after(wayNs, () => {
        const atAgentNs = timekeeper.nowNs() + agent.offsetNs;
        timekeeper.after(wayNs, () => prober.answer(id, atAgentNs, atAgentNs, timekeeper.nowNs()));
      });
    },
    () => (batches += 1),
  );
  return { timekeeper, prober, asked, batches: () => batches };
}

describe('probing a clock', () => {
  it('takes at least 16 probes, one at a time, before it says anything', () => {
    expect(PROBES_PER_BATCH).toBeGreaterThanOrEqual(16);
    const { timekeeper, prober, asked, batches } = harness({ offsetNs: 5e9, wayNs: 1000 });
    prober.start();
    expect(asked).toEqual([1]);
    timekeeper.advance(2000 * (PROBES_PER_BATCH - 1));
    expect(prober.clock).toBeNull();
    timekeeper.advance(2000);
    expect(prober.clock).toEqual({ offset: 5e9, roundTrip: 2000, bound: 1000 });
    expect([asked.length, batches()]).toEqual([PROBES_PER_BATCH, 1]);
  });

  it('is refreshed every 30 s, so that drift shows', () => {
    const agent = { offsetNs: 1e9, wayNs: 1000 };
    const { timekeeper, prober, batches } = harness(agent);
    prober.start();
    timekeeper.advance(1e6);
    agent.offsetNs += 300_000;
    timekeeper.advance(REFRESH_INTERVAL_NS);
    timekeeper.advance(1e6);
    expect(batches()).toBe(2);
    expect(prober.clock).toMatchObject({ offset: 1e9 + 300_000 });
  });

  it('begins anew after a broken link and ignores what the old one still brings', () => {
    const { timekeeper, prober, asked } = harness({ offsetNs: 0, wayNs: 1000 });
    prober.start();
    timekeeper.advance(5000);
    const lastAsked = asked.at(-1) as number;
    prober.stop();
    prober.start();
    prober.answer(lastAsked, 77, 77, timekeeper.nowNs());
    timekeeper.advance(1e6);
    expect(prober.clock?.offset).toBe(0);
  });

  it('stopped, it asks nothing more', () => {
    const { timekeeper, prober, asked } = harness({ offsetNs: 0, wayNs: 1000 });
    prober.start();
    timekeeper.advance(1e6);
    prober.stop();
    timekeeper.advance(10 * REFRESH_INTERVAL_NS);
    expect(asked.length).toBe(PROBES_PER_BATCH);
  });
});
