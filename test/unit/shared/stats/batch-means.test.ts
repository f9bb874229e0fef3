import { describe, expect, it } from 'vitest';
import { judgeViolationShares, meanInterval } from '../../../../shared/stats/batch-means.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

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

describe('judgeViolationShares', () => {
  const random = seededRandom(5);
  const around = (mean: number, spread: number): number[] =>
    Array.from({ length: 24 }, () => mean + spread * (random.uniform() - 0.5));

  it('accepts what is clearly below the limit, and not what is near or above', () => {
    expect(judgeViolationShares(around(0.005, 0.002), 0.01, 0.99).kind).toBe('accepted');
    expect(judgeViolationShares(around(0.0098, 0.008), 0.01, 0.99).kind).toBe('not-shown');
    expect(judgeViolationShares(around(0.03, 0.002), 0.01, 0.99).kind).toBe('not-shown');
  });

  it('is exactly mean + t s / sqrt(m)', () => {
    const judged = judgeViolationShares([0, 0.002, 0, 0.002, 0.001, 0.001, 0.002, 0], 0.01, 0.99);
    // t_{.99, 7} = 2.997951567, s = 0.000925820.
    expect(judged.kind === 'accepted' ? judged.upperBound : undefined).toBeCloseTo(0.001 + 0.000981306, 8);
  });

  it('accepts blocks without any violation', () => {
    expect(judgeViolationShares([0, 0, 0, 0, 0, 0], 0.01, 0.99)).toEqual({ kind: 'accepted', upperBound: 0 });
  });

  it('asks for longer blocks when neighbours depend on each other', () => {
    const wave = Array.from({ length: 24 }, (_, i) => 0.005 + 0.004 * Math.sin(i / 4));
    expect(judgeViolationShares(wave, 0.01, 0.99)).toMatchObject({ kind: 'blocks-too-short' });
  });

  it('asks for more blocks', () => {
    expect(judgeViolationShares([0, 0, 0, 0, 0], 0.01, 0.99)).toEqual({ kind: 'too-few-blocks', count: 5 });
  });
});
