import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../../shared/fleet-error.ts';
import {
  fixedQueryCount,
  mlperfRule,
  overBoundAllowed,
  queriesNeeded,
} from '../../../../shared/stats/early-stopping.ts';
import { mmcResponseQuantile } from '../../../../shared/stats/queue-theory.ts';
import { simulateQueue } from '../../../../shared/stats/queue-simulation.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

const probabilities = [0.5, 0.9, 0.95, 0.97, 0.99, 0.999];

describe('queriesNeeded (M§4.2)', () => {
  it.each([
    [0, [7, 44, 90, 152, 459, 4603]],
    [1, [11, 64, 130, 219, 662, 6636]],
    [2, [14, 81, 165, 277, 838, 8403]],
    [10, [35, 197, 398, 667, 2010, 20_140]],
    [100, [237, 1246, 2504, 4182, 12_571, 125_826]],
    [1000, [2108, 10_722, 21_483, 35_831, 107_569, 1_076_032]],
  ])('with %d queries over the bound', (overBound, expected) => {
    expect(probabilities.map((p) => queriesNeeded(overBound, mlperfRule(p)))).toEqual(expected);
  });

  it('grows when a tolerance must be shown too, and with the confidence', () => {
    const rule = mlperfRule(0.99);
    expect(queriesNeeded(5, { ...rule, tolerance: 0.005 })).toBeLessThan(queriesNeeded(5, rule));
    expect(queriesNeeded(5, { ...rule, confidence: 0.999 })).toBeGreaterThan(queriesNeeded(5, rule));
  });

  it('works at 10,000 queries over the bound', () => {
    const needed = queriesNeeded(10_000, mlperfRule(0.99));
    expect(needed).toBeGreaterThan(1_000_000);
    expect(needed).toBeLessThan(1_030_000);
  });

  it.each([-1, 1.5, NaN])('refuses %d queries', (overBound) => {
    expect(() => queriesNeeded(overBound, mlperfRule(0.99))).toThrow(InvariantError);
  });
});

describe('overBoundAllowed (M§4.2)', () => {
  it.each([
    [0.99, 1000, 2],
    [0.99, 5000, 33],
    [0.99, 24_576, 209],
    [0.99, 100_000, 927],
    [0.99, 270_336, 2583],
    [0.99, 1_000_000, 9768],
    [0.9, 24_576, 2348],
    [0.999, 270_336, 232],
  ])('percentile %d of %d queries allows %d', (p, total, expected) => {
    expect(overBoundAllowed(total, mlperfRule(p))).toBe(expected);
  });

  it('says nothing below the least number of queries', () => {
    expect(overBoundAllowed(458, mlperfRule(0.99))).toBeNull();
    expect(overBoundAllowed(459, mlperfRule(0.99))).toBe(0);
  });
});

describe('early stopping behind a queue (M§4.3)', () => {
  it('passes far more than 1 % of the runs whose true violation share is exactly 1 %: its label is "iid"', () => {
    const total = 24_576;
    const allowed = overBoundAllowed(total, mlperfRule(0.99)) as number;
    const bound = mmcResponseQuantile(1, 0.5, 0.99);
    const random = seededRandom(17);
    const warmup = 500;
    const runs = 60;
    let passed = 0;
    for (let run = 0; run < runs; run += 1) {
      let now = 0;
      const arrivals = Float64Array.from({ length: warmup + total }, () => (now += random.exponential(2)));
      const services = Float64Array.from({ length: warmup + total }, () => random.exponential(1));
      const { responses } = simulateQueue({ arrivals, services, servers: 1 });
      const over = responses.subarray(warmup).reduce((sum, response) => sum + (response > bound ? 1 : 0), 0);
      if (over <= allowed) passed += 1;
    }
    // 21 % there, from many more runs; nominally at most 1 %.
    expect(passed).toBeGreaterThanOrEqual(6);
    expect(passed).toBeLessThanOrEqual(24);
  });
});

describe('fixedQueryCount (M§4.2)', () => {
  it.each([
    [0.5, 2654, 8192],
    [0.9, 23_886, 24_576],
    [0.95, 50_425, 57_344],
    [0.97, 85_811, 90_112],
    [0.99, 262_742, 270_336],
    [0.999, 2_651_305, 2_654_208],
  ])('percentile %d: %d before and %d after rounding up to a multiple of 2^13', (p, exact, rounded) => {
    const count = fixedQueryCount(p);
    expect(Math.round(count.exact)).toBe(exact);
    expect(count.rounded).toBe(rounded);
  });
});
