import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../../shared/fleet-error.ts';
import { binnedUniformity, UNIFORMITY_BINS, uniformityBin } from '../../../support/stats/binned-uniformity.ts';
import { chiSquareQuantile } from '../../../support/stats/chi-square.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

describe('binnedUniformity', () => {
  it('passes uniform values and shows almost no effect', () => {
    const random = seededRandom(6);
    const counts = new Float64Array(UNIFORMITY_BINS);
    for (let i = 0; i < 100_000; i += 1) {
      const bin = uniformityBin(random.uniform());
      counts[bin] = (counts[bin] as number) + 1;
    }
    const judged = binnedUniformity(counts)!;
    expect(judged.statistic).toBeLessThan(chiSquareQuantile(0.999, 63));
    expect(judged.effect).toBeLessThan(0.02);
  });

  it('shows the same effect however many samples say it', () => {
    const skewed = Array.from({ length: UNIFORMITY_BINS }, (_, i) => (i % 2 === 0 ? 110 : 90));
    const small = binnedUniformity(skewed)!;
    const large = binnedUniformity(skewed.map((count) => count * 1000))!;
    expect(small.effect).toBeCloseTo(0.0125, 6);
    expect(large.effect).toBeCloseTo(0.1, 3);
  });

  it('has no value without samples, and refuses a single bin', () => {
    expect(binnedUniformity([0, 0, 0])).toBeNull();
    expect(() => binnedUniformity([5])).toThrow(InvariantError);
  });
});

describe('uniformityBin', () => {
  it('covers [0, 1) evenly and puts the rest into the nearest bin', () => {
    expect([0, 1 / 64, 0.999_999, 1, -0.1, 7].map(uniformityBin)).toEqual([0, 1, 63, 63, 0, 63]);
  });
});
