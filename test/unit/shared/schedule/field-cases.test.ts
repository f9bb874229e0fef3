/** The field cases about schedules, as far as the pure schedule decides them. The rest of each is the worker's or the report's. */
import { describe, expect, it } from 'vitest';
import { counterDomain, trialFieldOf } from '../../../../shared/random/counter-domain.ts';
import { drawForLane } from '../../../../shared/random/keyed-draw.ts';
import { u53 } from '../../../../shared/random/u53.ts';
import { countArrivals } from '../../../../shared/schedule/count-arrivals.ts';
import { allLanes, dealLanes } from '../../../../shared/schedule/deal.ts';
import { createWorkerSchedule } from '../../../../shared/schedule/worker-schedule.ts';
import {
  basisOf,
  drain,
  instantsOf,
  knotsOf,
  phasesOf,
  poisson,
  shareOf,
  unionOf,
  vectorSeed,
} from '../../../support/schedule-of.ts';
import { binCounts, equalCountsPValue, gapsOf, scaledKolmogorovSmirnov } from '../../../support/uniformity.ts';

/** Critical value of the Kolmogorov-Smirnov statistic at 0.1 %; all seeds here are fixed. */
const ksLimit = 1.9495;

describe('R001', () => {
  it('R001 every instant is absolute: a slow consumer moves none, and 100 per second for 60 s stays within 4 sigma of 6000', () => {
    const basis = basisOf(phasesOf([poisson([0, 100], [60, 100]), 60]), { laneCount: 256 });
    const prompt = shareOf(basis, 1, 0);
    // 5 ms of work per dispatch on a fake clock: the pull comes ever later, the instants do not.
    const stream = createWorkerSchedule({ ...basis, ownedLanes: [{ lanes: allLanes(256), fromNs: 0 }] });
    let nowNs = 0;
    const late = [];
    for (let peeked = stream.peekNs(); peeked !== Infinity; peeked = stream.peekNs()) {
      nowNs = Math.max(nowNs, peeked) + 5e6;
      late.push(...drain(stream, 1));
    }
    expect(late).toEqual(prompt);
    expect(Math.abs(late.length - 6000)).toBeLessThan(4 * Math.sqrt(6000));
  });

  it('R001 20 per second Poisson over several minutes: gaps are exponential, the mean rate holds', () => {
    const instants = instantsOf(unionOf(basisOf(phasesOf([poisson([0, 20], [300, 20]), 300]), { laneCount: 256 })));
    expect(Math.abs(instants.length - 6000)).toBeLessThan(4 * Math.sqrt(6000));
    expect(scaledKolmogorovSmirnov(gapsOf(instants).map((gap) => 1 - Math.exp((-20 * gap) / 1e9)))).toBeLessThan(
      ksLimit,
    );
  });
});

describe('R005', () => {
  it.each([1, 3, 16])(
    'R005 the rate belongs to the plan, not to a worker: 5000 per second stay 5000 with %d workers',
    (workers) => {
      const basis = basisOf(phasesOf([poisson([0, 5000], [2, 5000]), 2]), { laneCount: 256 });
      const scheduled = countArrivals(basis, { phase: 0, lanes: allLanes(256) });
      expect(unionOf(basis, workers).length).toBe(scheduled);
      expect(Math.abs(scheduled - 10_000)).toBeLessThan(4 * Math.sqrt(10_000));
    },
  );
});

describe('R007', () => {
  it('R007 128 per second over 128 workers: instants modulo 1 s are uniform, no burst at the start', () => {
    const basis = basisOf(phasesOf([poisson([0, 128], [60, 128]), 60]), { laneCount: 4096 });
    const instants = instantsOf(unionOf(basis, 128));
    expect(
      equalCountsPValue(
        binCounts(
          instants.map((ns) => (ns % 1e9) / 1e9),
          50,
        ),
      ),
    ).toBeGreaterThan(0.001);
    // 12.8 expected in the first 100 ms: four standard deviations are 14.3.
    expect(instants.filter((ns) => ns < 1e8).length).toBeLessThan(28);
  });

  it('R007 a constant 2 per second over two workers alternates between them', () => {
    const basis = basisOf(phasesOf([{ kind: 'even', knots: knotsOf([0, 2], [10, 2]) }, 10]));
    const [first, second] = [0, 1].map((slot) => instantsOf(shareOf(basis, 2, slot)));
    expect(first).toEqual([0.25e9, 1.25e9, 2.25e9, 3.25e9, 4.25e9, 5.25e9, 6.25e9, 7.25e9, 8.25e9, 9.25e9]);
    expect(second).toEqual([0.75e9, 1.75e9, 2.75e9, 3.75e9, 4.75e9, 5.75e9, 6.75e9, 7.75e9, 8.75e9, 9.75e9]);
  });
});

