/** Goodness of fit of the generator, over many fixed seeds: the statistics must have the spread that theory gives them (M§1.3, M§3.2). */
import { describe, expect, it } from 'vitest';
import type { ArrivalLaw } from '../../../shared/schedule/arrival-law.ts';
import { compileRateCurve } from '../../../shared/schedule/rate-curve.ts';
import { rampRate, sineRate } from '../../../shared/schedule/rate-shapes.ts';
import { basisOf, instantsOf, knotsOf, phasesOf, poisson, shareOf, unionOf } from '../../support/schedule-of.ts';
import { binCounts, equalCountsPValue, gapsOf, scaledKolmogorovSmirnov, scvOf } from '../../support/uniformity.ts';

const seeds = Array.from({ length: 60 }, (_, i) => ({ lo: 1000 + i, hi: i }));
const seconds = 4;
const ratePerSecond = 1000;
const knots = knotsOf([0, ratePerSecond], [seconds, ratePerSecond]);

/** P(Kolmogorov's statistic is this large or larger), for large n. */
function kolmogorovPValue(scaled: number): number {
  let sum = 0;
  for (let k = 1; k <= 100; k++) sum += 2 * (-1) ** (k - 1) * Math.exp(-2 * k * k * scaled * scaled);
  return Math.min(1, Math.max(0, sum));
}

/** Instants of a whole phase, or of one of four workers at four times the rate. */
function instantsBySeed(law: ArrivalLaw): number[][] {
  return seeds.map((seed) => instantsOf(unionOf(basisOf(phasesOf([law, seconds]), { seed, laneCount: 256 }))));
}

const shares = seeds.map((seed) => {
  const fast = poisson([0, 4 * ratePerSecond], [seconds, 4 * ratePerSecond]);
  return instantsOf(shareOf(basisOf(phasesOf([fast, seconds]), { seed, laneCount: 256 }), 4, 3));
});

describe.each([
  ['lanes', instantsBySeed({ kind: 'poisson', knots })],
  ['exact-N', instantsBySeed({ kind: 'poisson-count', knots, count: ratePerSecond * seconds })],
  ['one of four workers', shares],
])('Poisson arrivals by %s', (name, lists) => {
  it('have the right law: the p-values over seeds are uniform', () => {
    const pValues = lists.map((instants) => {
      // Given their number, instants are uniform; with a known rate, gaps are exponential.
      const uniforms =
        name === 'exact-N'
          ? instants.map((ns) => ns / 1e9 / seconds)
          : gapsOf(instants).map((gap) => 1 - Math.exp((-ratePerSecond * gap) / 1e9));
      return kolmogorovPValue(scaledKolmogorovSmirnov(uniforms));
    });
    expect(scaledKolmogorovSmirnov(pValues)).toBeLessThan(1.95);
  });

  it('have gaps of SCV 1, with the spread of an exponential sample', () => {
    // Var(SCV) = 4 / n for exponential gaps: kurtosis 9.
    const scores = lists.map((instants) => (scvOf(gapsOf(instants)) - 1) / Math.sqrt(4 / instants.length));
    const mean = scores.reduce((sum, z) => sum + z, 0) / scores.length;
    const spread = Math.sqrt(scores.reduce((sum, z) => sum + (z - mean) ** 2, 0) / (scores.length - 1));
    expect(Math.abs(mean)).toBeLessThan(4 / Math.sqrt(scores.length));
    expect(spread).toBeGreaterThan(0.6);
    expect(spread).toBeLessThan(1.5);
  });

  it('have Poisson counts at 1, 10 and 100 ms: the Fano ratio is 1', () => {
    for (const windowSeconds of [0.001, 0.01, 0.1]) {
      const windows = Math.round(seconds / windowSeconds);
      const ratios = lists.map((instants) => {
        const counts = binCounts(
          instants.map((ns) => ns / 1e9 / seconds),
          windows,
        );
        const mean = instants.length / windows;
        return counts.reduce((sum, n) => sum + (n - mean) ** 2, 0) / (windows - 1) / mean;
      });
      const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
      // SE(F) = sqrt(2 / (k - 1)) per list, over 60 lists.
      expect(Math.abs(mean - 1)).toBeLessThan(4 * Math.sqrt(2 / (windows - 1) / lists.length));
    }
  });
});

describe('a rate curve', () => {
  it.each([
    ['a ramp from 0', rampRate(0, 2000, seconds)],
    ['a ramp to 0', rampRate(2000, 0, seconds)],
    ['a sine', sineRate({ meanRatePerSecond: 1000, amplitude: 1, periodSeconds: 1 }, seconds)],
    ['a spike', knotsOf([0, 100], [2, 100], [2, 9000], [2.3, 9000], [2.3, 100], [4, 100])],
  ])('is followed in %s: L(t) / L(T) is uniform', (_, shape) => {
    const curve = compileRateCurve(shape, seconds * 1e9);
    const instants = seeds
      .slice(0, 10)
      .map((seed) => instantsOf(unionOf(basisOf(phasesOf([{ kind: 'poisson', knots: shape }, seconds]), { seed }))));
    const masses = instants.flat().map((ns) => curve.massAt(ns / 1e9) / curve.totalMass);
    expect(scaledKolmogorovSmirnov(masses)).toBeLessThan(1.95);
    expect(equalCountsPValue(binCounts(masses, 100))).toBeGreaterThan(0.001);
  });
});
