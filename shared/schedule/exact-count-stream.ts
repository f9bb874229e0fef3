/**
 * A worker's share of an exact-N phase in time order. One pass over the own indices counts them per time bucket, a second
 * notes which belongs where (4 bytes each), and a bucket is drawn again and sorted when its turn comes: drawing thrice is
 * cheaper than keeping instants. The passes are work ahead, in bounded pieces.
 */

import { FleetError } from '../fleet-error.ts';
import type { Seed } from '../random/seed.ts';
import type { Arrival, ArrivalStream } from './arrival-stream.ts';
import { ExactCountInstants, assertExactCount } from './exact-count.ts';
import { OwnIndices } from './own-indices.ts';
import type { RateCurve } from './rate-curve.ts';
import { type SortedBatch, TimeSorter, createBatch } from './time-sort.ts';

/** Most own arrivals of one exact-N phase per worker: 40 MB. */
export const ownArrivalsMax = 10_000_000;

/** Arrivals expected per time bucket: about 60 us to draw again and sort. */
const bucketSize = 512;

/** Arrivals (one Philox call and one inversion each) or borders per piece of work: below 0.1 ms. */
const drawsPerPiece = 600;

/** What an exact-N stream is made of. */
export interface ExactCountStreamOptions {
  readonly seed: Seed;
  /** trial * 256 + phase, from `trialFieldOf`. */
  readonly trialField: number;
  /** S, a power of two. */
  readonly laneCount: number;
  /** Own lanes, ascending. */
  readonly lanes: Int32Array;
  readonly curve: RateCurve;
  /** N, over all lanes. */
  readonly count: number;
  /** Position of the phase in the plan. */
  readonly phase: number;
  /** Phase start in ns from T0. */
  readonly startNs: number;
  /** Arrivals before this instant, in ns from T0, are someone else's. */
  readonly fromNs: number;
}

/** The work before the first bucket can be served, in order; each step walks from 0 to its own end. */
type Stage = 'borders' | 'count' | 'sum' | 'assign' | 'serve';

/** A worker's share of an exact-N phase as an `ArrivalStream`, ordered by (instant, index). */
export class ExactCountStream implements ArrivalStream {
  readonly #instants: ExactCountInstants;
  readonly #own: OwnIndices;
  readonly #laneCount: number;
  readonly #phase: number;
  readonly #startNs: number;
  readonly #ownFromNs: number;
  readonly #ownCount: number;
  readonly #bucketCount: number;
  readonly #borderNs: Float64Array;
  /** Per bucket: its number of arrivals while counting, then the end and at last the start of its slice of `ordinals`. */
  readonly #edges: Uint32Array;
  readonly #ordinals: Int32Array;
  #stage: Stage = 'borders';
  #progress = 0;
  #nextBucket = 0;
  readonly #sorter = new TimeSorter();
  #drawnNs = new Float64Array(bucketSize);
  #current: SortedBatch = createBatch(0);
  #upcoming: SortedBatch = createBatch(0);
  #cursor = 0;

  /** @throws FleetError 'plan' if the share is above `ownArrivalsMax`. */
  constructor(options: ExactCountStreamOptions) {
    assertExactCount(options.count, options.curve);
    this.#instants = new ExactCountInstants(options.seed, options.trialField, options.curve);
    this.#own = new OwnIndices(options.lanes, options.laneCount);
    this.#laneCount = options.laneCount;
    this.#phase = options.phase;
    this.#startNs = options.startNs;
    this.#ownFromNs = options.fromNs - options.startNs;
    this.#ownCount = this.#own.countBelow(options.count);
    if (this.#ownCount > ownArrivalsMax) {
      throw new FleetError(
        'plan',
        `exact count: ${this.#ownCount} of ${options.count} arrivals fall to one worker, the limit is ${ownArrivalsMax}: use more workers`,
      );
    }
    this.#bucketCount = Math.ceil(this.#ownCount / bucketSize);
    this.#borderNs = new Float64Array(this.#bucketCount + 1);
    this.#edges = new Uint32Array(this.#bucketCount + 1);
    this.#ordinals = new Int32Array(this.#ownCount);
  }

