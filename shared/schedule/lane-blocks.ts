/**
 * Lanes v1 (M§1.3): lane l is a unit-rate Poisson process in operational time tau = L(t) / S, cut in blocks of 32. This
 * file draws one block of one lane: how many arrivals, and where. Counts and uniforms only, no logarithm: bit-identical
 * everywhere. What the masses mean in time is the rate curve's affair.
 */

import { counterDomain, counterWord } from '../random/counter-domain.ts';
import { philox4x32 } from '../random/philox.ts';
import type { Seed } from '../random/seed.ts';
import { u53 } from '../random/u53.ts';

/** Expected arrivals, and operational time, per block of a lane. */
export const blockMass = 32;

/** Most arrivals a block can hold: the length of the count table. */
export const blockCountMax = 89;

/** Size that the position buffer must have (positions come in pairs). */
export const positionBufferLength = blockCountMax + 1;

/** p0 = exp(-32), as pinned by the law. */
const probabilityOfNone = 1.2664165549094176e-14;

/** P(count <= n) of a Poisson count of mean 32, n = 0.. until the running sum stops growing (89 entries). */
function createCountTable(): Float64Array {
  const sums: number[] = [];
  let probability = probabilityOfNone;
  let sum = probability;
  while (sum !== sums.at(-1)) {
    sums.push(sum);
    // The order of the two operations is part of the law.
    probability = (probability * 32) / sums.length;
    sum += probability;
  }
  return Float64Array.from(sums);
}

/** `countTable[n]` = P(count <= n). */
export const countTable: Float64Array = createCountTable();

const guideSize = 1024;

/** For each 1/1024 of the unit interval, the least n the search can end at. */
const guide = Uint8Array.from({ length: guideSize }, (_, k) => countTable.findIndex((sum) => k / guideSize < sum));

/** The least n with u < P(count <= n), u on [0, 1). */
export function countOf(u: number): number {
  let n = guide[Math.floor(u * guideSize)] as number;
  while (n < countTable.length && u >= (countTable[n] as number)) n++;
  return n;
}

/** Draws blocks of one (seed, trial, phase). Holds scratch memory only: calls are independent of each other. */
export class LaneBlocks {
  readonly #keyLo: number;
  readonly #keyHi: number;
  readonly #countWord: number;
  readonly #positionWord: number;
  readonly #words = new Uint32Array(4);

  /** `trialField` is trial * 256 + phase, from `trialFieldOf`. */
  constructor(seed: Seed, trialField: number) {
    this.#keyLo = seed.lo;
    this.#keyHi = seed.hi;
    this.#countWord = counterWord(counterDomain.count, trialField);
    this.#positionWord = counterWord(counterDomain.position, trialField);
  }

  /** Number of arrivals in `block` of `lane`, 0..blockCountMax. */
  count(lane: number, block: number): number {
    const words = this.#words;
    philox4x32(0, block, lane, this.#countWord, this.#keyLo, this.#keyHi, words);
    return countOf(u53(words[0] as number, words[1] as number));
  }

  /**
   * Writes the positions v of the block's arrivals, each on [0, 1) of the block, ascending, into `into` (at least
   * `positionBufferLength` long) and returns their number. An arrival's rank is its index there; its operational time is
   * tau = (block + v) * 32.
   */
  positions(lane: number, block: number, into: Float64Array): number {
    const n = this.unorderedPositions(lane, block, into);
    sortPrefix(into, n);
    return n;
  }

  /** The same in the order in which they are drawn, for those who only count: sorting is half of the work. */
  unorderedPositions(lane: number, block: number, into: Float64Array): number {
    const n = this.count(lane, block);
    const words = this.#words;
    for (let pair = 0; 2 * pair < n; pair++) {
      philox4x32(pair, block, lane, this.#positionWord, this.#keyLo, this.#keyHi, words);
      into[2 * pair] = u53(words[0] as number, words[1] as number);
      into[2 * pair + 1] = u53(words[2] as number, words[3] as number);
    }
    return n;
  }
}

/** Insertion sort of the first n values: a block is short, and this beats any general sort there. */
function sortPrefix(values: Float64Array, n: number): void {
  for (let i = 1; i < n; i++) {
    const value = values[i] as number;
    let j = i - 1;
    while (j >= 0 && (values[j] as number) > value) {
      values[j + 1] = values[j] as number;
      j--;
    }
    values[j + 1] = value;
  }
}
