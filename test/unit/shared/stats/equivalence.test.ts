import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../../shared/fleet-error.ts';
import { compareBlocks } from '../../../../shared/stats/equivalence.ts';

const first = [101.2, 98.7, 103.4, 99.9, 100.8, 97.6, 102.1, 100.3, 99.1, 101.9];
const second = [102.0, 99.5, 101.1, 103.2, 100.4, 98.9, 101.7, 102.8, 99.9, 100.6];

describe('compareBlocks', () => {
  it('finds the two lists of M§9.3 equivalent within 5 %', () => {
    const result = compareBlocks(first, second, 0.05, 0.05)!;
    expect(result.kind).toBe('equivalent');
    expect(result.ratio).toBeCloseTo(1.005123, 6);
    expect(result.degrees).toBeCloseTo(17.198, 3);
    expect(result.low).toBeCloseTo(0.992862, 6);
    expect(result.high).toBeCloseTo(1.017536, 6);
  });

  it('leaves it open when the spread is too large to tell: no difference found is not equivalence', () => {
    const noisy = [60, 140, 80, 120, 100];
    expect(compareBlocks(noisy, noisy, 0.05, 0.05)?.kind).toBe('open');
  });

  it('says different when the interval is outside the margin', () => {
    const slower = first.map((value) => value * 1.2);
    expect(compareBlocks(first, slower, 0.05, 0.05)).toMatchObject({ kind: 'different' });
    expect(compareBlocks(slower, first, 0.05, 0.05)).toMatchObject({ kind: 'different' });
  });

  it('is symmetric: exchanging the sides inverts the ratio', () => {
    const there = compareBlocks(first, second, 0.05, 0.05)!;
    const back = compareBlocks(second, first, 0.05, 0.05)!;
    expect(there.ratio * back.ratio).toBeCloseTo(1, 12);
    expect(there.low * back.high).toBeCloseTo(1, 12);
  });

  it('takes constant blocks', () => {
    expect(compareBlocks([5, 5, 5], [5, 5, 5], 0.05, 0.05)).toMatchObject({ kind: 'equivalent', low: 1, high: 1 });
    expect(compareBlocks([5, 5, 5], [6, 6, 6], 0.05, 0.05)?.kind).toBe('different');
  });

  it('has no answer below two blocks, and refuses values without a logarithm', () => {
    expect(compareBlocks([5], second, 0.05, 0.05)).toBeNull();
    expect(() => compareBlocks([5, 0], second, 0.05, 0.05)).toThrow(InvariantError);
    expect(() => compareBlocks(first, second, 0, 0.05)).toThrow(InvariantError);
    expect(() => compareBlocks(first, second, 0.05, 0.5)).toThrow(InvariantError);
  });
});
