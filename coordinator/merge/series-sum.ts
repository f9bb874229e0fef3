/**
 * The exact sum of one series from many small deltas, in little memory: the deltas wait in their sparse form and are folded
 * through one shared dense histogram when enough of them have come. A dense histogram is 270 kB; a hundred agents times a
 * thousand windows would not fit. The result is the same bytes for every order of the deltas (P5).
 */
import { Histogram } from '../../shared/histogram/histogram.ts';
import { type DecodedSparse, readDecodedSparse } from '../../shared/histogram/sparse-form.ts';
import { encodeSparse, type SparseHistogram } from '../../shared/histogram/sparse-histogram.ts';

/** Deltas that may wait, however small they are. */
const PENDING_DELTAS_MAX = 256;

/** Scratch for folding; a fold is never interrupted, so one is enough for all sums. */
const scratch = new Histogram();

/** The sum of one series. */
export class SeriesSum {
  #folded: SparseHistogram | null = null;
  #pending: DecodedSparse[] = [];
  #pendingBuckets = 0;
  readonly #pendingBucketsMax: number;

  /** `pendingBucketsMax` buckets (10 bytes each) may wait before a fold: few folds against little memory. */
  constructor(pendingBucketsMax: number) {
    this.#pendingBucketsMax = pendingBucketsMax;
  }

  /** Adds a delta. It is kept for a while, so it must not change afterwards. */
  add(delta: DecodedSparse): void {
    if (delta.count === 0) return;
    this.#pending.push(delta);
    this.#pendingBuckets += delta.indexes.length;
    if (this.#pendingBuckets >= this.#pendingBucketsMax || this.#pending.length >= PENDING_DELTAS_MAX) this.#fold();
  }

  /** Adds all that another sum holds; it is left as it is. */
  addSum(other: SeriesSum): void {
    if (other.#folded !== null) this.add(readDecodedSparse(other.#folded));
    for (const delta of other.#pending) this.add(delta);
  }

  /** Adds the sum so far into `into`. */
  addTo(into: Histogram): void {
    if (this.#folded !== null) into.addSparse(this.#folded);
    for (const delta of this.#pending) into.addDecoded(delta);
  }

  /** The sum so far as an independent histogram. */
  histogram(): Histogram {
    const histogram = new Histogram();
    this.addTo(histogram);
    return histogram;
  }

  /** Folds what waits, for a sum that will hardly grow any more. */
  compact(): void {
    if (this.#pending.length > 0) this.#fold();
  }

  #fold(): void {
    scratch.clear();
    this.addTo(scratch);
    this.#folded = encodeSparse(scratch);
    this.#pending = [];
    this.#pendingBuckets = 0;
  }
}
