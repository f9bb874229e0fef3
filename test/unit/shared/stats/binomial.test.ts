import { describe, expect, it } from 'vitest';
import { binomialCdf } from '../../../../shared/stats/binomial.ts';

describe('binomialCdf', () => {
  it('adds up the terms', () => {
    const n = 12;
    const p = 0.3;
    let term = (1 - p) ** n;
    let total = 0;
    for (let k = 0; k < n; k += 1) {
      total += term;
      expect(binomialCdf(k, n, p)).toBeCloseTo(total, 13);
      term *= ((n - k) / (k + 1)) * (p / (1 - p));
    }
  });

  it('is 0 below the range and 1 from its end on', () => {
    expect([binomialCdf(-1, 5, 0.2), binomialCdf(5, 5, 0.2), binomialCdf(9, 5, 0.2), binomialCdf(0, 0, 0.2)]).toEqual([
      0, 1, 1, 1,
    ]);
  });

  it('keeps its digits at 10^8 trials', () => {
    // Median of Bin(10^8, 0.01) with its mean an integer.
    expect(Math.abs(binomialCdf(1_000_000, 1e8, 0.01) - 0.5)).toBeLessThan(5e-4);
    expect(binomialCdf(1_003_000, 1e8, 0.01) - binomialCdf(997_000, 1e8, 0.01)).toBeCloseTo(0.99743, 4);
  });
});
