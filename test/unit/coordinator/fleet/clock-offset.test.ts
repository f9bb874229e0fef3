import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestOffset, type ClockProbe, offsetOf } from '../../../../coordinator/fleet/clock-offset.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

const probeOf = (sent: number, received: number, answered: number, returned: number): ClockProbe => ({
  sent,
  received,
  answered,
  returned,
});

describe('clock vectors of M§8', () => {
  it('(100.000, 105.012, 105.013, 100.021) -> offset 5.002, round trip 0.020', () => {
    const { offset, roundTrip, bound } = offsetOf(probeOf(100, 105.012, 105.013, 100.021));
    expect(offset).toBeCloseTo(5.002, 9);
    expect(roundTrip).toBeCloseTo(0.02, 9);
    expect(bound).toBeCloseTo(0.01, 9);
  });

  it('(1000, 1503, 1504, 1011) -> 498, 10', () => {
    expect(offsetOf(probeOf(1000, 1503, 1504, 1011))).toEqual({ offset: 498, roundTrip: 10, bound: 5 });
  });

  it('out 10 ms, back 2 ms, true offset 5 s: found 5.004, error 4 ms <= bound 6 ms', () => {
    const { offset, roundTrip, bound } = offsetOf(probeOf(0, 5.01, 5.01, 0.012));
    expect(offset).toBeCloseTo(5.004, 9);
    expect(roundTrip).toBeCloseTo(0.012, 9);
    expect(Math.abs(offset - 5)).toBeLessThanOrEqual(bound + 1e-12);
  });
});

describe('the best of several probes', () => {
  it('is the one with the shortest way', () => {
    const slow = probeOf(0, 1100, 1100, 400);
    const quick = probeOf(500, 1510, 1510, 520);
    expect(bestOffset([slow, quick, slow])).toEqual(offsetOf(quick));
    expect(bestOffset([])).toBeNull();
  });

  it('the error never exceeds the bound, whatever the two ways take', () => {
    const wayNs = fc.integer({ min: 0, max: 1e9 });
    const trueOffset = fc.integer({ min: -1e15, max: 1e15 });
    const ways = fc.array(fc.tuple(wayNs, wayNs, wayNs), { minLength: 1, maxLength: 32 });
    fc.assert(
      fc.property(trueOffset, ways, (offsetNs, trips) => {
        const probes = trips.map(([outNs, holdNs, backNs], i) => {
          const sent = i * 1e9;
          const received = sent + outNs + offsetNs;
          return probeOf(sent, received, received + holdNs, sent + outNs + holdNs + backNs);
        });
        const best = bestOffset(probes);
        expect(Math.abs((best?.offset ?? NaN) - offsetNs)).toBeLessThanOrEqual(best?.bound ?? NaN);
      }),
      { numRuns: 300 },
    );
  });

  it('16 probes find the offset several times better than one (M§8: median error 102 us against 20 us)', () => {
    const random = seededRandom(7);
    const errorOf = (count: number): number => {
      const probes = Array.from({ length: count }, () => {
        const out = 250 + random.exponential(300);
        return probeOf(0, out, out, out + 250 + random.exponential(300));
      });
      return Math.abs(bestOffset(probes)?.offset ?? NaN);
    };
    const medianOf = (count: number): number => {
      const errors = Array.from({ length: 4001 }, () => errorOf(count)).sort((a, b) => a - b);
      return errors[2000] as number;
    };
    expect(medianOf(1)).toBeGreaterThan(85);
    expect(medianOf(1)).toBeLessThan(120);
    expect(medianOf(16)).toBeGreaterThan(14);
    expect(medianOf(16)).toBeLessThan(26);
  });
});
