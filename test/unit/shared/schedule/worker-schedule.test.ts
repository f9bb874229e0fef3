import { describe, expect, it } from 'vitest';
import type { PhaseSchedule } from '../../../../shared/schedule/arrival-law.ts';
import { createArrival } from '../../../../shared/schedule/arrival-stream.ts';
import { allLanes, dealLanes } from '../../../../shared/schedule/deal.ts';
import { compareArrivals } from '../../../../shared/schedule/merged-stream.ts';
import { createWorkerSchedule } from '../../../../shared/schedule/worker-schedule.ts';
import { basisOf, drain, knotsOf, phasesOf, poisson, shareOf, unionOf } from '../../../support/schedule-of.ts';

const phases = phasesOf(
  [poisson([0, 0], [5, 200]), 5],
  [{ kind: 'all-at-once', count: 50 }, 0],
  [poisson([0, 0], [5, 0]), 5],
  [{ kind: 'even', knots: knotsOf([0, 20], [5, 20]) }, 5],
  [{ kind: 'poisson-count', knots: knotsOf([0, 1], [5, 9]), count: 300 }, 5],
  [{ kind: 'gamma', ratePerSecond: 80, burstiness: 0.5 }, 5],
);
const basis = basisOf(phases, { laneCount: 64 });

describe('createWorkerSchedule', () => {
  it('gives the phases in turn, all in time order', () => {
    const arrivals = unionOf(basis);
    expect(arrivals).toEqual(
      drain(createWorkerSchedule({ ...basis, ownedLanes: [{ lanes: allLanes(64), fromNs: 0 }] })),
    );
    for (const [phase, { startNs, durationNs }] of phases.entries()) {
      const own = arrivals.filter((arrival) => arrival.phase === phase);
      expect(own.length > 0).toBe(phase !== 2);
      expect(
        own.every(({ intendedNs }) => intendedNs >= startNs && intendedNs < startNs + Math.max(1, durationNs)),
      ).toBe(true);
    }
  });

  it('prepares the next phase while this one rests, and gives the same', () => {
    const grant = { ...basis, ownedLanes: [{ lanes: dealLanes(64, 3, 2), fromNs: 0 }] };
    const plain = drain(createWorkerSchedule(grant));
    const stream = createWorkerSchedule(grant);
    const arrivals = [];
    for (;;) {
      let pieces = 0;
      while (stream.workAhead()) pieces++;
      expect(pieces).toBeLessThan(1000);
      const arrival = createArrival();
      if (!stream.next(arrival)) break;
      arrivals.push(arrival);
    }
    expect(arrivals).toEqual(plain);
  });

  it('takes lanes over from an instant on: what the giver had before and the receiver has from there is the whole', () => {
    const fromNs = 12_345_678_901;
    const giver = shareOf(basis, 2, 0).filter((arrival) => arrival.intendedNs < fromNs);
    const receiver = drain(
      createWorkerSchedule({
        ...basis,
        ownedLanes: [
          { lanes: dealLanes(64, 2, 1), fromNs: 0 },
          { lanes: dealLanes(64, 2, 0), fromNs },
        ],
      }),
    );
    expect([...giver, ...receiver].sort(compareArrivals)).toEqual(unionOf(basis));
    expect(receiver).toEqual(receiver.toSorted((a, b) => a.intendedNs - b.intendedNs));
  });

  it('of a slot without lanes, or a plan without phases, is empty', () => {
    expect(shareOf(basis, 100, 99)).toEqual([]);
    expect(drain(createWorkerSchedule({ ...basis, ownedLanes: [] }))).toEqual([]);
    const none = createWorkerSchedule({ ...basisOf([]), ownedLanes: [{ lanes: allLanes(16), fromNs: 0 }] });
    expect(none.peekNs()).toBe(Infinity);
    expect(none.workAhead()).toBe(false);
  });

  it.each<[string, PhaseSchedule[], string]>([
    [
      'overlapping phases',
      [...phasesOf([poisson([0, 1], [1, 1]), 1]), ...phasesOf([poisson([0, 1], [1, 1]), 1])],
      'phase 1: start 0 ns is not an integer at or after 1000000000 ns',
    ],
    [
      'a fractional start',
      [{ startNs: 0.5, durationNs: 1, law: { kind: 'all-at-once', count: 1 } }],
      'phase 0: start 0.5 ns',
    ],
    [
      'a negative duration',
      [{ startNs: 0, durationNs: -1, law: { kind: 'all-at-once', count: 1 } }],
      'phase 0: duration -1 ns',
    ],
    [
      'an end beyond 2^53',
      [{ startNs: 2, durationNs: 2 ** 53 - 2, law: { kind: 'all-at-once', count: 1 } }],
      'ends before 2^53 ns (104 days)',
    ],
  ])('refuses %s', (_, broken, message) => {
    expect(() => createWorkerSchedule({ ...basisOf(broken), ownedLanes: [] })).toThrow(message);
  });

  it.each([
    [[3, 2], 'grant: lane 2 after lane 3'],
    [[3, 3], 'grant: lane 3 after lane 3'],
    [[16], 'grant: lane 16 after lane -1; lanes ascend and lie in 0..15'],
  ])('refuses lanes %j', (lanes, message) => {
    const ownedLanes = [{ lanes: Int32Array.from(lanes), fromNs: 0 }];
    expect(() => createWorkerSchedule({ ...basisOf([]), ownedLanes })).toThrow(message);
  });

  it('refuses a lane in two pieces, and a lane count that is no power of two', () => {
    const piece = { lanes: Int32Array.of(1), fromNs: 0 };
    expect(() => createWorkerSchedule({ ...basisOf([]), ownedLanes: [piece, piece] })).toThrow(
      'grant: lane 1 is in two pieces',
    );
    expect(() => createWorkerSchedule({ ...basisOf([], { laneCount: 48 }), ownedLanes: [] })).toThrow('lanes: 48');
  });
});
