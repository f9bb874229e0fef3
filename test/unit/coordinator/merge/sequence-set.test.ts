import { describe, expect, it } from 'vitest';
import { AHEAD_MAX, SequenceSet } from '../../../../coordinator/merge/sequence-set.ts';

describe('SequenceSet', () => {
  it('moves the high-water mark over a gap once it is filled', () => {
    const taken = new SequenceSet();
    for (const sequence of [1, 2, 5, 4]) taken.add(sequence);
    expect(taken.highWater).toBe(2);
    expect(taken.missing(10)).toEqual([3]);
    expect([1, 2, 3, 4, 5, 6].map((sequence) => taken.has(sequence))).toEqual([true, true, false, true, true, false]);
    taken.add(3);
    expect(taken.highWater).toBe(5);
    expect(taken.missing(10)).toEqual([]);
  });

  it('names no more missing numbers than asked, however high a number came', () => {
    const taken = new SequenceSet();
    taken.add(2 ** 50);
    expect(taken.missing(3)).toEqual([1, 2, 3]);
  });

  it('remembers a bounded number above a gap, and still takes the next one', () => {
    const taken = new SequenceSet();
    for (let ahead = 0; ahead < AHEAD_MAX; ahead += 1) taken.add(10 + ahead);
    expect(taken.isTooFarAhead(5000)).toBe(true);
    expect(taken.isTooFarAhead(1)).toBe(false);
  });
});
