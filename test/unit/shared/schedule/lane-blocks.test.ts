import { describe, expect, it } from 'vitest';
import {
  LaneBlocks,
  blockCountMax,
  countOf,
  countTable,
  positionBufferLength,
} from '../../../../shared/schedule/lane-blocks.ts';
import { vectorSeed } from '../../../support/schedule-of.ts';
import { scaledKolmogorovSmirnov } from '../../../support/uniformity.ts';

const blocks = new LaneBlocks(vectorSeed, 0);

function positionsOf(lane: number, block: number): number[] {
  const into = new Float64Array(positionBufferLength);
  return [...into.subarray(0, blocks.positions(lane, block, into))];
}

describe('count table', () => {
  it('is the published one (M§1.3)', () => {
    expect(countTable.length).toBe(blockCountMax);
    expect(countTable[0]).toBe(1.2664165549094176e-14);
    expect(countTable[31]).toBe(0.47648830547625864);
  });

  it('is searched for the least n with u < P(count <= n)', () => {
    expect(countOf(0)).toBe(0);
    for (let n = 1; n < 70; n++) {
      const border = countTable[n - 1] as number;
      // At the border itself the next count begins.
      expect(countOf(border)).toBe(n);
      expect(countOf(border - border * Number.EPSILON)).toBe(n - 1);
    }
    expect(countOf(1 - 2 ** -53)).toBeLessThanOrEqual(blockCountMax);
  });
});

describe('lane blocks', () => {
  it('hold the published counts and positions (M§1.3)', () => {
    expect(blocks.count(0, 0)).toBe(35);
    expect(blocks.count(7, 3)).toBe(28);
    expect(blocks.count(15, 19)).toBe(31);
    // tau = v * 32 in block 0; published to 14 digits.
    expect((positionsOf(0, 0)[0] as number) * 32).toBeCloseTo(1.3057675887631, 13);
  });

  it('list as many positions as they count, ascending on [0, 1)', () => {
    for (let lane = 0; lane < 50; lane++) {
      const positions = positionsOf(lane, lane * 3);
      expect(positions.length).toBe(blocks.count(lane, lane * 3));
      expect(positions).toEqual(positions.toSorted((a, b) => a - b));
      expect(positions.every((v) => v >= 0 && v < 1)).toBe(true);
    }
  });

  it('are the same whatever was drawn before', () => {
    const before = positionsOf(3, 9);
    positionsOf(4, 9);
    expect(positionsOf(3, 9)).toEqual(before);
  });

  it('have Poisson counts of mean 32 and uniform positions', () => {
    const counts: number[] = [];
    const positions: number[] = [];
    for (let lane = 0; lane < 2000; lane++) {
      const drawn = positionsOf(lane, 5);
      counts.push(drawn.length);
      if (lane < 300) positions.push(...drawn);
    }
    const mean = counts.reduce((sum, n) => sum + n, 0) / counts.length;
    const variance = counts.reduce((sum, n) => sum + (n - mean) ** 2, 0) / (counts.length - 1);
    // Four standard errors: sqrt(32 / 2000) = 0.126 for the mean, sqrt(2 / 1999) = 3.2 % for the ratio.
    expect(Math.abs(mean - 32)).toBeLessThan(0.51);
    expect(Math.abs(variance / mean - 1)).toBeLessThan(0.13);
    expect(scaledKolmogorovSmirnov(positions)).toBeLessThan(1.95);
  });
});
