import { describe, expect, it } from 'vitest';
import {
  allLanes,
  assertLaneCount,
  bitsetFromLanes,
  dealLanes,
  lanesOfSlot,
  laneCountMax,
  lanesFromBitset,
} from '../../../../shared/schedule/deal.ts';

describe('dealLanes', () => {
  it('gives slot k of W the lanes with lane mod W = k', () => {
    expect([...dealLanes(16, 3, 0)]).toEqual([0, 3, 6, 9, 12, 15]);
    expect([...dealLanes(16, 3, 1)]).toEqual([1, 4, 7, 10, 13]);
    expect([...dealLanes(16, 3, 2)]).toEqual([2, 5, 8, 11, 14]);
  });

  it.each([1, 2, 3, 4, 7, 100, 5000])('gives every lane to exactly one of %d slots', (workerSlots) => {
    const owners = new Uint8Array(4096);
    for (let slot = 0; slot < workerSlots; slot++) {
      for (const lane of dealLanes(4096, workerSlots, slot)) owners[lane] = (owners[lane] as number) + 1;
    }
    expect(owners.every((n) => n === 1)).toBe(true);
  });

  it('leaves a slot beyond the lanes empty', () => {
    expect(dealLanes(16, 100, 15).length).toBe(1);
    expect(dealLanes(16, 100, 16).length).toBe(0);
    expect(dealLanes(16, 100, 99).length).toBe(0);
  });
});

describe('lanesOfSlot', () => {
  it('is dealLanes without a probe', () => {
    const deal = { laneCount: 64, workerSlots: 3, probe: null };
    for (const slot of [0, 1, 2]) expect(lanesOfSlot(deal, slot)).toEqual(dealLanes(64, 3, slot));
  });

  it.each([
    [64, 3, { slot: 0, lanes: 1 }],
    [64, 3, { slot: 2, lanes: 5 }],
    [4096, 7, { slot: 3, lanes: 205 }],
    [16, 2, { slot: 1, lanes: 15 }],
    [2, 5, { slot: 4, lanes: 1 }],
  ])('of %i lanes and %i slots with probe %j every lane has one owner', (laneCount, workerSlots, probe) => {
    const shares = Array.from({ length: workerSlots }, (_, slot) => [
      ...lanesOfSlot({ laneCount, workerSlots, probe }, slot),
    ]);
    expect(shares.flat().sort((a, b) => a - b)).toEqual([...allLanes(laneCount)]);
    expect(shares[probe.slot]).toHaveLength(probe.lanes);
    for (const lanes of shares) expect(lanes).toEqual([...lanes].sort((a, b) => a - b));
    const others = shares.filter((_, slot) => slot !== probe.slot).map((lanes) => lanes.length);
    expect(Math.max(...others) - Math.min(...others)).toBeLessThanOrEqual(1);
  });

  it('spreads the lanes of a probe over all, so that it sees all of an indexed law', () => {
    const deal = { laneCount: 64, workerSlots: 3, probe: { slot: 1, lanes: 4 } };
    expect([...lanesOfSlot(deal, 1)]).toEqual([0, 16, 32, 48]);
  });
});

describe('lane bitsets', () => {
  it('come back as the same lanes', () => {
    for (const lanes of [dealLanes(64, 3, 1), allLanes(64), Int32Array.of(), Int32Array.of(63)]) {
      expect(lanesFromBitset(bitsetFromLanes(lanes, 64), 64)).toEqual(lanes);
    }
    expect(lanesFromBitset(bitsetFromLanes(Int32Array.of(1), 2), 2)).toEqual(Int32Array.of(1));
  });

  it('put lane l at bit l mod 8 of byte floor(l / 8)', () => {
    expect([...bitsetFromLanes(Int32Array.of(0, 9, 15), 16)]).toEqual([0b1, 0b1000_0010]);
  });

  it('are refused when they do not fit the plan', () => {
    expect(() => lanesFromBitset(new Uint8Array(3), 16)).toThrow('grant: a bitset of 3 bytes for 16 lanes');
    expect(() => lanesFromBitset(Uint8Array.of(0b1000), 2)).toThrow('grant: lane 3 of a plan with 2 lanes');
  });
});

describe('assertLaneCount', () => {
  it.each([1, 2, 16, 4096, laneCountMax])('accepts %d', (laneCount) => {
    expect(() => assertLaneCount(laneCount)).not.toThrow();
  });

  it.each([0, -4, 3, 100, 1.5, Number.NaN, Infinity, 2 * laneCountMax])('refuses %d', (laneCount) => {
    expect(() => assertLaneCount(laneCount)).toThrow(`lanes: ${laneCount} is not a power of two in 1..262144`);
  });
});
