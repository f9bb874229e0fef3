import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../../shared/fleet-error.ts';
import { incompleteBeta } from '../../../../shared/stats/incomplete-beta.ts';

describe('incompleteBeta', () => {
  it.each([
    // Reference values: SciPy 1.17 betainc.
    [0.5, 2, 3, 0.6875],
    [0.01, 1, 100, 0.6339676587267709],
    [0.99, 459, 1, 0.99 ** 459],
    [0.1, 0.5, 0.5, 0.20483276469913345],
    [0.9, 0.5, 2, 0.9961174629530396],
    [0.25, 10_000, 30_000, 0.5007677677977395],
    [0.999, 999_000, 1001, 0.508409368220665],
    [0.01, 1_000_000, 99_000_000, 0.500130977679685],
  ])('I_%d(%d, %d)', (x, a, b, expected) => {
    expect(Math.abs(incompleteBeta(x, a, b) / expected - 1)).toBeLessThan(1e-12);
  });

  it('has closed forms: x^a for b = 1, and 1 - (1 - x)^b for a = 1', () => {
    for (const x of [0, 1e-9, 0.2, 0.7, 0.999, 1]) {
      for (const n of [0.3, 1, 7, 500]) {
        expect(incompleteBeta(x, n, 1)).toBeCloseTo(x ** n, 13);
        expect(incompleteBeta(x, 1, n)).toBeCloseTo(1 - (1 - x) ** n, 13);
      }
    }
  });

  it('is symmetric: I_x(a, b) = 1 - I_{1 - x}(b, a)', () => {
    for (const x of [0.01, 0.3, 0.5, 0.9]) {
      for (const [a, b] of [
        [0.5, 4],
        [3, 3],
        [40, 1000],
      ] as const) {
        expect(incompleteBeta(x, a, b)).toBeCloseTo(1 - incompleteBeta(1 - x, b, a), 12);
      }
    }
  });

  it.each([
    [-0.1, 1, 1],
    [1.1, 1, 1],
    [NaN, 1, 1],
    [0.5, 0, 1],
    [0.5, 1, -1],
  ])('refuses I_%d(%d, %d)', (x, a, b) => {
    expect(() => incompleteBeta(x, a, b)).toThrow(InvariantError);
  });
});
