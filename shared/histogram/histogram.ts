/**
 * The merged form of a series: dense, exact counters of layout 1 with exact count, min, max, sum and overflow beside them.
 * Merging is integer addition: the result equals the histogram of the pooled samples, bucket for bucket, in any order (P5).
 * Percentiles are read from merged counts, never averaged (R069). 270 kB each: keep what merely waits as `SparseHistogram`.
 */

import { assertInvariant } from '../fleet-error.ts';
import { bucketHighOf, bucketIndexOf, bucketLowOf, COUNTER_COUNT } from './layout.ts';
import { nearestRank } from './nearest-rank.ts';
import { blockSum, type RecordingBlock } from './recording-block.ts';
import { type DecodedSparse, readSparseForm, type SparseHistogram } from './sparse-form.ts';

/** An inclusive range of values, in the metric's unit. */
export interface ValueRange {
  readonly low: number;
  readonly high: number;
}

/** An exact, mergeable histogram. Every `add...` either applies whole or throws and changes nothing. */
export class Histogram {
  readonly #counts = new Float64Array(COUNTER_COUNT);
  #count = 0;
  #min = Infinity;
  #max = -Infinity;
  #sum = 0n;
  #overflow = 0;

  /** Number of samples, clamped ones included. */
  get count(): number {
    return this.#count;
  }

  /** Smallest sample, exact; null when empty. */
  get min(): number | null {
    return this.#count === 0 ? null : this.#min;
  }

  /** Largest sample, exact; null when empty. */
  get max(): number | null {
    return this.#count === 0 ? null : this.#max;
  }

  /** Exact sum of the samples. */
  get sum(): bigint {
    return this.#sum;
  }

  /** Samples that were out of range and were clamped; they are part of `count`. */
  get overflow(): number {
    return this.#overflow;
  }

  /** True while no sample has been added. */
  isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Number of samples in bucket `index` (0..COUNTER_COUNT - 1). */
  countAt(index: number): number {
    return this.#counts[index] as number;
  }

  /** Index of the lowest non-empty bucket; null when empty. */
  lowestIndex(): number | null {
    return this.#count === 0 ? null : bucketIndexOf(this.#min);
  }

  /** Index of the highest non-empty bucket; null when empty. */
  highestIndex(): number | null {
    return this.#count === 0 ? null : bucketIndexOf(this.#max);
  }

  /** Adds what a worker recorded in a window. The block is left as it is. */
  addBlock(block: RecordingBlock): void {
    const { counts, touched, touchedCount } = block;
    let total = 0;
    for (let i = 0; i < touchedCount; i += 1) total += counts[touched[i] as number] as number;
    this.#takeTotals(total, block.count, block.min, block.max, blockSum(block), block.overflow);
    const mine = this.#counts;
    for (let i = 0; i < touchedCount; i += 1) {
      const index = touched[i] as number;
      mine[index] = (mine[index] as number) + (counts[index] as number);
    }
  }

