/**
 * The wire form of a histogram: exact count, min, max, sum and overflow, and one (gap, count) pair of varints per non-empty
 * bucket. `readSparseForm` checks everything before anything is used, so a bad report changes no total (R070).
 * Nothing here knows protobuf; `shared/rpc` copies the fields.
 */

import { FleetError } from '../fleet-error.ts';
import {
  bucketHighOf,
  bucketIndexOf,
  bucketLowOf,
  COUNTER_COUNT,
  LAYOUT_ID,
  RELATIVE_WIDTH_MAX,
  VALUE_MAX,
} from './layout.ts';
import { readVarint } from './varint.ts';

/** A histogram as it travels. Times are in ns; other metrics in their own integer unit. */
export interface SparseHistogram {
  /** Must be LAYOUT_ID. */
  readonly layoutId: number;
  /** Number of samples, clamped ones included. */
  readonly count: number;
  /** Smallest sample; null when `count` is 0 (a reader then ignores it, so a wire's default of 0 is as good). */
  readonly min: number | null;
  /** Largest sample; null when `count` is 0 (as `min`). */
  readonly max: number | null;
  /** Exact sum of the samples. */
  readonly sum: bigint;
  /** Samples that were clamped into 0..VALUE_MAX. */
  readonly overflow: number;
  /** For each non-empty bucket, upwards: varint (index - previous index - 1, the first from -1), varint count (>= 1). */
  readonly buckets: Uint8Array;
}

/** A sparse histogram that has passed every check; its arrays are scratch space, valid until the next `readSparseForm`. */
export interface CheckedBuckets {
  /** How many entries of `indexes` and `counts` hold. */
  readonly length: number;
  readonly indexes: Uint16Array;
  readonly counts: Float64Array;
}

/** A sparse histogram that has passed every check, with arrays of its own: decoded once, added to several sums. */
export interface DecodedSparse {
  /** Non-empty buckets, upwards, and their counts. */
  readonly indexes: Uint16Array;
  readonly counts: Float64Array;
  readonly count: number;
  /** Infinity and -Infinity when empty. */
  readonly min: number;
  readonly max: number;
  readonly sum: bigint;
  readonly overflow: number;
}

/** Decodes and checks `sparse` as `readSparseForm` does, into arrays that stay valid. */
export function readDecodedSparse(sparse: SparseHistogram): DecodedSparse {
  const { length, indexes, counts } = readSparseForm(sparse);
  return {
    indexes: indexes.slice(0, length),
    counts: counts.slice(0, length),
    count: sparse.count,
    min: length === 0 ? Infinity : (sparse.min as number),
    max: length === 0 ? -Infinity : (sparse.max as number),
    sum: sparse.sum,
    overflow: sparse.overflow,
  };
}

/** Relative slack when the sum is held against the buckets: the bounds are added up in doubles. */
const SUM_SLACK = 1e-9;

const scratchIndexes = new Uint16Array(COUNTER_COUNT);
const scratchCounts = new Float64Array(COUNTER_COUNT);
const cursor = { offset: 0 };

/** A varint's byte from here on says that another follows. */
const MORE = 0x80;

/**
 * Decodes and checks `sparse`. Throws `FleetError('protocol')` that names the field, its value and the limit when the
 * layout is another one, a varint is truncated or overlong, an index is out of range, counts do not add up to `count`,
 * or min, max, sum or overflow contradict the buckets.
 */
export function readSparseForm(sparse: SparseHistogram): CheckedBuckets {
  if (sparse.layoutId !== LAYOUT_ID) fail(`layout is ${sparse.layoutId}, this build reads layout ${LAYOUT_ID} only`);
  checkCounter('count', sparse.count, Number.MAX_SAFE_INTEGER);
  checkCounter('overflow', sparse.overflow, sparse.count);

  const { buckets } = sparse;
  let length = 0;
  let index = -1;
  let total = 0;
  let sumLow = 0;
  cursor.offset = 0;
  for (let at = 0; at < buckets.length; at = cursor.offset) {
    // Nearly every gap and count is below 128: one byte each, read without a call.
    const gap = buckets[at] as number;
    const next = at + 1 < buckets.length ? (buckets[at + 1] as number) : MORE;
    let count = next;
    if ((gap | next) < MORE) {
      index += gap + 1;
      cursor.offset = at + 2;
    } else {
      index += readVarint(buckets, cursor, 'histogram bucket gap') + 1;
      count = readVarint(buckets, cursor, 'histogram bucket count');
    }
    if (index >= COUNTER_COUNT) fail(`bucket index ${index} is above the limit ${COUNTER_COUNT - 1}`);
    if (count === 0) fail(`bucket ${index} has count 0, the least is 1`);
    total += count;
    sumLow += count * bucketLowOf(index);
    scratchIndexes[length] = index;
    scratchCounts[length] = count;
    length += 1;
  }
  if (total !== sparse.count) fail(`bucket counts add up to ${total}, count says ${sparse.count}`);
  if (length > 0) {
    checkExtreme('min', sparse.min, scratchIndexes[0] as number);
    checkExtreme('max', sparse.max, index);
    if ((sparse.min as number) > (sparse.max as number)) fail(`min ${sparse.min} is above max ${sparse.max}`);
  }
  checkSum(sparse.sum, sumLow);
  return { length, indexes: scratchIndexes, counts: scratchCounts };
}

function fail(what: string): never {
  throw new FleetError('protocol', `histogram: ${what}`);
}

function checkCounter(name: string, value: number, limit: number): void {
  if (!Number.isSafeInteger(value) || value < 0 || value > limit) {
    fail(`${name} is ${value}, must be an integer in 0..${limit}`);
  }
}

/** An extreme must be an integer in the range of the outermost bucket. */
function checkExtreme(name: string, value: number | null, bucket: number): void {
  const ok = value !== null && Number.isSafeInteger(value) && value >= 0 && value <= VALUE_MAX;
  if (!ok) fail(`${name} is ${value}, must be an integer in 0..${VALUE_MAX}`);
  if (bucketIndexOf(value) !== bucket) {
    fail(`${name} ${value} is not in its bucket ${bucket} (${bucketLowOf(bucket)}..${bucketHighOf(bucket)})`);
  }
}

/** The sum lies between the lower edges of the buckets, added up, and what their widths allow above. */
function checkSum(sum: bigint, low: number): void {
  const value = Number(sum);
  const high = low * (1 + RELATIVE_WIDTH_MAX);
  if (value < low * (1 - SUM_SLACK) || value > high * (1 + SUM_SLACK)) {
    fail(`sum ${sum} is impossible for its buckets (${low}..${high})`);
  }
}
