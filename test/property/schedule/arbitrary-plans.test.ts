/** Schedules of arbitrary rate curves, lane counts, splits and ranges agree with each other and with the counts. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ArrivalLaw, Knot } from '../../../shared/schedule/arrival-law.ts';
import { countArrivals } from '../../../shared/schedule/count-arrivals.ts';
import { allLanes, bitsetFromLanes, dealLanes, lanesFromBitset } from '../../../shared/schedule/deal.ts';
import { compareArrivals } from '../../../shared/schedule/merged-stream.ts';
import { compileRateCurve } from '../../../shared/schedule/rate-curve.ts';
import { decodeInstants, encodeInstants } from '../../../shared/schedule/trace.ts';
import { createWorkerSchedule } from '../../../shared/schedule/worker-schedule.ts';
import { basisOf, drain, identityText, shareOf, unionOf } from '../../support/schedule-of.ts';

const runs = { numRuns: 60, seed: 20_260_101 };

/** Knots with pauses, steps (equal times), ramps from and to 0 and very different rates; at most some thousand arrivals. */
const knots: fc.Arbitrary<Knot[]> = fc
  .array(
    fc.record({
      step: fc.oneof(fc.constant(0), fc.double({ min: 1e-6, max: 20, noNaN: true })),
      rate: fc.oneof(
        fc.constant(0),
        fc.double({ min: 1e-9, max: 1, noNaN: true }),
        fc.double({ min: 1, max: 80, noNaN: true }),
      ),
    }),
    { minLength: 2, maxLength: 8 },
  )
  .map((parts) => {
    let tSeconds = 0;
    return parts.map(({ step, rate }, i) => {
      if (i > 0) tSeconds += step;
      return { tSeconds, ratePerSecond: rate };
    });
  });

const law: fc.Arbitrary<{ law: ArrivalLaw; durationNs: number }> = fc
  .tuple(knots, fc.constantFrom('poisson', 'even', 'poisson-count', 'gamma', 'all-at-once'), fc.nat(500))
  .map(([curve, kind, count]) => {
    const durationNs = Math.ceil((curve.at(-1)?.tSeconds ?? 0) * 1e9);
    const hasMass = compileRateCurve(curve, durationNs).totalMass > 0;
    switch (kind) {
      case 'poisson':
      case 'even':
        return { law: { kind, knots: curve }, durationNs };
      case 'poisson-count':
        return { law: { kind, knots: curve, count: hasMass ? count : 0 }, durationNs };
      case 'gamma':
        return {
          law: { kind, ratePerSecond: curve[0]?.ratePerSecond ?? 0, burstiness: 0.1 + count / 100 },
          durationNs,
        };
      case 'all-at-once':
        return { law: { kind, count }, durationNs };
    }
  });

const laneCount = fc.constantFrom(1, 4, 16, 64);
const seed = fc.record({ lo: fc.nat(0xffffffff), hi: fc.nat(0xffffffff) });

describe('arbitrary plans', () => {
  it('are split without loss, doubling or disorder, and counted exactly', () => {
    fc.assert(
      fc.property(
        law,
        laneCount,
        seed,
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (each, lanes, key, workers, cut) => {
          const startNs = 3_000_000_001;
          const basis = basisOf(
            [
              { startNs: 0, durationNs: startNs, law: { kind: 'all-at-once', count: 0 } },
              { startNs, ...each },
            ],
            {
              laneCount: lanes,
              seed: key,
            },
          );
          const whole = unionOf(basis);
          expect(unionOf(basis, workers)).toEqual(whole);
          expect(new Set(whole.map(identityText)).size).toBe(whole.length);
          expect(
            whole.every(
              ({ intendedNs }) => intendedNs >= startNs && intendedNs < startNs + Math.max(1, each.durationNs),
            ),
          ).toBe(true);
          expect(countArrivals(basis, { phase: 1, lanes: allLanes(lanes) })).toBe(whole.length);
          // A border anywhere in the phase, and one that is an arrival.
          const middle = whole[Math.floor(whole.length / 2)]?.intendedNs ?? startNs;
          for (const border of [startNs + Math.floor(cut * each.durationNs), middle]) {
            const own = dealLanes(lanes, workers, 0);
            const before = shareOf(basis, workers, 0).filter(({ intendedNs }) => intendedNs < border);
            expect(countArrivals(basis, { phase: 1, lanes: own, toNs: border })).toBe(before.length);
            const rest = drain(createWorkerSchedule({ ...basis, ownedLanes: [{ lanes: own, fromNs: border }] }));
            expect(countArrivals(basis, { phase: 1, lanes: own, fromNs: border })).toBe(rest.length);
            expect([...before, ...rest].sort(compareArrivals)).toEqual(shareOf(basis, workers, 0));
          }
        },
      ),
      runs,
    );
  });

  it('place mass and time as inverses of each other, never backwards', () => {
    fc.assert(
      fc.property(
        knots,
        fc.array(
          fc.maxSafeNat().map((bits) => bits / 2 ** 53),
          { minLength: 1 },
        ),
        (curve, shares) => {
          const durationNs = Math.ceil((curve.at(-1)?.tSeconds ?? 0) * 1e9);
          const compiled = compileRateCurve(curve, durationNs);
          fc.pre(compiled.totalMass > 0);
          let before = 0;
          for (const share of shares.toSorted((a, b) => a - b)) {
            const mass = share * compiled.totalMass;
            const seconds = compiled.secondsOf(mass);
            expect(Math.abs(compiled.massAt(seconds) - mass)).toBeLessThan(1e-6 * compiled.totalMass);
            const ns = compiled.nsOf(mass);
            expect(ns).toBeGreaterThanOrEqual(before);
            expect(ns).toBeLessThan(Math.max(1, durationNs));
            before = ns;
          }
        },
      ),
      { ...runs, numRuns: 300 },
    );
  });
});

describe('what travels', () => {
  it('lanes survive their bitset', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(255)), (lanes) => {
        const sorted = Int32Array.from(lanes).sort();
        expect(lanesFromBitset(bitsetFromLanes(sorted, 256), 256)).toEqual(sorted);
      }),
      runs,
    );
  });

  it('instants survive their blob', () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeNat()), (instants) => {
        const sorted = instants.toSorted((a, b) => a - b);
        expect([...decodeInstants(encodeInstants(sorted), sorted.length)]).toEqual(sorted);
      }),
      runs,
    );
  });
});