describe('R008', () => {
  const basis = basisOf(phasesOf([poisson([0, 400], [100, 400]), 100]), { laneCount: 256 });

  it('R008 the same seed gives the same arrivals and payload draws, another seed others', () => {
    expect(unionOf(basis)).toEqual(unionOf(basis, 5));
    expect(instantsOf(unionOf({ ...basis, seed: { lo: 42, hi: 0 } }))).not.toEqual(instantsOf(unionOf(basis)));
    const words = new Uint32Array(4);
    const draw = (arrival: { lane: number; block: number; rank: number }): number => {
      drawForLane(vectorSeed, trialFieldOf(0, 0), arrival, counterDomain.requestChoice, words);
      return u53(words[0] as number, words[1] as number);
    };
    const alone = new Map(shareOf(basis, 1, 0).map((arrival) => [arrival.intendedNs, draw(arrival)]));
    for (const arrival of shareOf(basis, 4, 2)) expect(draw(arrival)).toBe(alone.get(arrival.intendedNs));
    expect(scaledKolmogorovSmirnov([...alone.values()])).toBeLessThan(ksLimit);
  });

  it('R008 two workers are uncorrelated: no synchronised bursts', () => {
    const [a, b] = [0, 1].map((slot) =>
      binCounts(
        instantsOf(shareOf(basis, 2, slot)).map((ns) => ns / 100e9),
        1000,
      ),
    );
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    const [counts, others] = [a ?? [], b ?? []];
    const covariance = mean(counts.map((count, i) => (count - mean(counts)) * ((others[i] ?? 0) - mean(others))));
    const deviation = (values: readonly number[]): number =>
      Math.sqrt(mean(values.map((value) => (value - mean(values)) ** 2)));
    // Standard error of the correlation over 1000 bins: 0.032.
    expect(Math.abs(covariance / (deviation(counts) * deviation(others)))).toBeLessThan(0.127);
  });

  it('R008 each worker alone is Poisson', () => {
    for (const workers of [2, 7]) {
      const instants = instantsOf(shareOf(basis, workers, 1));
      const rate = (400 * dealLanes(256, workers, 1).length) / 256 / 1e9;
      expect(scaledKolmogorovSmirnov(gapsOf(instants).map((gap) => 1 - Math.exp(-rate * gap)))).toBeLessThan(ksLimit);
    }
  });
});

describe('R009', () => {
  it.each([1, 2, 7, 32])(
    'R009 a ramp from 1 to 25 per second keeps its total and its shape over %d workers',
    (workers) => {
      const even = basisOf(phasesOf([{ kind: 'even', knots: knotsOf([0, 1], [60, 25]) }, 60]), { laneCount: 256 });
      // T * (r0 + r1) / 2.
      expect(unionOf(even, workers).length).toBe(780);
      // The first second holds 1.2 arrivals of the ramp, not one per worker.
      expect(unionOf(even, workers).filter(({ intendedNs }) => intendedNs < 1e9).length).toBe(1);
      const random = basisOf(phasesOf([poisson([0, 1], [60, 25]), 60]), { laneCount: 256 });
      const instants = instantsOf(unionOf(random, workers));
      expect(Math.abs(instants.length - 780)).toBeLessThan(4 * Math.sqrt(780));
      // Given the curve, L(t) / L(T) is uniform: the shape holds, not just the total.
      const shares = instants.map((ns) => (ns / 1e9 + (0.4 * (ns / 1e9) ** 2) / 2) / 780);
      expect(scaledKolmogorovSmirnov(shares)).toBeLessThan(ksLimit);
    },
  );

  it.each([
    [0.1, 600, 60],
    [1, 60, 60],
    [0.001, 100_000, 100],
  ])('R009 %d per second over 7 workers for %d s is %d arrivals', (rate, seconds, expected) => {
    const even = basisOf(phasesOf([{ kind: 'even', knots: knotsOf([0, rate], [seconds, rate]) }, seconds]));
    expect(unionOf(even, 7).length).toBe(expected);
    const random = basisOf(phasesOf([poisson([0, rate], [seconds, rate]), seconds]), { laneCount: 4096 });
    const n = unionOf(random, 7).length;
    expect(n).toBe(unionOf(random, 1).length);
    expect(Math.abs(n - expected)).toBeLessThan(4 * Math.sqrt(expected));
  });
});

