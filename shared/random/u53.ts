/**
 * Turns two random 32-bit words into one double on [0, 1) with 53 random bits.
 * The reading is part of lanes v1 (M§1.3): changing it changes every schedule.
 */

/** 2^-53. A product with it is exact. */
const scale = 1 / 9_007_199_254_740_992;

/** ((a >>> 5) * 2^26 + (b >>> 6)) / 2^53: the top 27 bits of `a`, then the top 26 bits of `b`. */
export function u53(a: number, b: number): number {
  return ((a >>> 5) * 67_108_864 + (b >>> 6)) * scale;
}
