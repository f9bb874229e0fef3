import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seedFromBigInt } from '../../../../shared/random/seed.ts';
import type { ArrivalLaw } from '../../../../shared/schedule/arrival-law.ts';
import { createArrival } from '../../../../shared/schedule/arrival-stream.ts';
import { countArrivals } from '../../../../shared/schedule/count-arrivals.ts';
import { allLanes } from '../../../../shared/schedule/deal.ts';
import { outlineOf } from '../../../../shared/schedule/phase-outline.ts';
import { openPhaseStream, type ScheduleBasis } from '../../../../shared/schedule/phase-stream.ts';

function basisOf(law: ArrivalLaw, laneCount: number, seed: bigint): ScheduleBasis {
  const phases = [{ startNs: 3e9, durationNs: 4e9, law }];
  return { seed: seedFromBigInt(seed), trial: 0, laneCount, phases, blobs: new Map() };
}

function firstByStream(basis: ScheduleBasis, most: number): number[] {
  const stream = openPhaseStream(basis, 0, { lanes: allLanes(basis.laneCount), fromNs: 0 });
  const arrival = createArrival();
  const found: number[] = [];
  while (found.length < most && stream.next(arrival)) found.push(arrival.intendedNs);
  return found;
}

describe('the outline of a phase', () => {
  it('is what the streams and the counts give, whatever the rates and the lanes', () => {
    const rate = fc.oneof(fc.constant(0), fc.double({ min: 0.01, max: 3000, noNaN: true }));
    fc.assert(
      fc.property(
        rate,
        rate,
        fc.integer({ min: 0, max: 8 }),
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        (a, b, log2, seed) => {
          const knots = [
            { tSeconds: 0, ratePerSecond: a },
            { tSeconds: 4, ratePerSecond: b },
          ];
          const basis = basisOf({ kind: 'poisson', knots }, 2 ** log2, seed);
          const { count, firstNs } = outlineOf(basis, 0, 5);
          expect(count).toBe(countArrivals(basis, { phase: 0, lanes: allLanes(basis.laneCount) }));
          expect(firstNs).toEqual(firstByStream(basis, 5));
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each<readonly [ArrivalLaw]>([
    [
      {
        kind: 'even',
        knots: [
          { tSeconds: 0, ratePerSecond: 10 },
          { tSeconds: 4, ratePerSecond: 10 },
        ],
      },
    ],
    [{ kind: 'gamma', ratePerSecond: 20, burstiness: 0.5 }],
    [{ kind: 'all-at-once', count: 3 }],
  ])('of another law is that of its stream: %j', (law) => {
    const basis = basisOf(law, 64, 7n);
    const { count, firstNs } = outlineOf(basis, 0, 4);
    expect(count).toBe(countArrivals(basis, { phase: 0, lanes: allLanes(64) }));
    expect(firstNs).toEqual(firstByStream(basis, 4));
  });
});
