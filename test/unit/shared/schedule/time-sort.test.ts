import { describe, expect, it } from 'vitest';
import { TimeSorter, createBatch } from '../../../../shared/schedule/time-sort.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

const random = seededRandom(11);

function sorted(ns: readonly number[], ids: readonly number[]): [number, number][] {
  const into = createBatch(0);
  // A margin before and behind shows that only the named range is read.
  const sourceNs = Float64Array.from([-5, ...ns, -7]);
  const sourceIds = Int32Array.from([1, ...ids, 2]);
  new TimeSorter().sort(sourceNs, sourceIds, 1, ns.length, into);
  expect([...sourceNs]).toEqual([-5, ...ns, -7]);
  return Array.from({ length: into.length }, (_, i) => [into.ns[i] as number, into.ids[i] as number]);
}

function expected(ns: readonly number[], ids: readonly number[]): [number, number][] {
  return ns
    .map((value, i): [number, number] => [value, ids[i] as number])
    .sort(([nsA, idA], [nsB, idB]) => nsA - nsB || idA - idB);
}

describe('TimeSorter', () => {
  it.each<[string, () => number]>([
    ['spread evenly', () => random.below(1e12)],
    ['all at one instant', () => 77],
    ['at few instants', () => random.below(4)],
    ['mostly in a corner', () => (random.uniform() < 0.9 ? random.below(100) : random.below(1e12))],
  ])('sorts arrivals %s', (_, draw) => {
    for (const n of [0, 1, 2, 3, 17, 600]) {
      const ns = Array.from({ length: n }, draw);
      const ids = Array.from({ length: n }, () => random.below(2 ** 30));
      expect(sorted(ns, ids)).toEqual(expected(ns, ids));
    }
  });

  it('is reused without leaving anything behind', () => {
    const sorter = new TimeSorter();
    const into = createBatch(2);
    sorter.sort(Float64Array.of(3, 1, 2), Int32Array.of(30, 10, 20), 0, 3, into);
    sorter.sort(Float64Array.of(9, 8), Int32Array.of(90, 80), 0, 2, into);
    expect(into.length).toBe(2);
    expect([...into.ids.subarray(0, 2)]).toEqual([80, 90]);
  });
});
