/**
 * Which data row arrival i of a `cycle` or `once` file takes: π(i mod R), π a seeded permutation of the rows for each pass i / R
 * (design §5). Every row comes once per pass over the whole fleet (R092), in an order that any worker computes by itself, in
 * O(1) memory: a Feistel network over the least power of four >= R, walked until it lands below R.
 */

import { assertInvariant } from '../fleet-error.ts';
import { counterDomain, counterWord } from '../random/counter-domain.ts';
import { philox4x32 } from '../random/philox.ts';
import type { Seed } from '../random/seed.ts';

/** Rounds of the network. Four are enough for large files (Luby and Rackoff); halves of two bits need eight to look uniform. */
const ROUNDS = 8;
const WORDS_PER_DRAW = 4;
/** Smallest half, in bits: tiny files still get varied orders. */
const HALF_BITS_MIN = 2;
/** Most rows: both halves fit 15 bits. */
export const ROW_COUNT_MAX = 2 ** 30;

/** The row order of one file in one plan. */
export class RowOrder {
  readonly #seed: Seed;
  readonly #rowCount: number;
  readonly #halfBits: number;
  readonly #halfMask: number;
  readonly #roundKeys = new Uint32Array(ROUNDS);
  #passOfKeys = -1;

  /** `rowCount` is R, 1..ROW_COUNT_MAX. */
  constructor(seed: Seed, rowCount: number) {
    assertInvariant(
      Number.isInteger(rowCount) && rowCount >= 1 && rowCount <= ROW_COUNT_MAX,
      `row order: ${rowCount} rows, allowed are 1..${ROW_COUNT_MAX}`,
    );
    this.#seed = seed;
    this.#rowCount = rowCount;
    this.#halfBits = Math.max(HALF_BITS_MIN, Math.ceil(Math.log2(rowCount) / 2));
    this.#halfMask = 2 ** this.#halfBits - 1;
  }

  /** The 0-based row of the `ordinal`-th use of the file, ordinal = 0, 1, 2 … over all passes. */
  rowAt(ordinal: number): number {
    const pass = Math.floor(ordinal / this.#rowCount);
    if (pass !== this.#passOfKeys) this.#drawKeys(pass);
    let row = this.#permute(ordinal - pass * this.#rowCount);
    while (row >= this.#rowCount) row = this.#permute(row);
    return row;
  }

  /** A bijection of 0..4^halfBits - 1. */
  #permute(value: number): number {
    let left = value >>> this.#halfBits;
    let right = value & this.#halfMask;
    for (let round = 0; round < ROUNDS; round += 1) {
      const mixed = scramble(right ^ (this.#roundKeys[round] as number)) & this.#halfMask;
      [left, right] = [right, left ^ mixed];
    }
    return left * 2 ** this.#halfBits + right;
  }

  /** Round keys of a pass: the words of counters [pass lo, pass hi, 2^32 - 1 - part, dataRow]; no lane has such a number. */
  #drawKeys(pass: number): void {
    const word = counterWord(counterDomain.dataRow, 0);
    const high = Math.floor(pass / 4_294_967_296);
    for (let part = 0; part < ROUNDS / WORDS_PER_DRAW; part += 1) {
      const keys = this.#roundKeys.subarray(part * WORDS_PER_DRAW, (part + 1) * WORDS_PER_DRAW);
      philox4x32(pass, high, 0xffff_ffff - part, word, this.#seed.lo, this.#seed.hi, keys);
    }
    this.#passOfKeys = pass;
  }
}

/** The finaliser of MurmurHash3 (Appleby, public domain): every input bit reaches every output bit. */
function scramble(word: number): number {
  let x = word | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85eb_ca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2_ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
