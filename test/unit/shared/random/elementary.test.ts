import { describe, expect, it } from 'vitest';
import { exponential, naturalLog } from '../../../../shared/random/elementary.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

const random = seededRandom(5);

/** Distance in units of the last place of `expected`. */
function ulps(actual: number, expected: number): number {
  return Math.abs(actual - expected) / (Math.abs(expected) * Number.EPSILON);
}

describe('naturalLog', () => {
  it('agrees with the library within a few units in the last place', () => {
    for (let i = 0; i < 20_000; i++) {
      const x = random.uniform() * 10 ** (random.below(40) - 20) + 2 ** -60;
      expect(ulps(naturalLog(x), Math.log(x)), `ln ${x}`).toBeLessThan(4);
    }
  });

  it('keeps its relative accuracy next to 1', () => {
    for (const x of [1 + 1e-10, 1 - 1e-10, 1 + Number.EPSILON, 1 - Number.EPSILON / 2]) {
      expect(ulps(naturalLog(x), Math.log(x)), `ln ${x}`).toBeLessThan(4);
    }
    expect(naturalLog(1)).toBe(0);
  });
});

describe('exponential', () => {
  it('agrees with the library within a few units in the last place', () => {
    for (let i = 0; i < 20_000; i++) {
      const x = (random.uniform() - 0.5) * 1400;
      expect(ulps(exponential(x), Math.exp(x)), `exp ${x}`).toBeLessThan(4);
    }
  });

  it('ends at 0 and Infinity', () => {
    expect(exponential(0)).toBe(1);
    expect(exponential(-1e9)).toBe(0);
    expect(exponential(-Infinity)).toBe(0);
    expect(exponential(1000)).toBe(Infinity);
  });
});
