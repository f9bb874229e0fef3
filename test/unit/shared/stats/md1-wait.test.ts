import { describe, expect, it } from 'vitest';
import { createMd1WaitLaw } from '../../../../shared/stats/md1-wait.ts';

/** Erlang's alternating series; good for short waits only, where it loses no digits yet. */
function erlangSeries(utilisation: number, x: number): number {
  let total = 0;
  let factorial = 1;
  for (let k = 0; k <= Math.floor(x); k += 1) {
    if (k > 0) factorial *= k;
    const span = utilisation * (k - x);
    total += (span ** k / factorial) * Math.exp(-span);
  }
  return (1 - utilisation) * total;
}

describe('the wait in M/D/1', () => {
  it('is 0 with probability 1 - utilisation', () => {
    for (const utilisation of [0.1, 0.5, 0.9]) {
      const law = createMd1WaitLaw(utilisation);
      expect(law.cdf(0)).toBeCloseTo(1 - utilisation, 14);
      expect(law.cdf(-0.1)).toBe(0);
      expect(law.quantile(1 - utilisation)).toBe(0);
    }
  });

  it("agrees with Erlang's series while that can be summed in doubles", () => {
    for (const utilisation of [0.3, 0.5, 0.8, 0.95]) {
      const law = createMd1WaitLaw(utilisation);
      for (let x = 0; x <= 9; x += 0.37) expect(law.cdf(x)).toBeCloseTo(erlangSeries(utilisation, x), 11);
    }
  });

  it('has the mean of Pollaczek and Khinchine', () => {
    const utilisation = 0.8;
    const law = createMd1WaitLaw(utilisation);
    const step = 0.002;
    let mean = 0;
    for (let x = step / 2; x < 60; x += step) mean += (1 - law.cdf(x)) * step;
    expect(mean).toBeCloseTo(utilisation / (2 * (1 - utilisation)), 5);
  });

  it('decays as its asymptote: rate eta with utilisation (e^eta - 1) = eta', () => {
    const utilisation = 0.9;
    let eta = 0.2;
    for (let i = 0; i < 200; i += 1) eta = Math.log1p(eta / utilisation);
    const law = createMd1WaitLaw(utilisation);
    const ratio = (1 - law.cdf(41)) / (1 - law.cdf(40));
    expect(ratio).toBeCloseTo(Math.exp(-eta), 8);
  });

  it('inverts itself and reaches far into the tail', () => {
    const law = createMd1WaitLaw(0.99);
    for (const probability of [0.2, 0.5, 0.9, 0.9999]) {
      expect(law.cdf(law.quantile(probability))).toBeCloseTo(probability, 12);
    }
  });
});
