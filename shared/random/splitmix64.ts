/**
 * SplitMix64 (Steele, Lea, Flood 2014): the seeds of further runs from the seed of the first.
 * Not used for arrivals or payloads: those come from Philox, keyed by identity (M§1.3).
 */

const mask = 0xffff_ffff_ffff_ffffn;
const golden = 0x9e37_79b9_7f4a_7c15n;

/**
 * The k-th output (k >= 1) of SplitMix64 started at `seed`: the seed of run k of a repeated experiment.
 * Random access, because the state after k steps is seed + k * golden (mod 2^64).
 */
export function splitMix64(seed: bigint, k: number): bigint {
  let z = (seed + BigInt(k) * golden) & mask;
  z = ((z ^ (z >> 30n)) * 0xbf58_476d_1ce4_e5b9n) & mask;
  z = ((z ^ (z >> 27n)) * 0x94d0_49bb_1331_11ebn) & mask;
  return z ^ (z >> 31n);
}
