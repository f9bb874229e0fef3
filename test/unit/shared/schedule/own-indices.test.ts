import { describe, expect, it } from 'vitest';
import { dealLanes } from '../../../../shared/schedule/deal.ts';
import { OwnIndices } from '../../../../shared/schedule/own-indices.ts';

describe('OwnIndices', () => {
  it.each([
    [16, 3, 1],
    [16, 1, 0],
    [8, 8, 7],
    [1, 1, 0],
  ])('numbers the indices of %d lanes, slot %#', (laneCount, workerSlots, slot) => {
    const lanes = dealLanes(laneCount, workerSlots, slot);
    const own = new OwnIndices(lanes, laneCount);
    const listed = Array.from({ length: 200 }, (_, i) => i).filter((i) => lanes.includes(i % laneCount));
    expect(listed.map((_, ordinal) => own.at(ordinal))).toEqual(listed);
    for (let index = 0; index <= 200; index++) {
      expect(own.countBelow(index)).toBe(listed.filter((i) => i < index).length);
    }
  });

  it('is exact for indices far above 2^32', () => {
    const own = new OwnIndices(Int32Array.of(1, 5), 8);
    const index = own.at(2 ** 40 + 1);
    expect(index).toBe(2 ** 39 * 8 + 5);
    expect(own.countBelow(index)).toBe(2 ** 40 + 1);
  });

  it('of no lanes is empty', () => {
    expect(new OwnIndices(Int32Array.of(), 16).countBelow(1e9)).toBe(0);
  });
});
