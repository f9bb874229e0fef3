import { describe, expect, it } from 'vitest';
import { independentBlocks } from '../../../../shared/stats/blocks.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

const windows = (above: readonly number[]) => above.map((one) => ({ count: 100, above: one }));
const sum = (shares: readonly { count: number; above: number }[]) =>
  shares.reduce((all, one) => ({ count: all.count + one.count, above: all.above + one.above }));

describe('independentBlocks', () => {
  it('keeps few windows as they are and leaves out empty ones', () => {
    const shares = [...windows([1, 3, 2, 2, 1, 3]), { count: 0, above: 0 }];
    expect(independentBlocks(shares).shares).toEqual(shares.slice(0, 6));
  });

  it('makes at most 30 blocks of many windows and loses none', () => {
    const random = seededRandom(5);
    const shares = windows(Array.from({ length: 605 }, () => random.below(10)));
    const blocks = independentBlocks(shares);
    expect(blocks.shares.length).toBeLessThanOrEqual(30);
    expect(blocks.shares.length).toBeGreaterThanOrEqual(20);
    expect(blocks.dependent).toBe(false);
    expect(sum(blocks.shares)).toEqual(sum(shares));
  });

  it('puts dependent neighbours together: 24 windows in four long waves give half as many blocks', () => {
    const wave = [1, 4, 7, 8, 6, 2];
    const shares = windows([...wave, ...wave, ...wave, ...wave]);
    const blocks = independentBlocks(shares);
    expect(blocks.shares.length).toBe(12);
    expect(sum(blocks.shares)).toEqual(sum(shares));
  });

  it('says so where a trend is left when nothing can be put together any more', () => {
    const blocks = independentBlocks(windows(Array.from({ length: 20 }, (_, i) => i)));
    expect(blocks.dependent).toBe(true);
    expect(blocks.shares.length).toBeGreaterThanOrEqual(6);
  });

  it('has nothing to say about nothing', () => {
    expect(independentBlocks([])).toEqual({ shares: [], autocorrelation: null, dependent: false });
  });
});
