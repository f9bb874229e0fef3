import { describe, expect, it } from 'vitest';
import { mlperfRule, overBoundAllowed } from '../../../../shared/stats/early-stopping.ts';
import { mmcResponseQuantile } from '../../../../shared/stats/queue-theory.ts';
import { simulateQueue } from '../../../../shared/stats/queue-simulation.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

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
