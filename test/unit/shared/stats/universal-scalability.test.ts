import { describe, expect, it } from 'vitest';
import { bestLoad, throughputAt } from '../../../../shared/stats/universal-scalability.ts';

describe('the universal scalability law (M§6.2)', () => {
  const law = { ratePerSecond: 1000, contention: 0.02, coherence: 0.0005 };

  it.each([
    [1, 1000],
    [2, 1958.864],
    [4, 3752.345],
    [8, 6849.315],
    [16, 11_267.606],
    [32, 15_122.873],
    [64, 14_967.259],
  ])('%d loads: %d/s', (loads, expected) => {
    expect(throughputAt(law, loads)).toBeCloseTo(expected, 3);
  });

  it('is best at 44.272 loads with 15,680.89/s', () => {
    const best = bestLoad(law)!;
    expect(best).toBeCloseTo(44.272, 3);
    expect(throughputAt(law, best)).toBeCloseTo(15_680.89, 2);
  });

  it('has no best load without coherence cost', () => {
    expect(bestLoad({ ...law, coherence: 0 })).toBeNull();
  });
});
