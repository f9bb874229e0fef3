import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../../shared/fleet-error.ts';
import { solveRising, solveRisingFromZero } from '../../../../shared/stats/bisection.ts';

describe('solveRising', () => {
  it('finds the root to the last bits', () => {
    expect(solveRising((x) => x * x, 2, 0, 2)).toBeCloseTo(Math.SQRT2, 15);
  });

  it('finds the place of a jump', () => {
    const step = (x: number): number => (x >= 0.3 ? 1 : 0);
    expect(solveRising(step, 0.5, 0, 1)).toBe(0.3);
  });

  it('answers the lower end where the target is reached already', () => {
    expect(solveRising((x) => x, -1, 0, 1)).toBe(0);
  });
});

describe('solveRisingFromZero', () => {
  it('looks as far as it must', () => {
    expect(solveRisingFromZero((x) => x, 12_345.678, 1)).toBeCloseTo(12_345.678, 9);
  });

  it('refuses a target that is never reached', () => {
    expect(() => solveRisingFromZero((x) => -Math.exp(-x), 1, 1)).toThrow(InvariantError);
  });
});
