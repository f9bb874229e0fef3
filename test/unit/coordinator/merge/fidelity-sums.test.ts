import { describe, expect, it } from 'vitest';
import { FidelityMeter } from '../../../../agent/worker/fidelity-meter.ts';
import { ALIGNED_WINDOWS_MAX, FidelitySums } from '../../../../coordinator/merge/fidelity-sums.ts';
import { plannedMoments, plannedWindows, sentMoments, type SlotFidelity } from '../../../../shared/metrics/fidelity.ts';
import type { Phase } from '../../../../shared/plan/plan.ts';
import { fanoFactor } from '../../../../shared/stats/fano.ts';
import { momentsOf } from '../../../../shared/stats/welford.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

const [load] = createPlan({ durationNs: 4e9 }).phases as [Phase];
const phases: readonly Phase[] = [
  { ...load, durationNs: 2.5e9 },
  { ...load, startNs: 2.5e9, durationNs: 1.5e9 },
];

/** Windows of `slots` workers at 300 arrivals a second each, sent up to 3 ms late. */
function windowsOf(slots: number): {
  readonly windows: SlotFidelity[];
  readonly planned: number[];
  readonly sent: number[];
} {
  const random = seededRandom(5);
  const planned: number[] = [];
  const sent: number[] = [];
  const windows: SlotFidelity[] = [];
  for (let slot = 0; slot < slots; slot += 1) {
    const meter = new FidelityMeter(phases);
    let sendNs = 0;
    for (let tNs = 0; ; ) {
      tNs += Math.floor(random.exponential(1e9 / 300));
      if (tNs >= 4e9) break;
      sendNs = Math.max(sendNs, tNs + random.below(3_000_000));
      const phase = tNs < 2.5e9 ? 0 : 1;
      meter.planned(phase, tNs);
      meter.sent(phase, tNs, sendNs);
      planned.push(tNs);
      sent.push(sendNs);
    }
    windows.push(...meter.take(Infinity).map((window) => ({ slot, ...window })));
  }
  return { windows, planned, sent };
}

function sumsOf(windows: readonly SlotFidelity[]): FidelitySums {
  const sums = new FidelitySums(phases, plannedWindows(phases));
  for (const window of windows) sums.add(window);
  return sums;
}

function countsPer(instants: readonly number[], fromNs: number, toNs: number, binNs: number): number[] {
  const counts = new Array<number>((toNs - fromNs) / binNs).fill(0);
  for (const instant of instants) {
    if (instant >= fromNs && instant < toNs) counts[Math.floor((instant - fromNs) / binNs)]! += 1;
  }
  return counts;
}

describe('planned against sent over a run', () => {
  it('the fleet at 100 ms is what pooled instants give, not the sum of the workers', () => {
    const { windows, planned, sent } = windowsOf(4);
    const sums = sumsOf(windows);
    for (const { phase, tenths } of sums.fleet()) {
      const { startNs, durationNs } = phases[phase] as Phase;
      const wanted = (instants: readonly number[]) =>
        fanoFactor(momentsOf(countsPer(instants, startNs, startNs + durationNs, 1e8))) as number;
      expect(fanoFactor(plannedMoments(tenths))).toBeCloseTo(wanted(planned), 9);
      expect(fanoFactor(sentMoments(tenths))).toBeCloseTo(wanted(sent), 9);
    }
    expect(sums.fleet().map(({ phase, seconds }) => [phase, seconds.bins])).toEqual([
      [0, 3],
      [1, 1],
    ]);
  });

  it('is the same for every order of reports', () => {
    const { windows } = windowsOf(3);
    const forward = sumsOf(windows);
    const backward = sumsOf([...windows].reverse());
    expect(backward.slots()).toEqual(forward.slots());
    expect(backward.fleet()).toEqual(forward.fleet());
    for (const window of [0, 1, 2, 3]) {
      expect(backward.stretches.find(0, window)).toEqual(forward.stretches.find(0, window));
    }
    expect(forward.slots().map(({ slot, phase }) => [phase, slot])).toEqual([
      [0, 0],
      [0, 1],
      [0, 2],
      [1, 0],
      [1, 1],
      [1, 2],
    ]);
  });

  it('reads the backlog at each edge against 1 % of the window, and marks the window', () => {
    const tens = new Array<number>(10).fill(100);
    const late = [...tens];
    // 30 arrivals of the fourth bin leave in the sixth: two edges see 30 > 1 % of 1000.
    late[3] = 70;
    late[5] = 130;
    const base = { slot: 0, backlogBefore: 0, unsent: new Array<number>(10).fill(0), phases: [] };
    const sums = sumsOf([
      { ...base, window: 0, planned: tens, sent: late },
      { ...base, window: 1, planned: tens, sent: tens },
    ]);
    expect(sums.slots().map(({ backlog }) => backlog)).toEqual([{ edges: 20, edgesAbove: 2, max: 30 }]);
    expect(sums.stretches.find(0, 0)).toMatchObject({ backlogMax: 30, behindShare: 0.2 });
    expect(sums.stretches.find(0, 1)).toMatchObject({ backlogMax: 0, behindShare: 0 });
    expect(sums.stretches.find(1, 1)).toBeNull();
  });

  it('one arrival at an edge is no backlog, however slow the plan', () => {
    const planned = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    const sent = [0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    const unsent = new Array<number>(10).fill(0);
    const sums = sumsOf([{ slot: 0, window: 0, backlogBefore: 0, planned, sent, unsent, phases: [] }]);
    expect(sums.slots()[0]?.backlog).toEqual({ edges: 10, edgesAbove: 0, max: 1 });
  });

  it('keeps two hours of aligned windows at most, whatever the length of the run', () => {
    const long: Phase = { ...load, durationNs: 100_000e9 };
    const sums = new FidelitySums([long], 100_000);
    const counts = new Array<number>(10).fill(1);
    const unsent = new Array<number>(10).fill(0);
    for (let window = 0; window < 100_000; window += 1) {
      sums.add({ slot: 0, window, backlogBefore: 0, planned: counts, sent: counts, unsent, phases: [] });
    }
    const [pace] = sums.fleet();
    expect(pace?.tenths.bins).toBeLessThanOrEqual(ALIGNED_WINDOWS_MAX * 10);
    expect(pace?.tenths.bins).toBeGreaterThan((ALIGNED_WINDOWS_MAX * 10) / 2);
    expect(sums.slots()[0]?.backlog.edges).toBe(1_000_000);
  });
});
