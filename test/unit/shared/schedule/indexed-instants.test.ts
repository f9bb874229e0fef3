import { describe, expect, it } from 'vitest';
import { type IndexedInstants, IndexedStream, firstIndexFrom } from '../../../../shared/schedule/indexed-instants.ts';
import { drain } from '../../../support/schedule-of.ts';

const squares: IndexedInstants = { count: 10, nsOf: (index) => index * index };

function stream(lanes: number[], fromNs = 0) {
  return new IndexedStream({
    instants: squares,
    laneCount: 4,
    lanes: Int32Array.from(lanes),
    phase: 2,
    startNs: 1000,
    fromNs,
  });
}

describe('firstIndexFrom', () => {
  it('finds the first instant at or after a time', () => {
    expect(firstIndexFrom(squares, -Infinity)).toBe(0);
    expect(firstIndexFrom(squares, 0)).toBe(0);
    expect(firstIndexFrom(squares, 1)).toBe(1);
    expect(firstIndexFrom(squares, 10)).toBe(4);
    expect(firstIndexFrom(squares, 81)).toBe(9);
    expect(firstIndexFrom(squares, 82)).toBe(10);
    expect(firstIndexFrom(squares, Infinity)).toBe(10);
  });

  it('finds the first of equal instants', () => {
    expect(firstIndexFrom({ count: 5, nsOf: () => 7 }, 7)).toBe(0);
  });
});

describe('IndexedStream', () => {
  it('walks the indices of its lanes and names them fully', () => {
    expect(drain(stream([1, 3]))).toEqual(
      [1, 3, 5, 7, 9].map((index) => ({
        phase: 2,
        intendedNs: 1000 + index * index,
        lane: index % 4,
        block: 0,
        rank: 0,
        index,
      })),
    );
  });

  it('starts at the first own arrival at or after fromNs', () => {
    expect(drain(stream([1, 3], 1000 + 25)).map((arrival) => arrival.index)).toEqual([5, 7, 9]);
    expect(drain(stream([1, 3], 1000 + 26)).map((arrival) => arrival.index)).toEqual([7, 9]);
    expect(drain(stream([1, 3], 5000))).toEqual([]);
  });

  it('peeks at Infinity and has no work once it is exhausted', () => {
    const all = stream([0]);
    expect(drain(all).length).toBe(3);
    expect(all.peekNs()).toBe(Infinity);
    expect(all.workAhead()).toBe(false);
  });
});
