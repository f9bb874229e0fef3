/**
 * What one worker records of one series during one window: dense 32-bit counters plus the list of buckets touched, so that
 * handing over and clearing cost O(buckets touched). `record` is the hottest function of the project: a few ns, no
 * allocation, and it never throws. Not for totals: counters are 32 bits wide. Add blocks into a `Histogram` for that.
 */

import { bucketIndexOf, COUNTER_COUNT, VALUE_MAX } from './layout.ts';

/**
 * One window of one series. Its two buffers may be transferred to another thread and given back to
 * `createRecordingBlock`; the rest are plain numbers that `postMessage` copies.
 */
export interface RecordingBlock {
  /** Samples per bucket; COUNTER_COUNT entries. */
  readonly counts: Uint32Array<ArrayBuffer>;
  /** Indexes of the buckets with a count above 0, each once, in the order of their first sample; the first `touchedCount` hold. */
  readonly touched: Uint16Array<ArrayBuffer>;
  /** How many entries of `touched` hold. */
  touchedCount: number;
  /** Number of samples, clamped ones included. */
  count: number;
  /** Smallest sample; Infinity while there is none. */
  min: number;
  /** Largest sample; -Infinity while there is none. */
  max: number;
  /** Sum of the samples less `sumCarry` * 2^52, an exact integer below 2^52. `blockSum` puts the two together. */
  sum: number;
  /** How often 2^52 was taken out of `sum`: it keeps the sum exact where an hour-long sample is repeated. */
  sumCarry: number;
  /** Samples that were out of 0..VALUE_MAX (or not a number) and were clamped. */
  overflow: number;
}

/** The buffers of a block that came back from another thread, to be used again. They must be all zero in `counts`. */
export interface RecycledBuffers {
  readonly counts: Uint32Array<ArrayBuffer>;
  readonly touched: Uint16Array<ArrayBuffer>;
}

const SUM_CARRY = 2 ** 52;
const SUM_CARRY_BIG = BigInt(SUM_CARRY);

/** A block without samples; with `recycled` it takes over those (cleared) buffers instead of allocating 200 kB. */
export function createRecordingBlock(recycled?: RecycledBuffers): RecordingBlock {
  return {
    counts: recycled?.counts ?? new Uint32Array(COUNTER_COUNT),
    touched: recycled?.touched ?? new Uint16Array(COUNTER_COUNT),
    touchedCount: 0,
    count: 0,
    min: Infinity,
    max: -Infinity,
    sum: 0,
    sumCarry: 0,
    overflow: 0,
  };
}

/**
 * Records one sample, an integer in 0..VALUE_MAX (a fraction is cut off). Anything else is clamped and counted as overflow:
 * a negative value becomes 0; a larger one, and NaN, become VALUE_MAX, so that a fault never makes a result look better.
 * At most 2^32 - 1 samples per bucket and block.
 */
export function record(block: RecordingBlock, value: number): void {
  // Adding 0 turns -0 into 0, which would else show up as the minimum.
  let sample = Math.floor(value + 0);
  if (!(sample >= 0 && sample <= VALUE_MAX)) {
    block.overflow += 1;
    sample = sample < 0 ? 0 : VALUE_MAX;
  }
  const index = bucketIndexOf(sample);
  const counts = block.counts;
  const before = counts[index] as number;
  if (before === 0) {
    block.touched[block.touchedCount] = index;
    block.touchedCount += 1;
  }
  counts[index] = before + 1;
  block.count += 1;
  if (sample < block.min) block.min = sample;
  if (sample > block.max) block.max = sample;
  const sum = block.sum + sample;
  if (sum < SUM_CARRY) {
    block.sum = sum;
  } else {
    block.sum = sum - SUM_CARRY;
    block.sumCarry += 1;
  }
}

/** The exact sum of the block's samples, in the metric's unit. */
export function blockSum(block: RecordingBlock): bigint {
  return BigInt(block.sum) + BigInt(block.sumCarry) * SUM_CARRY_BIG;
}

/** Makes the block empty again, in O(buckets touched). */
export function clearBlock(block: RecordingBlock): void {
  const { counts, touched, touchedCount } = block;
  for (let i = 0; i < touchedCount; i += 1) counts[touched[i] as number] = 0;
  block.touchedCount = 0;
  block.count = 0;
  block.min = Infinity;
  block.max = -Infinity;
  block.sum = 0;
  block.sumCarry = 0;
  block.overflow = 0;
}
