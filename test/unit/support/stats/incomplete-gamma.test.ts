import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../../shared/fleet-error.ts';
import { lowerGamma, upperGamma } from '../../../support/stats/incomplete-gamma.ts';

describe('the incomplete gamma function', () => {
  it('is 1 - e^-x for a = 1', () => {
    for (const x of [1e-6, 0.3, 1, 5, 40]) {
      expect(lowerGamma(1, x)).toBeCloseTo(-Math.expm1(-x), 14);
      expect(upperGamma(1, x) / Math.exp(-x)).toBeCloseTo(1, 12);
    }
  });

  it('adds up to 1 on both sides of the change of method', () => {
    for (const a of [0.5, 3, 100, 20_000]) {
      for (const x of [a * 0.9, a, a + 1, a * 1.1]) {
        expect(lowerGamma(a, x) + upperGamma(a, x)).toBeCloseTo(1, 13);
      }
    }
  });

  it('is a Poisson tail for an integer a', () => {
    // P(Poisson(3) <= 4) = Q(5, 3).
    const poisson = Math.exp(-3) * (1 + 3 + 9 / 2 + 27 / 6 + 81 / 24);
    expect(upperGamma(5, 3)).toBeCloseTo(poisson, 14);
  });

  it('begins at 0, and refuses what has no meaning', () => {
    expect([lowerGamma(2, 0), upperGamma(2, 0)]).toEqual([0, 1]);
    expect(() => lowerGamma(0, 1)).toThrow(InvariantError);
    expect(() => upperGamma(1, -1)).toThrow(InvariantError);
    expect(() => lowerGamma(1, NaN)).toThrow(InvariantError);
  });
});
