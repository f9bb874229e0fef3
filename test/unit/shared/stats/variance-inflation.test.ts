import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../../shared/fleet-error.ts';
import { inflationRule, mm1MeanWaitInflation, quantileTolerance } from '../../../../shared/stats/variance-inflation.ts';

describe('variance inflation (M§4.3)', () => {
  it.each([
    [0.5, 9.67],
    [0.7, 33.2],
    [0.8, 82.3],
    [0.9, 362.6],
    [0.95, 1522.8],
  ])('of the mean wait in M/M/1 at %d is %d', (utilisation, expected) => {
    expect(Math.abs(mm1MeanWaitInflation(utilisation) / expected - 1)).toBeLessThan(2e-3);
  });

  it('leaves about 750 independent queries of 270,336 at utilisation 0.9', () => {
    expect(270_336 / mm1MeanWaitInflation(0.9)).toBeGreaterThan(740);
    expect(270_336 / 357).toBeCloseTo(757, 0);
  });

  it('follows the rule of thumb from 0.8 on', () => {
    for (const [r, simulated] of [
      [0.8, 70],
      [0.9, 357],
      [0.95, 1294],
    ] as const) {
      expect(Math.abs(inflationRule(r, 'exponential') / simulated - 1)).toBeLessThan(0.35);
      expect(inflationRule(r, 'constant')).toBe(inflationRule(r, 'exponential') / 2);
    }
  });

  it.each([0, 1, NaN])('refuses utilisation %d', (utilisation) => {
    expect(() => mm1MeanWaitInflation(utilisation)).toThrow(InvariantError);
    expect(() => inflationRule(utilisation, 'constant')).toThrow(InvariantError);
  });
});

describe('quantileTolerance', () => {
  it.each([
    // samples, simulated inflation of the exceedance of p99 at 0.5, 0.8, 0.9, then the printed percentage (M§4.3, M§6.3)
    [1e6, 8.8, 1.9],
    [1e6, 70, 5.4],
    [1e6, 357, 12],
    [1e5, 8.8, 6.1],
  ])('p99 of %d samples with inflation %d: %d percent', (count, inflation, percent) => {
    expect(Math.abs(100 * quantileTolerance(0.99, count, inflation) - percent)).toBeLessThan(0.03 * percent);
  });
});
