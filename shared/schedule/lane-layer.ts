/**
 * One block of every own lane, on its way into time order. All lanes' block b cover the same range of mass, hence the same
 * stretch of time: a layer. Its arrivals are dealt into time buckets of some hundreds as they are drawn; each bucket is
 * sorted when its turn comes. Both steps stay within the processor's caches, and nothing is sorted twice.
 *
 *   instants:  border 0      border 1      border 2   ...   the layer's end
 *   buckets:   [ bucket 0  ) [ bucket 1  ) [ ...          )  from there on: the next layer's
 *
 * Borders are instants, not masses, so arrivals with equal instants always share a bucket and ties sort exactly.
 */

import type { RateCurve } from './rate-curve.ts';
import type { SortedBatch, TimeSorter } from './time-sort.ts';

/** Arrivals expected per bucket: about 20 us to sort, 12 kB. */
const bucketSize = 512;

/** In a large layer, where so many buckets being filled would not fit the cache: about 80 us to sort. */
const bucketSizeOfLargeLayer = 2048;
const largeLayerFrom = 1_000_000;

/** Where a layer lies in mass and how many arrivals it should hold. */
export interface LayerRange {
  readonly block: number;
  /** Mass at the start of the layer. */
  readonly baseMass: number;
  /** Mass of a whole layer: 32 * S. */
  readonly layerMass: number;
  /** Share of the layer's mass that the curve covers, on (0, 1]; 1 but for the last layer. */
  readonly coveredShare: number;
  /** Expected own arrivals in it. */
  readonly expectedArrivals: number;
  /** True for the last layer of the curve: it has no end, nothing lies behind it. */
  readonly last: boolean;
}

/** Arrivals of one layer by bucket. Reused for layer after layer through `reset`. */
export class LaneLayer {
  /** The block that is drawn for this layer. */
  block = 0;
  /** First instant behind this layer, ns from the phase start; Infinity for the last. */
  endNs = Infinity;
  /** Arrivals held. */
  size = 0;
  bucketCount = 0;
  /** Buckets per unit of block position v. */
  #bucketsPerBlock = 0;
  #bucketRoom = 0;
  #borderNs = new Float64Array(0);
  #segments = new Int32Array(0);
  #counts = new Int32Array(0);
  #ns = new Float64Array(0);
  #ids = new Int32Array(0);
  /** Arrivals that found their bucket full: practically none, unless very many share one instant. */
  readonly #overflow: { readonly bucket: number; readonly ns: number; readonly id: number }[] = [];

  /** Empties the layer and lays it out for `range`. */
  reset(range: LayerRange, curve: RateCurve): void {
    const size = range.expectedArrivals < largeLayerFrom ? bucketSize : bucketSizeOfLargeLayer;
    const count = Math.max(1, Math.round(range.expectedArrivals / size));
    const perBucket = range.expectedArrivals / count;
    this.block = range.block;
    this.size = 0;
    this.bucketCount = count;
    this.#bucketsPerBlock = count / range.coveredShare;
    // Six standard deviations of a Poisson count of room.
    this.#bucketRoom = Math.ceil(perBucket + 6 * Math.sqrt(perBucket) + 8);
    this.#overflow.length = 0;
    if (this.#counts.length < count) {
      this.#counts = new Int32Array(count);
      this.#segments = new Int32Array(count);
      this.#borderNs = new Float64Array(count + 1);
    }
    if (this.#ns.length < count * this.#bucketRoom) {
      this.#ns = new Float64Array(count * this.#bucketRoom);
      this.#ids = new Int32Array(count * this.#bucketRoom);
    }
    this.#setBorders(range, curve);
  }

  /** The bucket where position v of the block should fall; exact but for rounding at the borders. */
  guessBucket(v: number): number {
    const bucket = (v * this.#bucketsPerBlock) | 0;
    return bucket < this.bucketCount ? bucket : this.bucketCount - 1;
  }

  /** A segment of the curve at or near the start of `bucket`. */
  segmentOfBucket(bucket: number): number {
    return this.#segments[bucket] as number;
  }

  /** The bucket of instant `ns`, searched from `guess`; `bucketCount` if it lies behind the layer's end. */
  bucketOf(ns: number, guess: number): number {
    const { bucketCount } = this;
    const borderNs = this.#borderNs;
    let bucket = guess;
    while (bucket > 0 && ns < (borderNs[bucket] as number)) bucket--;
    while (bucket < bucketCount && ns >= (borderNs[bucket + 1] as number)) bucket++;
    return bucket;
  }

  /** Adds an arrival to `bucket`; `id` is its packed identity. */
  place(bucket: number, ns: number, id: number): void {
    const count = this.#counts[bucket] as number;
    this.size++;
    if (count === this.#bucketRoom) {
      this.#overflow.push({ bucket, ns, id });
      return;
    }
    const slot = bucket * this.#bucketRoom + count;
    this.#ns[slot] = ns;
    this.#ids[slot] = id;
    this.#counts[bucket] = count + 1;
  }

  /** Writes the arrivals of `bucket`, sorted by (instant, id), to `into`. */
  sortBucket(bucket: number, sorter: TimeSorter, into: SortedBatch): void {
    const count = this.#counts[bucket] as number;
    const start = bucket * this.#bucketRoom;
    const surplus = this.#overflow.filter((arrival) => arrival.bucket === bucket);
    if (surplus.length === 0) {
      sorter.sort(this.#ns, this.#ids, start, count, into);
      return;
    }
    const ns = [...this.#ns.subarray(start, start + count), ...surplus.map((arrival) => arrival.ns)];
    const ids = [...this.#ids.subarray(start, start + count), ...surplus.map((arrival) => arrival.id)];
    sorter.sort(Float64Array.from(ns), Int32Array.from(ids), 0, ns.length, into);
  }

  #setBorders(range: LayerRange, curve: RateCurve): void {
    let segment = curve.segmentOf(range.baseMass);
    for (let bucket = 0; bucket < this.bucketCount; bucket++) {
      const mass = range.baseMass + (bucket / this.#bucketsPerBlock) * range.layerMass;
      segment = curve.segmentNear(mass, segment);
      this.#segments[bucket] = segment;
      this.#borderNs[bucket] = curve.nsIn(segment, mass);
      this.#counts[bucket] = 0;
    }
    this.endNs = range.last ? Infinity : curve.nsOf(range.baseMass + range.layerMass);
    this.#borderNs[this.bucketCount] = this.endNs;
  }
}
