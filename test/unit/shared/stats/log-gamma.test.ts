import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../../shared/fleet-error.ts';
import { logGamma, stirlingRemainder } from '../../../../shared/stats/log-gamma.ts';

describe('logGamma', () => {
  it.each([
    [0.5, Math.log(Math.sqrt(Math.PI))],
    [1, 0],
    [2, 0],
    [5, Math.log(24)],
    [11, Math.log(3_628_800)],
    [0.1, 2.252712651734206],
    [100, 359.1342053695754],
    [1e6, 12_815_504.569147611],
  ])('ln Gamma(%d)', (x, expected) => {
    expect(Math.abs(logGamma(x) - expected)).toBeLessThan(2e-14 * Math.max(1, expected));
  });

  it('keeps the recurrence Gamma(x + 1) = x Gamma(x) where the series begins', () => {
    for (let x = 14; x < 18; x += 0.1) expect(logGamma(x + 1) - logGamma(x)).toBeCloseTo(Math.log(x), 12);
  });

  it('has a remainder of about 1 / (12 x)', () => {
    expect(stirlingRemainder(1e8) * 12e8).toBeCloseTo(1, 12);
    expect(stirlingRemainder(1)).toBeCloseTo(1 - Math.log(2 * Math.PI) / 2, 14);
  });

  it.each([0, -1, NaN])('refuses %d', (x) => {
    expect(() => logGamma(x)).toThrow(InvariantError);
  });
});
