import { describe, expect, it } from 'vitest';
import { LaneLayer, type LayerRange } from '../../../../shared/schedule/lane-layer.ts';
import { compileRateCurve } from '../../../../shared/schedule/rate-curve.ts';
import { TimeSorter, createBatch } from '../../../../shared/schedule/time-sort.ts';
import { knotsOf } from '../../../support/schedule-of.ts';

const curve = compileRateCurve(knotsOf([0, 1000], [100, 1000]), 100e9);

/** A layer of 4096 mass, at 1000 per second: 4.096 s. */
function layerOf(more: Partial<LayerRange> = {}): LaneLayer {
  const layer = new LaneLayer();
  layer.reset(
    { block: 2, baseMass: 8192, layerMass: 4096, coveredShare: 1, expectedArrivals: 4096, last: false, ...more },
    curve,
  );
  return layer;
}

function takeAll(layer: LaneLayer): [number, number][] {
  const sorter = new TimeSorter();
  const batch = createBatch(0);
  const arrivals: [number, number][] = [];
  for (let bucket = 0; bucket < layer.bucketCount; bucket++) {
    layer.sortBucket(bucket, sorter, batch);
    for (let i = 0; i < batch.length; i++) arrivals.push([batch.ns[i] as number, batch.ids[i] as number]);
  }
  return arrivals;
}

describe('LaneLayer', () => {
  it('covers the time of its mass and has buckets of some hundreds', () => {
    const layer = layerOf();
    expect(layer.endNs).toBe(12.288e9);
    expect(layer.bucketCount).toBe(8);
    expect(layerOf({ last: true }).endNs).toBe(Infinity);
    expect(layerOf({ expectedArrivals: 3 }).bucketCount).toBe(1);
  });

  it('finds the bucket of an instant from any guess, also past the end', () => {
    const layer = layerOf();
    for (let guess = 0; guess < 8; guess++) {
      expect(layer.bucketOf(8.192e9, guess)).toBe(0);
      expect(layer.bucketOf(8.192e9 + 0.512e9, guess)).toBe(1);
      expect(layer.bucketOf(8.192e9 + 0.512e9 - 1, guess)).toBe(0);
      expect(layer.bucketOf(12.288e9 - 1, guess)).toBe(7);
      expect(layer.bucketOf(12.288e9, guess)).toBe(8);
    }
    expect(layer.bucketOf(1, 3)).toBe(0);
    expect(layerOf({ last: true }).bucketOf(99e9, 0)).toBe(7);
  });

  it('gives its arrivals back in order, ties by id', () => {
    const layer = layerOf();
    const placed: [number, number][] = [];
    for (let id = 0; id < 4000; id++) {
      const ns = 8.192e9 + ((id * 7_919) % 4096) * 1e6;
      placed.push([ns, id]);
      layer.place(layer.bucketOf(ns, 0), ns, id);
    }
    expect(layer.size).toBe(4000);
    expect(takeAll(layer)).toEqual(placed.sort((a, b) => a[0] - b[0] || a[1] - b[1]));
  });

  it('holds any number at one instant, beyond the room of a bucket', () => {
    const layer = layerOf();
    for (let id = 0; id < 3000; id++) layer.place(layer.bucketOf(9e9, 0), 9e9, id);
    expect(takeAll(layer)).toEqual(Array.from({ length: 3000 }, (_, id) => [9e9, id]));
  });

  it('is empty again after a reset', () => {
    const layer = layerOf();
    for (let id = 0; id < 3000; id++) layer.place(1, 9e9, id);
    layer.reset(
      { block: 3, baseMass: 12_288, layerMass: 4096, coveredShare: 0.5, expectedArrivals: 2048, last: true },
      curve,
    );
    expect(layer.size).toBe(0);
    expect(layer.block).toBe(3);
    expect(takeAll(layer)).toEqual([]);
  });
});
