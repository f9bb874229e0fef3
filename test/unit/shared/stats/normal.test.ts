import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../../shared/fleet-error.ts';
import { normalCdf, normalQuantile } from '../../../../shared/stats/normal.ts';

describe('the normal distribution', () => {
  it('has the z of MLPerf at 99 % (M§4.2)', () => {
    expect(normalQuantile(0.995)).toBeCloseTo(2.5758293035489, 12);
    expect(normalQuantile(0.975)).toBeCloseTo(1.9599639845401, 12);
    expect(normalQuantile(0.5)).toBe(0);
  });

  it('is symmetric and inverts itself', () => {
    for (const z of [-4, -1.3, -1e-4, 0, 0.7, 3]) {
      expect(normalCdf(z) + normalCdf(-z)).toBeCloseTo(1, 14);
      expect(normalQuantile(normalCdf(z))).toBeCloseTo(z, 11);
    }
  });

  it.each([0, 1, -1, NaN])('refuses the probability %d', (probability) => {
    expect(() => normalQuantile(probability)).toThrow(InvariantError);
  });
});