describe('R012', () => {
  it('R012 instants are in ns: at 5000 per second the parts of a millisecond are uniform', () => {
    const instants = instantsOf(unionOf(basisOf(phasesOf([poisson([0, 5000], [4, 5000]), 4]), { laneCount: 256 })));
    expect(scaledKolmogorovSmirnov(instants.map((ns) => (ns % 1e6) / 1e6))).toBeLessThan(ksLimit);
    expect(new Set(instants).size).toBeGreaterThan(instants.length - 5);
  });

  it('R012 evenly spaced arrivals above 1000 per second are spaced, not clumped', () => {
    const basis = basisOf(phasesOf([{ kind: 'even', knots: knotsOf([0, 4000], [1, 4000]) }, 1]));
    // Each instant is rounded down to its ns.
    for (const gap of gapsOf(instantsOf(unionOf(basis, 3)))) expect(Math.abs(gap - 250_000)).toBeLessThanOrEqual(1);
  });
});

describe('R013', () => {
  it.each([2 ** 31 - 2, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 5000])(
    'R013 a phase of %d ms spreads over its whole length',
    (durationMs) => {
      const seconds = durationMs / 1000;
      const laws = [
        poisson([0, 1e-4], [seconds, 1e-4]),
        { kind: 'even' as const, knots: knotsOf([0, 1e-4], [seconds, 1e-4]) },
      ];
      const phases = phasesOf(...laws.map((law) => [law, seconds] as const));
      const union = unionOf(basisOf(phases, { laneCount: 16 }), 3);
      for (const [phase, { startNs, durationNs }] of phases.entries()) {
        expect(durationNs).toBe(durationMs * 1e6);
        const shares = union
          .filter((each) => each.phase === phase)
          .map((each) => (each.intendedNs - startNs) / durationNs);
        expect(Math.abs(shares.length - seconds * 1e-4)).toBeLessThan(4 * Math.sqrt(seconds * 1e-4) + 1);
        expect(scaledKolmogorovSmirnov(shares)).toBeLessThan(ksLimit);
      }
    },
  );

  it('R013 a run of 104 days keeps integer ns to its end', () => {
    const durationNs = 2 ** 53 - 1;
    const seconds = durationNs / 1e9;
    const basis = basisOf([{ startNs: 0, durationNs, law: poisson([0, 1e-4], [seconds, 1e-4]) }]);
    const union = unionOf(basis, 2);
    expect(union.every(({ intendedNs }) => Number.isSafeInteger(intendedNs))).toBe(true);
    expect(union.at(-1)?.intendedNs).toBeGreaterThan(0.99 * durationNs);
  });
});

describe('R014', () => {
  it('R014 stages of 100, 200 ... 800 per second: every arrival belongs to the stage of its instant, and stages add up', () => {
    const stages = phasesOf(
      ...Array.from({ length: 8 }, (_, i) => [poisson([0, 100 * (i + 1)], [3, 100 * (i + 1)]), 3] as const),
    );
    const basis = basisOf(stages, { laneCount: 256 });
    const union = unionOf(basis, 3);
    expect(union.every(({ phase, intendedNs }) => phase === Math.floor(intendedNs / 3e9))).toBe(true);
    for (const [phase] of stages.entries()) {
      const n = union.filter((arrival) => arrival.phase === phase).length;
      expect(countArrivals(basis, { phase, lanes: allLanes(256) })).toBe(n);
      expect(Math.abs(n - 300 * (phase + 1))).toBeLessThan(4 * Math.sqrt(300 * (phase + 1)));
    }
  });
});
