/**
 * The one bucket layout of the project, "layout 1": the HdrHistogram geometry with 3 significant digits, lowest value 1 and
 * highest 3.6e12 (M§7). It maps an integer to its bucket and a bucket to its inclusive range, and promises a relative
 * width of at most 1/1024. Two histograms can be added only because nobody can choose another layout.
 */

/** Number of the layout, sent with every histogram on the wire; a receiver refuses any other. */
export const LAYOUT_ID = 1;

/** Smallest value told apart from 0 (in the metric's own unit, ns for times). */
export const VALUE_LOWEST = 1;

/** Largest value that has a bucket: one hour in ns. Above it a sample is clamped and counted as overflow (R062). */
export const VALUE_MAX = 3.6e12;

/** Decimal digits that a bucket preserves. */
export const SIGNIFICANT_DIGITS = 3;

/** Buckets of the first, linear stretch: 2^ceil(log2(2 * 10^3)). */
const SUBBUCKET_COUNT = 2048;

/** Number of counters of a dense histogram: 33 halves of 1,024 sub-buckets (M§7). */
export const COUNTER_COUNT = 33_792;

/** log2 of half the sub-buckets: each further power of two adds this many bits' worth of buckets. */
const HALF_BITS = 10;
const HALF_COUNT = SUBBUCKET_COUNT / 2;

/** A bucket is at most this part of its lowest value wide. */
export const RELATIVE_WIDTH_MAX = 1 / HALF_COUNT;

/** `clz32` of a value in [1024, 2047]. */
const CLZ_OF_HALF = 31 - HALF_BITS;

/** 2^e for the 33 bucket widths there are: a table, because `2 ** e` costs a call of pow on the path of every merge. */
const POWERS_OF_TWO: readonly number[] = Array.from(
  { length: COUNTER_COUNT / HALF_COUNT },
  (_, exponent) => 2 ** exponent,
);

/** Values from here on do not fit a signed 32-bit word; their low 21 bits never decide the bucket. */
const WORD_LIMIT = 2 ** 31;
const LOW_BITS = 21;
const LOW_BITS_INVERSE = 2 ** -LOW_BITS;

/**
 * The bucket of an integer `value` in 0..VALUE_MAX. Hot path: no allocation, no log, no BigInt, no range check
 * (`record` has clamped before). A fraction falls into the bucket of its integer part.
 *
 * With e = max(0, floor(log2 value) - 10) the bucket is e * 1024 + floor(value / 2^e).
 */
export function bucketIndexOf(value: number): number {
  if (value < WORD_LIMIT) {
    const word = value | 0;
    // `| HALF_COUNT` gives e = 0 for every value below 2048 without a branch.
    const exponent = CLZ_OF_HALF - Math.clz32(word | HALF_COUNT);
    return (exponent << HALF_BITS) + (word >>> exponent);
  }
  // At least 11 leading bits are left after dropping 21, which is all that a bucket keeps.
  const word = (value * LOW_BITS_INVERSE) | 0;
  const exponent = CLZ_OF_HALF - Math.clz32(word);
  return ((exponent + LOW_BITS) << HALF_BITS) + (word >>> exponent);
}

/** The smallest integer that falls into bucket `index` (0..COUNTER_COUNT - 1). */
export function bucketLowOf(index: number): number {
  const exponent = exponentOf(index);
  return (index - exponent * HALF_COUNT) * (POWERS_OF_TWO[exponent] as number);
}

/** The largest integer that falls into bucket `index` (0..COUNTER_COUNT - 1). */
export function bucketHighOf(index: number): number {
  return bucketLowOf(index) + (POWERS_OF_TWO[exponentOf(index)] as number) - 1;
}

/** log2 of the width of bucket `index`. */
function exponentOf(index: number): number {
  return index < SUBBUCKET_COUNT ? 0 : (index >>> HALF_BITS) - 1;
}
