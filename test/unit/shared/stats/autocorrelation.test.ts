import { describe, expect, it } from 'vitest';
import { lagOneAutocorrelation } from '../../../../shared/stats/autocorrelation.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

describe('lagOneAutocorrelation', () => {
  it('of 1, 2, 3, 4, 5 is 0.4 (M§3.3)', () => {
    expect(lagOneAutocorrelation([1, 2, 3, 4, 5])).toBeCloseTo(0.4, 14);
  });

  it('is negative for alternating values', () => {
    expect(lagOneAutocorrelation([1, -1, 1, -1, 1, -1])).toBeCloseTo(-5 / 6, 14);
  });

  it('has no value for constants and for fewer than two', () => {
    expect([[], [3], [3, 3, 3]].map(lagOneAutocorrelation)).toEqual([null, null, null]);
  });

  it('stays below 2.576 / sqrt(n) for independent values', () => {
    const random = seededRandom(3);
    const values = Array.from({ length: 10_000 }, () => random.exponential(1));
    expect(Math.abs(lagOneAutocorrelation(values) as number)).toBeLessThan(2.576 / 100);
  });
});
