import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../../shared/fleet-error.ts';
import {
  ANDERSON_DARLING_ESTIMATED,
  ANDERSON_DARLING_KNOWN,
  andersonDarling,
  andersonDarlingAdjusted,
  conditionalUniforms,
  KOLMOGOROV_ESTIMATED,
  KOLMOGOROV_KNOWN,
  kolmogorovAdjusted,
  kolmogorovExponential,
  kolmogorovUniform,
} from '../../../support/stats/exponential-fit.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

const gaps = [0.02, 0.11, 0.19, 0.35, 0.52, 0.74, 0.98, 1.37, 1.95, 3.01];
const meanOf = (values: ArrayLike<number>): number => Array.from(values).reduce((a, b) => a + b, 0) / values.length;

describe('ten gaps (M§3.3)', () => {
  it('A^2 with the rate known, and estimated', () => {
    expect(meanOf(gaps)).toBeCloseTo(0.924, 12);
    expect(andersonDarling(gaps, 1)).toBeCloseTo(0.1956520506, 10);
    const estimated = andersonDarling(gaps, meanOf(gaps));
    expect(estimated).toBeCloseTo(0.1639547861, 10);
    expect(andersonDarlingAdjusted(estimated, 10)).toBeCloseTo(0.1737920732, 10);
  });

  it('D with the rate known', () => {
    expect(kolmogorovExponential(gaps, 1)).toBeCloseTo(0.1269591339, 10);
  });

  it('in any order and unit', () => {
    const shuffled = [...gaps].reverse().map((gap) => gap * 1e9);
    expect(andersonDarling(shuffled, 1e9)).toBeCloseTo(0.1956520506, 10);
  });
});

describe('conditionalUniforms', () => {
  it('of a ramp from 100/s to 700/s in 60 s (M§3.3)', () => {
    const mass = (t: number): number => 100 * t + 5 * t * t;
    const uniforms = conditionalUniforms([5, 12, 20, 27, 33, 38, 44, 49, 53, 58], mass, 60);
    expect(Array.from(uniforms, (u) => Number(u.toFixed(5)))).toEqual([
      0.02604, 0.08, 0.16667, 0.26438, 0.36438, 0.45917, 0.58667, 0.70437, 0.80604, 0.9425,
    ]);
    expect(kolmogorovUniform(uniforms)).toBeCloseTo(0.1408333, 7);
  });
});

describe('critical values', () => {
  const count = 100;
  const trials = 4000;
  const random = seededRandom(21);
  const draws = Array.from({ length: trials }, () => Float64Array.from({ length: count }, () => random.exponential(1)));
  const shareAbove = (statistics: readonly number[], limit: number): number =>
    statistics.filter((statistic) => statistic > limit).length / trials;

  it.each([
    ['A^2, rate known', (g: Float64Array) => andersonDarling(g, 1), ANDERSON_DARLING_KNOWN],
    [
      'A*, rate estimated',
      (g: Float64Array) => andersonDarlingAdjusted(andersonDarling(g, meanOf(g)), count),
      ANDERSON_DARLING_ESTIMATED,
    ],
    ['sqrt(n) D, rate known', (g: Float64Array) => kolmogorovExponential(g, 1) * Math.sqrt(count), KOLMOGOROV_KNOWN],
    [
      'D*, rate estimated',
      (g: Float64Array) => kolmogorovAdjusted(kolmogorovExponential(g, meanOf(g)), count),
      KOLMOGOROV_ESTIMATED,
    ],
  ])('%s: rejects exponential gaps as often as the level says', (_name, statisticOf, points) => {
    const statistics = draws.map(statisticOf);
    for (const [level, point] of Object.entries(points)) {
      const expected = Number(level);
      const noise = 4 * Math.sqrt((expected * (1 - expected)) / trials);
      // D is a little smaller at n = 100 than in the limit that the known-law points are for.
      expect(Math.abs(shareAbove(statistics, point) - expected)).toBeLessThan(noise + 0.2 * expected);
    }
  });

  it('rejects evenly spaced and tick-bound gaps', () => {
    const even = Array.from({ length: 1000 }, () => 1);
    expect(andersonDarlingAdjusted(andersonDarling(even, 1), 1000)).toBeGreaterThan(100);
    const ticks = Array.from({ length: 1000 }, () => Math.floor(random.exponential(1)));
    const statistic = andersonDarling(ticks, meanOf(ticks));
    expect(Number.isFinite(statistic)).toBe(true);
    expect(statistic).toBeGreaterThan(100);
  });
});

describe('bad input', () => {
  it('is refused', () => {
    expect(() => andersonDarling([], 1)).toThrow(InvariantError);
    expect(() => kolmogorovExponential([1], 0)).toThrow(InvariantError);
    expect(() => kolmogorovUniform([])).toThrow(InvariantError);
  });
});
