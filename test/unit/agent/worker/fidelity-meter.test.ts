import { describe, expect, it } from 'vitest';
import { FidelityMeter } from '../../../../agent/worker/fidelity-meter.ts';
import {
  type BinSums,
  COARSE_BIN_NS,
  FINE_BIN_NS,
  movedShare,
  plannedMoments,
  sentMoments,
  type WindowFidelity,
} from '../../../../shared/metrics/fidelity.ts';
import type { Phase } from '../../../../shared/plan/plan.ts';
import { momentsOf } from '../../../../shared/stats/welford.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

function phase(startNs: number, durationNs: number, kind: 'poisson' | 'all-at-once' = 'poisson'): Phase {
  const [base] = createPlan({ durationNs }).phases as [Phase];
  return kind === 'poisson'
    ? { ...base, startNs, durationNs }
    : { ...base, startNs, durationNs, arrivals: { kind, count: 5 } };
}

interface Event {
  readonly phase: number;
  readonly intendedNs: number;
  /** null = settled without a send at `intendedNs`. */
  readonly sendNs: number | null;
}

/** The windows of a trial, taken as a worker does: some while it runs, the rest at its end. */
function windowsOf(
  phases: readonly Phase[],
  events: readonly Event[],
  takes: readonly number[] = [],
): WindowFidelity[] {
  const meter = new FidelityMeter(phases);
  const steps = [
    ...events.map((event) => ({
      atNs: event.intendedNs,
      order: 0,
      run: () => meter.planned(event.phase, event.intendedNs),
    })),
    ...events.map(({ phase: of, intendedNs, sendNs }) => ({
      atNs: sendNs ?? intendedNs,
      order: 1,
      run: () => (sendNs === null ? meter.unsent(of, intendedNs) : meter.sent(of, intendedNs, sendNs)),
    })),
    ...takes.map((below) => ({ atNs: below * 1e9, order: -1, run: () => found.push(...meter.take(below)) })),
  ].sort((a, b) => a.atNs - b.atNs || a.order - b.order);
  const found: WindowFidelity[] = [];
  for (const step of steps) step.run();
  return [...found, ...meter.take(Infinity)];
}