  peekNs(): number {
    if (this.#cursor >= this.#current.length && !this.#advance()) return Infinity;
    return this.#startNs + (this.#current.ns[this.#cursor] as number);
  }

  next(into: Arrival): boolean {
    if (this.#cursor >= this.#current.length && !this.#advance()) return false;
    const index = this.#own.at(this.#current.ids[this.#cursor] as number);
    into.phase = this.#phase;
    into.intendedNs = this.#startNs + (this.#current.ns[this.#cursor] as number);
    into.lane = index % this.#laneCount;
    into.block = 0;
    into.rank = 0;
    into.index = index;
    this.#cursor++;
    return true;
  }

  workAhead(): boolean {
    return this.#upcoming.length === 0 && this.#work();
  }

  #advance(): boolean {
    while (this.#upcoming.length === 0) {
      if (!this.#work()) return false;
    }
    const done = this.#current;
    this.#current = this.#upcoming;
    this.#upcoming = done;
    done.length = 0;
    this.#cursor = 0;
    return true;
  }

  /** Does one bounded piece of the present stage; false when all buckets are served. */
  #work(): boolean {
    switch (this.#stage) {
      case 'borders':
        return this.#walk(this.#bucketCount + 1, 'count', (bucket) => this.#setBorder(bucket));
      case 'count':
        return this.#walk(this.#ownCount, 'sum', (ordinal) => this.#count(ordinal));
      case 'sum':
        return this.#walk(this.#bucketCount + 1, 'assign', (bucket) => this.#sumUp(bucket));
      case 'assign':
        return this.#walk(this.#ownCount, 'serve', (ordinal) => this.#assign(ordinal));
      case 'serve':
        if (this.#nextBucket === this.#bucketCount) return false;
        this.#loadBucket(this.#nextBucket++);
        return true;
    }
  }

  /** Calls `visit` for the next few numbers below `end`, and enters stage `then` behind the last. */
  #walk(end: number, then: Stage, visit: (i: number) => void): boolean {
    const pieceEnd = Math.min(end, this.#progress + drawsPerPiece);
    while (this.#progress < pieceEnd) visit(this.#progress++);
    if (this.#progress === end) {
      this.#progress = 0;
      this.#stage = then;
    }
    return true;
  }

  #setBorder(bucket: number): void {
    this.#borderNs[bucket] =
      bucket < this.#bucketCount ? this.#instants.nsOfShare(bucket / this.#bucketCount) : Infinity;
  }

  #count(ordinal: number): void {
    const bucket = this.#ownBucketOf(ordinal);
    if (bucket !== null) this.#edges[bucket] = (this.#edges[bucket] as number) + 1;
  }

  #sumUp(bucket: number): void {
    if (bucket > 0) this.#edges[bucket] = (this.#edges[bucket] as number) + (this.#edges[bucket - 1] as number);
  }

  /** Fills each bucket's slice from its end; walking backwards keeps ordinals ascending inside it. */
  #assign(step: number): void {
    const ordinal = this.#ownCount - 1 - step;
    const bucket = this.#ownBucketOf(ordinal);
    if (bucket === null) return;
    const slot = (this.#edges[bucket] as number) - 1;
    this.#edges[bucket] = slot;
    this.#ordinals[slot] = ordinal;
  }

  /** The bucket of an own arrival; null if it lies before the grant. */
  #ownBucketOf(ordinal: number): number | null {
    const share = this.#instants.shareOf(this.#own.at(ordinal));
    const ns = this.#instants.nsOfShare(share);
    if (ns < this.#ownFromNs) return null;
    let bucket = Math.floor(share * this.#bucketCount);
    while (bucket > 0 && ns < (this.#borderNs[bucket] as number)) bucket--;
    while (ns >= (this.#borderNs[bucket + 1] as number)) bucket++;
    return bucket;
  }

  #loadBucket(bucket: number): void {
    const start = this.#edges[bucket] as number;
    const n = (this.#edges[bucket + 1] as number) - start;
    if (this.#drawnNs.length < n) this.#drawnNs = new Float64Array(2 * n);
    for (let i = 0; i < n; i++) {
      const index = this.#own.at(this.#ordinals[start + i] as number);
      this.#drawnNs[i] = this.#instants.nsOfShare(this.#instants.shareOf(index));
    }
    this.#sorter.sort(this.#drawnNs, this.#ordinals.subarray(start, start + n), 0, n, this.#upcoming);
  }
}
