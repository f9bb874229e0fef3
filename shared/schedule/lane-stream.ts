/**
 * One worker's arrivals of a phase under the lanes law, in time order: its lanes' blocks are drawn layer by layer
 * (`lane-layer.ts`), some time ahead of need, in bounded pieces. Memory is O(own arrivals ahead), whatever the phase's
 * length. Deterministic: how often `workAhead` is called changes when work is done, never what comes out.
 */

import { assertInvariant } from '../fleet-error.ts';
import type { Seed } from '../random/seed.ts';
import type { Arrival, ArrivalStream } from './arrival-stream.ts';
import { LaneBlocks, blockMass, positionBufferLength } from './lane-blocks.ts';
import { LaneLayer } from './lane-layer.ts';
import type { RateCurve } from './rate-curve.ts';
import { type SortedBatch, TimeSorter, createBatch } from './time-sort.ts';

/** How far ahead of the next arrival layers are drawn, ns: two windows. */
const aheadNs = 2e9;

/** Own arrivals drawn ahead at most, beyond one whole layer: 15 bytes each. */
const aheadArrivalsMax = 1_048_576;

/** Lane blocks (about 32 arrivals, 2 to 3 us each) per piece of work: below 0.1 ms. */
const blocksPerPiece = 16;

/**
 * A packed identity, from the top: lane (18 bits or more), 1 bit that is set in the layer's own block and clear in the block
 * before (a carried arrival), rank (7 bits). Ascending ids are the order of ties: lane, block, rank.
 */
const laneShift = 8;
const ownBlockBit = 0x80;
const rankMask = 0x7f;

/** What a lane stream is made of. */
export interface LaneStreamOptions {
  readonly seed: Seed;
  /** trial * 256 + phase, from `trialFieldOf`. */
  readonly trialField: number;
  /** S, a power of two. */
  readonly laneCount: number;
  /** Own lanes, ascending. */
  readonly lanes: Int32Array;
  readonly curve: RateCurve;
  /** Position of the phase in the plan. */
  readonly phase: number;
  /** Phase start in ns from T0. */
  readonly startNs: number;
  /** Arrivals before this instant, in ns from T0, are someone else's. */
  readonly fromNs: number;
}

/** A sorted bucket of the layer that draws `block`. */
interface LoadedBucket {
  readonly batch: SortedBatch;
  block: number;
}

/** The lanes law as an `ArrivalStream`. */
export class LaneStream implements ArrivalStream {
  readonly #laneBlocks: LaneBlocks;
  readonly #lanes: Int32Array;
  readonly #curve: RateCurve;
  readonly #phase: number;
  readonly #startNs: number;
  /** Own from here on, in ns from the phase start. */
  readonly #ownFromNs: number;
  /** Mass of a layer: 32 * S. */
  readonly #layerMass: number;
  readonly #layerEnd: number;
  #nextLayer: number;
  /** The layer being drawn, and how many own lanes are in it already. */
  #inWork: LaneLayer | null = null;
  #lanesDone = 0;
  /** Arrivals drawn for one layer that lie at the start of the next, by rounding. */
  #carried: { readonly ns: number; readonly id: number; readonly block: number }[] = [];
  /** Finished layers in order; buckets are being loaded from the first. */
  readonly #ready: LaneLayer[] = [];
  readonly #spare: LaneLayer[] = [];
  #readyArrivals = 0;
  #nextBucket = 0;
  readonly #sorter = new TimeSorter();
  /** The bucket that arrivals are taken from, and the one sorted after it (empty until loaded). */
  #current: LoadedBucket = { batch: createBatch(0), block: 0 };
  #upcoming: LoadedBucket = { batch: createBatch(0), block: 0 };
  #cursor = 0;
  readonly #positions = new Float64Array(positionBufferLength);

  constructor(options: LaneStreamOptions) {
    this.#laneBlocks = new LaneBlocks(options.seed, options.trialField);
    this.#lanes = options.lanes;
    this.#curve = options.curve;
    this.#phase = options.phase;
    this.#startNs = options.startNs;
    this.#ownFromNs = options.fromNs - options.startNs;
    this.#layerMass = blockMass * options.laneCount;
    this.#layerEnd = options.lanes.length === 0 ? 0 : Math.ceil(options.curve.totalMass / this.#layerMass);
    this.#nextLayer = firstLayer(options.curve, this.#layerMass, this.#ownFromNs);
  }

