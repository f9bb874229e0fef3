import { describe, expect, it } from 'vitest';
import { type ArrivalStream, createArrival } from '../../../../shared/schedule/arrival-stream.ts';
import { compareArrivals, mergeStreams } from '../../../../shared/schedule/merged-stream.ts';
import { drain } from '../../../support/schedule-of.ts';

/** A stream of arrivals (instant, lane) with so many pieces of work ahead. */
function listStream(list: readonly (readonly [number, number])[], pieces = 0): ArrivalStream {
  let at = 0;
  let left = pieces;
  return {
    peekNs: () => list[at]?.[0] ?? Infinity,
    next: (into) => {
      const item = list[at];
      if (item === undefined) return false;
      at++;
      Object.assign(into, createArrival(), { intendedNs: item[0], lane: item[1] });
      return true;
    },
    workAhead: () => left-- > 0,
  };
}

describe('mergeStreams', () => {
  it('is the union in order, ties by lane', () => {
    const merged = mergeStreams([
      listStream([
        [1, 5],
        [3, 5],
        [3, 6],
      ]),
      listStream([]),
      listStream([
        [2, 1],
        [3, 1],
        [9, 1],
      ]),
    ]);
    expect(merged.peekNs()).toBe(1);
    expect(drain(merged).map((arrival) => [arrival.intendedNs, arrival.lane])).toEqual([
      [1, 5],
      [2, 1],
      [3, 1],
      [3, 5],
      [3, 6],
      [9, 1],
    ]);
    expect(merged.peekNs()).toBe(Infinity);
    expect(merged.next(createArrival())).toBe(false);
  });

  it('of none is empty, of one is that one', () => {
    expect(mergeStreams([]).peekNs()).toBe(Infinity);
    const only = listStream([[1, 1]]);
    expect(mergeStreams([only])).toBe(only);
  });

  it('works ahead for all its streams', () => {
    const merged = mergeStreams([listStream([], 2), listStream([], 3)]);
    let pieces = 0;
    while (merged.workAhead()) pieces++;
    expect(pieces).toBe(5);
  });
});

describe('compareArrivals', () => {
  it('goes by instant, then identity', () => {
    const arrival = { ...createArrival(), intendedNs: 5, lane: 2, block: 3, rank: 4 };
    expect(compareArrivals(arrival, { ...arrival })).toBe(0);
    expect(compareArrivals(arrival, { ...arrival, intendedNs: 6, lane: 0 })).toBeLessThan(0);
    expect(compareArrivals(arrival, { ...arrival, lane: 1, block: 9 })).toBeGreaterThan(0);
    expect(compareArrivals(arrival, { ...arrival, block: 4, rank: 0 })).toBeLessThan(0);
    expect(compareArrivals(arrival, { ...arrival, rank: 3 })).toBeGreaterThan(0);
    expect(compareArrivals(arrival, { ...arrival, index: 1, lane: 0 })).toBeLessThan(0);
  });
});