/** Counts per bin of [fromNs, toNs), counted the slow way. */
function countsIn(instants: readonly number[], fromNs: number, toNs: number, binNs: number): number[] {
  const first = Math.ceil(fromNs / binNs);
  const counts = new Array<number>(Math.max(0, Math.ceil(toNs / binNs) - first)).fill(0);
  for (const instant of instants) {
    const bin = Math.floor(instant / binNs) - first;
    if (bin >= 0 && bin < counts.length) counts[bin] = (counts[bin] as number) + 1;
  }
  return counts;
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function randomEvents(phases: readonly Phase[], ratePerSecond: number, seed: number): Event[] {
  const random = seededRandom(seed);
  const events: Event[] = [];
  let sentNs = 0;
  for (const [index, { startNs, durationNs }] of phases.entries()) {
    for (let tNs = startNs; ; ) {
      tNs += Math.floor(random.exponential(1e9 / ratePerSecond));
      if (tNs >= startNs + durationNs) break;
      if (random.below(20) === 0) {
        events.push({ phase: index, intendedNs: tNs, sendNs: null });
        continue;
      }
      sentNs = Math.max(
        sentNs,
        tNs + Math.floor(random.exponential(400_000)) + (random.below(300) === 0 ? 30_000_000 : 0),
      );
      events.push({ phase: index, intendedNs: tNs, sendNs: sentNs });
    }
  }
  return events;
}

describe('counting planned against sent', () => {
  // Borders inside a window, inside a bin of 10 ms and inside one of 1 ms.
  const phases = [phase(0, 1_234_567_890), phase(1_234_567_890, 765_432_110), phase(2e9, 1_500_000_000)];

  it.each([
    [50, 1],
    [1000, 2],
    [20_000, 3],
  ])('agrees with bins counted the slow way, at %d arrivals a second', (rate, seed) => {
    const events = randomEvents(phases, rate, seed);
    const windows = windowsOf(phases, events, [1, 2, 3]);
    expect(windows.map((one) => one.window)).toEqual([0, 1, 2, 3]);
    const planned = events.map((event) => event.intendedNs);
    const sends = events.flatMap((event) => (event.sendNs === null ? [] : [event.sendNs]));
    for (const { window, phases: inWindow } of windows) {
      for (const { phase: index, fine, coarse } of inWindow) {
        const { startNs, durationNs } = phases[index] as Phase;
        const fromNs = Math.max(startNs, window * 1e9);
        const toNs = Math.min(startNs + durationNs, (window + 1) * 1e9);
        for (const [sums, binNs] of [
          [fine, FINE_BIN_NS],
          [coarse, COARSE_BIN_NS],
        ] as const) {
          expectMoments(plannedMoments(sums), momentsOf(countsIn(planned, fromNs, toNs, binNs)));
          expectMoments(sentMoments(sums), momentsOf(countsIn(sends, fromNs, toNs, binNs)));
        }
      }
    }
    expect(windows.flatMap((one) => [...one.planned])).toEqual(countsIn(planned, 0, 4e9, 1e8));
    expect(windows.flatMap((one) => [...one.sent])).toEqual(countsIn(sends, 0, 4e9, 1e8));
  });

  function expectMoments(found: ReturnType<typeof momentsOf>, wanted: ReturnType<typeof momentsOf>): void {
    expect(found.count).toBe(wanted.count);
    expect(found.mean).toBeCloseTo(wanted.mean, 9);
    expect(found.squares).toBeCloseTo(wanted.squares, 6);
  }

  it('gives the same windows whether they are taken as they close or at the end', () => {
    const events = randomEvents(phases, 2000, 7);
    expect(windowsOf(phases, events, [1, 2, 3])).toEqual(windowsOf(phases, events));
  });

  it('carries the backlog from window to window and settles what is never sent', () => {
    const events = [
      { phase: 0, intendedNs: 950_000_000, sendNs: 1_050_000_000 },
      { phase: 0, intendedNs: 960_000_000, sendNs: null },
      { phase: 0, intendedNs: 1_100_000_000, sendNs: 2_100_000_000 },
    ];
    const windows = windowsOf([phase(0, 3e9)], events);
    expect(windows.map((one) => one.backlogBefore)).toEqual([0, 1, 1]);
    expect(windows.map((one) => [total(one.planned), total(one.sent), total(one.unsent)])).toEqual([
      [2, 0, 1],
      [1, 1, 0],
      [0, 1, 0],
    ]);
  });

  it('counts the sends that fell into a later bin of each width', () => {
    const at = (intendedNs: number, lagNs: number): Event => ({ phase: 0, intendedNs, sendNs: intendedNs + lagNs });
    const [window] = windowsOf(
      [phase(0, 1e9)],
      [at(100_000, 0), at(10_000_000, 900_000), at(20_900_000, 200_000), at(30_000_000, 15_000_000)],
    );
    const { fine, coarse } = (window as WindowFidelity).phases[0] as { fine: BinSums; coarse: BinSums };
    expect([fine.moved, coarse.moved]).toEqual([2, 1]);
    expect(movedShare(fine)).toBe(0.5);
  });

  it('leaves out phases without a pace, and what is sent after the last window', () => {
    const plan = [phase(0, 1e9), phase(1e9, 0, 'all-at-once')];
    const events = [
      { phase: 0, intendedNs: 999_000_000, sendNs: 1_400_000_000 },
      { phase: 1, intendedNs: 1e9, sendNs: 1_500_000_000 },
    ];
    const windows = windowsOf(plan, events);
    expect(windows).toHaveLength(1);
    expect(windows[0]?.phases.map((one) => one.phase)).toEqual([0]);
    expect(total(windows[0]?.sent ?? [])).toBe(0);
    expect(windowsOf([phase(0, 0, 'all-at-once')], [])).toEqual([]);
  });

  it('holds back what is not complete, and gives each window once', () => {
    const meter = new FidelityMeter([phase(0, 3e9)]);
    expect(meter.take(0)).toEqual([]);
    meter.planned(0, 1_500_000_000);
    expect(meter.take(1).map((one) => one.window)).toEqual([0]);
    expect(meter.take(1)).toEqual([]);
    meter.sent(0, 1_500_000_000, 1_500_100_000);
    expect(meter.take(Infinity).map((one) => [one.window, total(one.sent)])).toEqual([
      [1, 1],
      [2, 0],
    ]);
  });
});
