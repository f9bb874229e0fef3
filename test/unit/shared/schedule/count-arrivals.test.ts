import { describe, expect, it } from 'vitest';
import type { ArrivalLaw } from '../../../../shared/schedule/arrival-law.ts';
import { countArrivals, drawPoissonCount } from '../../../../shared/schedule/count-arrivals.ts';
import { allLanes, dealLanes } from '../../../../shared/schedule/deal.ts';
import { basisOf, knotsOf, poisson, traceOf, unionOf } from '../../../support/schedule-of.ts';

const trace = traceOf([0, 0, 5, 5, 5, 1e9, 2e9, 2e9, 3e9, 9.5e9]);
const laws: [string, ArrivalLaw][] = [
  ['poisson', poisson([0, 800], [5, 0], [6, 0], [10, 300])],
  ['poisson-count', { kind: 'poisson-count', knots: knotsOf([0, 1], [10, 3]), count: 2345 }],
  ['even', { kind: 'even', knots: knotsOf([0, 0], [10, 200]) }],
  ['trace', trace.law],
  ['all-at-once', { kind: 'all-at-once', count: 321 }],
  ['gamma', { kind: 'gamma', ratePerSecond: 150, burstiness: 0.3 }],
];
const startNs = 2e9;

describe.each(laws)('countArrivals of %s', (_, law) => {
  // A first phase, so that the counted one is not phase 0 and does not start at T0.
  const basis = basisOf(
    [
      { startNs: 0, durationNs: startNs, law: poisson([0, 1], [2, 1]) },
      { startNs, durationNs: 10e9, law },
    ],
    { blobs: trace.blobs, laneCount: 16 },
  );
  const arrivals = unionOf(basis).filter((arrival) => arrival.phase === 1);

  it('is the number of arrivals in the stream', () => {
    expect(countArrivals(basis, { phase: 1, lanes: allLanes(16) })).toBe(arrivals.length);
    for (const slot of [0, 1, 2]) {
      const lanes = dealLanes(16, 3, slot);
      expect(countArrivals(basis, { phase: 1, lanes })).toBe(
        arrivals.filter(({ lane }) => lanes.includes(lane)).length,
      );
    }
    expect(countArrivals(basis, { phase: 1, lanes: Int32Array.of() })).toBe(0);
  });

  it('is exact at every border, also one that is an arrival', () => {
    const middle = arrivals[Math.floor(arrivals.length / 2)]?.intendedNs ?? 0;
    const borders = [
      0,
      startNs,
      startNs + 1,
      startNs + 5,
      middle - 1,
      middle,
      middle + 1,
      startNs + 7e9,
      startNs + 10e9,
      1e12,
    ];
    const lanes = dealLanes(16, 3, 1);
    for (const fromNs of borders) {
      for (const toNs of borders) {
        const expected = arrivals.filter(
          ({ lane, intendedNs }) => lanes.includes(lane) && intendedNs >= fromNs && intendedNs < toNs,
        ).length;
        expect(countArrivals(basis, { phase: 1, lanes, fromNs, toNs }), `${fromNs}..${toNs}`).toBe(expected);
      }
    }
  });
});

describe('countArrivals', () => {
  it('needs no more than count words for 6 million arrivals inside a range', () => {
    const basis = basisOf([{ startNs: 0, durationNs: 60e9, law: poisson([0, 1e5], [60, 1e5]) }], { laneCount: 4096 });
    const lanes = allLanes(4096);
    const whole = countArrivals(basis, { phase: 0, lanes });
    // Six standard deviations of a Poisson count.
    expect(Math.abs(whole - 6e6)).toBeLessThan(6 * Math.sqrt(6e6));
    const cut = 33_333_333_333;
    const parts = [{ toNs: cut }, { fromNs: cut }].map((range) => countArrivals(basis, { phase: 0, lanes, ...range }));
    expect(parts.reduce((sum, n) => sum + n, 0)).toBe(whole);
  });

  it('counts by trial', () => {
    const basis = basisOf([{ startNs: 0, durationNs: 10e9, law: poisson([0, 1000], [10, 1000]) }]);
    const range = { phase: 0, lanes: allLanes(16) };
    // Both published (M§1.3).
    expect(countArrivals(basis, range)).toBe(10_042);
    expect(countArrivals({ ...basis, seed: { lo: 0x76543210, hi: 0xfedcba98 } }, range)).toBe(9_916);
    expect(countArrivals({ ...basis, trial: 1 }, range)).not.toBe(10_042);
  });
});

describe('drawPoissonCount', () => {
  it('is the count of a lanes phase with the same curve', () => {
    const knots = knotsOf([0, 1000], [10, 1000]);
    const basis = basisOf([]);
    expect(drawPoissonCount(basis, 0, knots, 10e9)).toBe(10_042);
    expect(drawPoissonCount(basis, 1, knots, 10e9)).not.toBe(10_042);
    expect(drawPoissonCount(basis, 0, knotsOf([0, 0], [10, 0]), 10e9)).toBe(0);
  });

  it('has mean and variance of Poisson over seeds', () => {
    const counts = Array.from({ length: 1000 }, (_, lo) =>
      drawPoissonCount({ seed: { lo, hi: 0 }, laneCount: 16 }, 0, knotsOf([0, 20], [5, 20]), 5e9),
    );
    const mean = counts.reduce((sum, n) => sum + n, 0) / counts.length;
    const variance = counts.reduce((sum, n) => sum + (n - mean) ** 2, 0) / (counts.length - 1);
    // Four standard errors: sqrt(100 / 1000) = 0.32 and sqrt(2 / 999) = 4.5 %.
    expect(Math.abs(mean - 100)).toBeLessThan(1.3);
    expect(Math.abs(variance / mean - 1)).toBeLessThan(0.18);
  });
});
