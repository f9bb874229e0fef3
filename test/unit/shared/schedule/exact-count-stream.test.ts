import { describe, expect, it } from 'vitest';
import { ExactCountStream, ownArrivalsMax } from '../../../../shared/schedule/exact-count-stream.ts';
import { ExactCountInstants } from '../../../../shared/schedule/exact-count.ts';
import { allLanes, dealLanes } from '../../../../shared/schedule/deal.ts';
import { compileRateCurve } from '../../../../shared/schedule/rate-curve.ts';
import { drain, knotsOf, vectorSeed } from '../../../support/schedule-of.ts';

const curve = compileRateCurve(knotsOf([0, 0], [5, 100], [10, 0]), 10e9);

function stream(count: number, lanes: Int32Array, fromNs = 0) {
  return new ExactCountStream({
    seed: vectorSeed,
    trialField: 0,
    laneCount: 16,
    lanes,
    curve,
    count,
    phase: 1,
    startNs: 100,
    fromNs,
  });
}

/** The law by its definition, sorted by (instant, index). */
function listed(count: number): { intendedNs: number; index: number }[] {
  const instants = new ExactCountInstants(vectorSeed, 0, curve);
  return Array.from({ length: count }, (_, index) => ({
    intendedNs: 100 + instants.nsOfShare(instants.shareOf(index)),
    index,
  })).sort((a, b) => a.intendedNs - b.intendedNs || a.index - b.index);
}

describe('ExactCountStream', () => {
  it.each([0, 1, 5, 511, 512, 513, 20_000])('puts %d arrivals in order', (count) => {
    const arrivals = drain(stream(count, allLanes(16)));
    expect(arrivals.map(({ intendedNs, index }) => ({ intendedNs, index }))).toEqual(listed(count));
    expect(arrivals.every((arrival) => arrival.lane === arrival.index % 16 && arrival.phase === 1)).toBe(true);
  });

  it('keeps to its lanes and its first instant', () => {
    const lanes = dealLanes(16, 5, 2);
    const fromNs = 4e9;
    const expected = listed(5000).filter((each) => lanes.includes(each.index % 16) && each.intendedNs >= fromNs);
    expect(drain(stream(5000, lanes, fromNs)).map(({ intendedNs, index }) => ({ intendedNs, index }))).toEqual(
      expected,
    );
    expect(drain(stream(5000, lanes, 1e12))).toEqual([]);
  });

  it('orders equal instants by index', () => {
    const crowded = compileRateCurve(knotsOf([0, 1e9], [1e-8, 1e9]), 10);
    const all = new ExactCountStream({
      seed: vectorSeed,
      trialField: 0,
      laneCount: 16,
      lanes: allLanes(16),
      curve: crowded,
      count: 3000,
      phase: 0,
      startNs: 0,
      fromNs: 0,
    });
    const arrivals = drain(all);
    expect(arrivals.length).toBe(3000);
    const ordered = arrivals.toSorted((a, b) => a.intendedNs - b.intendedNs || a.index - b.index);
    expect(arrivals).toEqual(ordered);
  });

  it('prepares ahead in pieces, and ends the same', () => {
    const ahead = stream(20_000, allLanes(16));
    let pieces = 0;
    while (ahead.workAhead()) pieces++;
    // Two passes over the indices at a few hundred a piece, and one bucket.
    expect(pieces).toBeGreaterThan(60);
    expect(drain(ahead)).toEqual(drain(stream(20_000, allLanes(16))));
  });

  it('refuses a share above its memory', () => {
    expect(() => stream(2 * ownArrivalsMax, allLanes(16))).toThrow(
      'exact count: 20000000 of 20000000 arrivals fall to one worker, the limit is 10000000: use more workers',
    );
    expect(() => stream(2 * ownArrivalsMax, dealLanes(16, 2, 0))).not.toThrow();
  });
});
