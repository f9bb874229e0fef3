/**
 * Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC'11): a counter-based random generator. Equal key and counter give equal
 * words on every machine, in any order, so any part of a schedule can be computed by anyone. Not for secrets.
 * Allocation-free, 32-bit integer operations only: the result goes into the caller's array.
 */

const multiplier0 = 0xd251_1f53;
const multiplier0Low = 0x1f53;
const multiplier0High = 0xd251;
const multiplier1 = 0xcd9e_8d57;
const multiplier1Low = 0x8d57;
const multiplier1High = 0xcd9e;
const keyStep0 = 0x9e37_79b9;
const keyStep1 = 0xbb67_ae85;
const rounds = 10;

/**
 * Writes the four words of counter [c0, c1, c2, c3] under key [k0, k1] to `into[0..3]`.
 * Words are taken modulo 2^32. The high half of each 32 x 32 product is built from 16-bit halves: every intermediate sum
 * stays below 2^32, so `Math.imul` and `>>>` are exact.
 */
export function philox4x32(
  c0: number,
  c1: number,
  c2: number,
  c3: number,
  k0: number,
  k1: number,
  into: Uint32Array,
): void {
  let x0 = c0 | 0;
  let x1 = c1 | 0;
  let x2 = c2 | 0;
  let x3 = c3 | 0;
  let key0 = k0 | 0;
  let key1 = k1 | 0;
  for (let round = 0; round < rounds; round++) {
    const low0 = x0 & 0xffff;
    const high0 = x0 >>> 16;
    const carry0 = (Math.imul(high0, multiplier0Low) + (Math.imul(low0, multiplier0Low) >>> 16)) | 0;
    const middle0 = (Math.imul(low0, multiplier0High) + (carry0 & 0xffff)) | 0;
    const productHigh0 = (Math.imul(high0, multiplier0High) + (carry0 >>> 16) + (middle0 >>> 16)) | 0;

    const low1 = x2 & 0xffff;
    const high1 = x2 >>> 16;
    const carry1 = (Math.imul(high1, multiplier1Low) + (Math.imul(low1, multiplier1Low) >>> 16)) | 0;
    const middle1 = (Math.imul(low1, multiplier1High) + (carry1 & 0xffff)) | 0;
    const productHigh1 = (Math.imul(high1, multiplier1High) + (carry1 >>> 16) + (middle1 >>> 16)) | 0;

    const productLow0 = Math.imul(x0, multiplier0);
    const productLow1 = Math.imul(x2, multiplier1);
    x0 = productHigh1 ^ x1 ^ key0;
    x1 = productLow1;
    x2 = productHigh0 ^ x3 ^ key1;
    x3 = productLow0;
    key0 = (key0 + keyStep0) | 0;
    key1 = (key1 + keyStep1) | 0;
  }
  into[0] = x0;
  into[1] = x1;
  into[2] = x2;
  into[3] = x3;
}
