import { describe, expect, it } from 'vitest';
import { exceedanceZ } from '../../../../shared/stats/exceedance-test.ts';

describe('exceedanceZ', () => {
  const first = { count: 100_000, above: 1040 };
  const second = { count: 100_000, above: 960 };

  it('of 1040 against 960 in 100,000: 1.798 if independent, 0.402 at an inflation of 20 (M§9.3)', () => {
    expect(exceedanceZ(first, second, 1)).toBeCloseTo(1.798, 3);
    expect(exceedanceZ(first, second, 20)).toBeCloseTo(0.402, 3);
    expect(exceedanceZ(second, first, 1)).toBeCloseTo(-1.798, 3);
  });

  it('has no value without samples, or when none or all are above', () => {
    expect(exceedanceZ({ count: 0, above: 0 }, second, 1)).toBeNull();
    expect(exceedanceZ({ count: 5, above: 0 }, { count: 5, above: 0 }, 1)).toBeNull();
    expect(exceedanceZ({ count: 5, above: 5 }, { count: 5, above: 5 }, 1)).toBeNull();
  });
});