  /** Adds another histogram, which is left as it is. */
  add(other: Histogram): void {
    if (other.isEmpty()) return;
    const from = bucketIndexOf(other.#min);
    const to = bucketIndexOf(other.#max);
    const theirs = other.#counts;
    let total = 0;
    for (let index = from; index <= to; index += 1) total += theirs[index] as number;
    this.#takeTotals(total, other.#count, other.#min, other.#max, other.#sum, other.#overflow);
    const mine = this.#counts;
    for (let index = from; index <= to; index += 1) mine[index] = (mine[index] as number) + (theirs[index] as number);
  }

  /** Adds a histogram from the wire. `FleetError('protocol')` when it is malformed: nothing is applied then (R070). */
  addSparse(sparse: SparseHistogram): void {
    const { length, indexes, counts } = readSparseForm(sparse);
    const min = sparse.count === 0 ? Infinity : (sparse.min as number);
    const max = sparse.count === 0 ? -Infinity : (sparse.max as number);
    this.#takeTotals(sparse.count, sparse.count, min, max, sparse.sum, sparse.overflow);
    const mine = this.#counts;
    for (let i = 0; i < length; i += 1) {
      const index = indexes[i] as number;
      mine[index] = (mine[index] as number) + (counts[i] as number);
    }
  }

  /** Adds a histogram that was decoded and checked before. */
  addDecoded(decoded: DecodedSparse): void {
    const { indexes, counts } = decoded;
    this.#takeTotals(decoded.count, decoded.count, decoded.min, decoded.max, decoded.sum, decoded.overflow);
    const mine = this.#counts;
    for (let i = 0; i < indexes.length; i += 1) {
      const index = indexes[i] as number;
      mine[index] = (mine[index] as number) + (counts[i] as number);
    }
  }

  /**
   * The percentile by nearest rank, `percentage` in 0..100: the top of the bucket that holds sample number
   * ceil(percentage / 100 * count), but never above the true maximum nor below the true minimum (R063, R064).
   * 0 gives the minimum, 100 the maximum; null when empty.
   */
  percentile(percentage: number): number | null {
    if (this.#count === 0) return null;
    if (percentage === 0) return this.#min;
    return this.valueAtRank(nearestRank(percentage, this.#count));
  }

  /** Upper edge of sample number `rank` (1..count, by size): what `percentile` reports for that rank. */
  valueAtRank(rank: number): number {
    return this.rangeAtRank(rank).high;
  }

  /** Range that is sure to hold sample number `rank` (1..count, by size): its bucket, narrowed by the exact min and max. */
  rangeAtRank(rank: number): ValueRange {
    assertInvariant(rank >= 1 && rank <= this.#count, `rank ${rank} is outside 1..${this.#count}`);
    const index = this.#indexAtRank(rank);
    return { low: Math.max(bucketLowOf(index), this.#min), high: Math.min(bucketHighOf(index), this.#max) };
  }

  /** Arithmetic mean from the exact sum, in the metric's unit, never outside the minimum and the maximum; null when empty. */
  mean(): number | null {
    if (this.#count === 0) return null;
    // Above 2^53 a sum as a double is rounded, and the mean of equal samples could come out above them.
    const count = BigInt(this.#count);
    return Number(this.#sum / count) + Number(this.#sum % count) / this.#count;
  }

  /**
   * Samples that are surely at or below `value`: whole buckets only, so it agrees with `percentile`
   * (percentile(p) <= value exactly when countAtOrBelow(value) reaches the rank of p).
   */
  countAtOrBelow(value: number): number {
    if (this.#count === 0 || Number.isNaN(value) || value < this.#min) return 0;
    if (value >= this.#max) return this.#count;
    const holding = bucketIndexOf(value);
    const last = bucketHighOf(holding) <= value ? holding : holding - 1;
    let total = 0;
    for (let index = bucketIndexOf(this.#min); index <= last; index += 1) total += this.#counts[index] as number;
    return total;
  }

  /** Samples that may be above `value`: `count - countAtOrBelow(value)`, so a bucket cut by `value` counts as above. */
  countAbove(value: number): number {
    return this.#count - this.countAtOrBelow(value);
  }

  /** An independent copy. */
  clone(): Histogram {
    const copy = new Histogram();
    copy.add(this);
    return copy;
  }

  /** Makes it empty again, for a window's accumulator that is used over and over; totals of a run are never reset. */
  clear(): void {
    if (this.#count > 0) this.#counts.fill(0, bucketIndexOf(this.#min), bucketIndexOf(this.#max) + 1);
    this.#count = 0;
    this.#min = Infinity;
    this.#max = -Infinity;
    this.#sum = 0n;
    this.#overflow = 0;
  }

  /** True when every bucket and every total is the same. */
  equals(other: Histogram): boolean {
    const totalsEqual =
      this.#count === other.#count &&
      this.#min === other.#min &&
      this.#max === other.#max &&
      this.#sum === other.#sum &&
      this.#overflow === other.#overflow;
    return totalsEqual && this.#counts.every((count, index) => count === other.#counts[index]);
  }

  #indexAtRank(rank: number): number {
    const counts = this.#counts;
    const last = bucketIndexOf(this.#max);
    let below = 0;
    let index = bucketIndexOf(this.#min);
    // Four sums side by side: one alone would wait for each addition to end before the next. Counts are exact in any order.
    for (; index + 3 <= last; index += 4) {
      const pair = (counts[index] as number) + (counts[index + 1] as number);
      const four = pair + ((counts[index + 2] as number) + (counts[index + 3] as number));
      if (below + four >= rank) break;
      below += four;
    }
    for (; index <= last; index += 1) {
      below += counts[index] as number;
      if (below >= rank) return index;
    }
    assertInvariant(false, `buckets hold ${below} samples, count says ${this.#count}`);
  }

  /** Checks that the incoming buckets add up to their count, then takes the totals; the caller adds the buckets. */
  #takeTotals(inBuckets: number, count: number, min: number, max: number, sum: bigint, overflow: number): void {
    assertInvariant(inBuckets === count, `bucket counts add up to ${inBuckets}, count says ${count}`);
    const total = this.#count + count;
    assertInvariant(
      Number.isSafeInteger(total),
      `a histogram holds at most 2^53 - 1 samples, this would make ${total}`,
    );
    this.#count = total;
    if (min < this.#min) this.#min = min;
    if (max > this.#max) this.#max = max;
    this.#sum += sum;
    this.#overflow += overflow;
  }
}