  peekNs(): number {
    if (this.#cursor >= this.#current.batch.length && !this.#advance()) return Infinity;
    return this.#startNs + (this.#current.batch.ns[this.#cursor] as number);
  }

  next(into: Arrival): boolean {
    if (this.#cursor >= this.#current.batch.length && !this.#advance()) return false;
    const { batch, block } = this.#current;
    const id = batch.ids[this.#cursor] as number;
    into.phase = this.#phase;
    into.intendedNs = this.#startNs + (batch.ns[this.#cursor] as number);
    into.lane = id >>> laneShift;
    into.block = (id & ownBlockBit) === 0 ? block - 1 : block;
    into.rank = id & rankMask;
    into.index = 0;
    this.#cursor++;
    return true;
  }

  workAhead(): boolean {
    if (this.#upcoming.batch.length === 0 && this.#ready.length > 0) {
      this.#loadUpcoming();
      return true;
    }
    if (this.#inWork === null && this.#isFarAhead()) return false;
    return this.#drawPiece();
  }

  /** Whether enough is drawn for now. */
  #isFarAhead(): boolean {
    const newest = this.#ready.at(-1);
    if (newest === undefined) return false;
    const [bucket, entry] =
      this.#cursor < this.#current.batch.length ? [this.#current, this.#cursor] : [this.#upcoming, 0];
    if (bucket.batch.length === 0) return false;
    if (newest.endNs >= (bucket.batch.ns[entry] as number) + aheadNs) return true;
    return this.#ready.length > 1 && this.#readyArrivals > aheadArrivalsMax;
  }

  /** Moves to the next bucket that holds an arrival, drawing on the spot what is not ready; false if there is none. */
  #advance(): boolean {
    while (this.#upcoming.batch.length === 0) {
      if (this.#ready.length > 0) this.#loadUpcoming();
      else if (!this.#drawPiece()) return false;
    }
    const done = this.#current;
    this.#current = this.#upcoming;
    this.#upcoming = done;
    done.batch.length = 0;
    this.#cursor = 0;
    return true;
  }

  /** Sorts the next bucket of the first ready layer, or retires that layer if it has none left. */
  #loadUpcoming(): void {
    const layer = this.#ready[0] as LaneLayer;
    if (this.#nextBucket === layer.bucketCount) {
      this.#ready.shift();
      this.#spare.push(layer);
      this.#readyArrivals -= layer.size;
      this.#nextBucket = 0;
      return;
    }
    layer.sortBucket(this.#nextBucket++, this.#sorter, this.#upcoming.batch);
    this.#upcoming.block = layer.block;
  }

  /** Does one bounded piece of drawing; false when the phase is drawn to its end. */
  #drawPiece(): boolean {
    if (this.#inWork === null) {
      if (this.#nextLayer >= this.#layerEnd) return false;
      this.#inWork = this.#beginLayer(this.#nextLayer++);
      this.#lanesDone = 0;
      return true;
    }
    const end = Math.min(this.#lanes.length, this.#lanesDone + blocksPerPiece);
    for (let i = this.#lanesDone; i < end; i++) this.#drawBlock(this.#inWork, this.#lanes[i] as number);
    this.#lanesDone = end;
    if (end === this.#lanes.length) {
      this.#ready.push(this.#inWork);
      this.#readyArrivals += this.#inWork.size;
      this.#inWork = null;
    }
    return true;
  }

  #beginLayer(block: number): LaneLayer {
    const curve = this.#curve;
    const layerMass = this.#layerMass;
    const baseMass = block * layerMass;
    const coveredShare = Math.min(1, (curve.totalMass - baseMass) / layerMass);
    const expectedArrivals = this.#lanes.length * blockMass * coveredShare;
    const layer = this.#spare.pop() ?? new LaneLayer();
    layer.reset(
      { block, baseMass, layerMass, coveredShare, expectedArrivals, last: block + 1 === this.#layerEnd },
      curve,
    );
    const waiting = this.#carried;
    this.#carried = [];
    for (const { ns, id, block: drawnBlock } of waiting) {
      assertInvariant(drawnBlock === block - 1, `an arrival of block ${drawnBlock} was carried to block ${block}`);
      this.#place(layer, layer.bucketOf(ns, 0), ns, id & ~ownBlockBit);
    }
    return layer;
  }

  #drawBlock(layer: LaneLayer, lane: number): void {
    const curve = this.#curve;
    const positions = this.#positions;
    const layerMass = this.#layerMass;
    const ownFromNs = this.#ownFromNs;
    const block = layer.block;
    const n = this.#laneBlocks.positions(lane, block, positions);
    for (let rank = 0; rank < n; rank++) {
      const v = positions[rank] as number;
      // tau = (b + v) * 32 and M = tau * S: both factors are powers of two, so their one product is exact.
      const mass = (block + v) * layerMass;
      if (mass >= curve.totalMass) return;
      const guess = layer.guessBucket(v);
      const ns = curve.nsIn(curve.segmentNear(mass, layer.segmentOfBucket(guess)), mass);
      if (ns >= ownFromNs) this.#place(layer, layer.bucketOf(ns, guess), ns, (lane << laneShift) | ownBlockBit | rank);
    }
  }

  #place(layer: LaneLayer, bucket: number, ns: number, id: number): void {
    if (bucket < layer.bucketCount) layer.place(bucket, ns, id);
    else this.#carried.push({ ns, id, block: layer.block });
  }
}

/** The layer to start at so that nothing at or after `fromNs` (ns from the phase start) is missed: one layer early (M§1.3). */
export function firstLayer(curve: RateCurve, layerMass: number, fromNs: number): number {
  return Math.max(0, Math.floor(curve.massAt(fromNs / 1e9) / layerMass) - 1);
}
