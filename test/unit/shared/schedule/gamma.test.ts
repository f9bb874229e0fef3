import { describe, expect, it } from 'vitest';
import { dealLanes } from '../../../../shared/schedule/deal.ts';
import { GammaStream, GammaWalk, gammaRatePerSecondMax } from '../../../../shared/schedule/gamma.ts';
import { basisOf, drain, instantsOf, phasesOf, unionOf, vectorSeed } from '../../../support/schedule-of.ts';
import { gapsOf, scvOf } from '../../../support/uniformity.ts';

function walk(ratePerSecond: number, burstiness: number, seconds: number): number[] {
  const walker = new GammaWalk(vectorSeed, 0, { ratePerSecond, burstiness }, seconds * 1e9);
  const instants: number[] = [];
  for (let ns = walker.nextNs(); ns !== Infinity; ns = walker.nextNs()) instants.push(ns);
  expect(walker.nextNs()).toBe(Infinity);
  return instants;
}

describe('gamma renewal arrivals', () => {
  it.each([0.25, 1, 4])('of burstiness %d have SCV 1 / burstiness and the asked rate', (burstiness) => {
    const instants = walk(1000, burstiness, 100);
    const scv = scvOf(gapsOf(instants));
    // Standard error of the SCV over 100,000 gaps: below 2 % even at 0.25 (kurtosis 3 + 6 / b).
    expect(scv * burstiness).toBeGreaterThan(0.93);
    expect(scv * burstiness).toBeLessThan(1.07);
    // The count of a renewal process has variance n * SCV: four standard deviations.
    expect(Math.abs(instants.length - 100_000)).toBeLessThan(4 * Math.sqrt(100_000 / burstiness));
  });

  it('dealt by index over 4 workers, a worker sees SCV / 4 (M§1.5)', () => {
    const law = { kind: 'gamma', ratePerSecond: 5000, burstiness: 0.25 } as const;
    const basis = basisOf(phasesOf([law, 80]), { laneCount: 16 });
    const share = unionOf(basis).filter((arrival) => arrival.lane % 4 === 0);
    expect(scvOf(gapsOf(instantsOf(share)))).toBeCloseTo(1, 1);
  });

  it('lie inside the phase and have gap after gap: the sequence does not depend on its length', () => {
    const long = walk(500, 0.5, 20);
    const short = walk(500, 0.5, 10);
    expect(short).toEqual(long.slice(0, short.length));
    expect(short.at(-1)).toBeLessThan(10e9);
    expect(long[short.length]).toBeGreaterThanOrEqual(10e9);
  });

  it('end with a given count, also inside a burst of one instant', () => {
    const law = { ratePerSecond: 1000, burstiness: 0.01 };
    const first = (count?: number): number[] => {
      const walker = new GammaWalk(vectorSeed, 0, count === undefined ? law : { ...law, count }, 10e9);
      return Array.from({ length: 2000 }, () => walker.nextNs()).filter((ns) => ns !== Infinity);
    };
    const all = first();
    const inBurst = all.findIndex((ns, index) => index > 100 && ns === all[index + 1]) + 1;
    expect(inBurst).toBeGreaterThan(100);
    expect(first(inBurst)).toEqual(all.slice(0, inBurst));
  });

  it('are none at rate 0', () => {
    expect(walk(0, 1, 10)).toEqual([]);
  });

  it.each([
    [gammaRatePerSecondMax + 1, 1, 'gamma arrivals: rate 50001/s, allowed is 0..50000/s'],
    [-1, 1, 'gamma arrivals: rate -1/s'],
    [10, 0, 'gamma arrivals: burstiness 0, allowed is 0.001..1000000000'],
    [10, Number.NaN, 'gamma arrivals: burstiness NaN'],
  ])('refuse rate %d, burstiness %d', (rate, burstiness, message) => {
    expect(() => walk(rate, burstiness, 1)).toThrow(message);
  });
});

describe('GammaStream', () => {
  const options = (lanes: Int32Array, fromNs = 0) => ({
    walk: new GammaWalk(vectorSeed, 0, { ratePerSecond: 1000, burstiness: 0.5 }, 10e9),
    laneCount: 16,
    lanes,
    phase: 3,
    startNs: 50,
    fromNs,
  });

  it('keeps its lanes of the one sequence', () => {
    const instants = walk(1000, 0.5, 10);
    const own = drain(new GammaStream(options(dealLanes(16, 3, 1), 4e9)));
    const expected = instants
      .map((ns, index) => ({ phase: 3, intendedNs: 50 + ns, lane: index % 16, block: 0, rank: 0, index }))
      .filter(({ lane, intendedNs }) => lane % 3 === 1 && intendedNs >= 4e9);
    expect(own).toEqual(expected);
    expect(drain(new GammaStream(options(Int32Array.of())))).toEqual([]);
  });

  it('walks two windows ahead and rests', () => {
    const stream = new GammaStream(options(dealLanes(16, 2, 0)));
    let pieces = 0;
    while (stream.workAhead()) pieces++;
    expect(pieces).toBeGreaterThanOrEqual(Math.floor(2000 / 200));
    expect(pieces).toBeLessThan(15);
    expect(drain(stream)).toEqual(drain(new GammaStream(options(dealLanes(16, 2, 0)))));
  });
});
