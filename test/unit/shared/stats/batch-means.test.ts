import { describe, expect, it } from 'vitest';
import { meanInterval } from '../../../../shared/stats/batch-means.ts';

describe('meanInterval', () => {
  it('of ten block means (M§4.3)', () => {
    const blocks = [101.2, 98.7, 103.4, 99.9, 100.8, 97.6, 102.1, 100.3, 99.1, 101.9];
    const interval = meanInterval(blocks, 0.95)!;
    expect(interval.mean).toBeCloseTo(100.5, 12);
    expect(interval.deviation).toBeCloseTo(1.7486502731, 9);
    expect(interval.halfWidth).toBeCloseTo(1.250909049, 9);
  });

  it('of five repeated runs (M§4.4)', () => {
    const interval = meanInterval([212, 219, 208, 241, 215], 0.95)!;
    expect(interval.mean).toBe(219);
    expect(interval.deviation).toBeCloseTo(12.942, 3);
    expect(interval.low).toBeCloseTo(202.93, 2);
    expect(interval.high).toBeCloseTo(235.07, 2);
  });

  it('has no value below two', () => {
    expect(meanInterval([], 0.95)).toBeNull();
    expect(meanInterval([5], 0.95)).toBeNull();
  });
});
