/**
 * Gamma variates keyed by an index: draw i is the same whoever asks, in any order. Method of Marsaglia and Tsang (ACM TOMS
 * 26(3), 2000) on counter-based words, with arithmetic that gives the same bits on every engine. About 0.3 us a draw.
 */

import { counterDomain, counterWord } from './counter-domain.ts';
import { exponential, naturalLog } from './elementary.ts';
import { philox4x32 } from './philox.ts';
import type { Seed } from './seed.ts';
import { u53 } from './u53.ts';

/** Draws Gamma(shape, scale 1) variates for one (seed, trial, phase). Holds scratch memory only. */
export class GammaDraws {
  readonly #seed: Seed;
  readonly #word: number;
  readonly #shape: number;
  /** d and c of the method, for the shape or, below 1, for shape + 1. */
  readonly #d: number;
  readonly #c: number;
  readonly #words = new Uint32Array(8);
  readonly #firstWords = this.#words.subarray(0, 4);
  readonly #secondWords = this.#words.subarray(4, 8);

  /** `shape` > 0; `trialField` is trial * 256 + phase. */
  constructor(seed: Seed, trialField: number, shape: number) {
    this.#seed = seed;
    this.#word = counterWord(counterDomain.renewalGap, trialField);
    this.#shape = shape;
    this.#d = (shape < 1 ? shape + 1 : shape) - 1 / 3;
    this.#c = 1 / Math.sqrt(9 * this.#d);
  }

  /** The variate of `index` (0-based, below 2^53); mean `shape`, variance `shape`. */
  draw(index: number): number {
    // Each attempt succeeds with probability above 0.7; its words are counters of their own.
    for (let attempt = 0; ; attempt++) {
      const value = this.#attempt(index, attempt);
      if (value !== null) return value;
    }
  }

  /** One round of the rejection method; null if it rejects. */
  #attempt(index: number, attempt: number): number | null {
    const words = this.#words;
    const seed = this.#seed;
    const word = this.#word;
    const c = this.#c;
    const d = this.#d;
    const indexHigh = Math.floor(index / 4_294_967_296);
    philox4x32(index, indexHigh, 2 * attempt, word, seed.lo, seed.hi, this.#firstWords);
    // A standard normal x by the polar method: a point in the unit disc.
    const a = 2 * u53(words[0] as number, words[1] as number) - 1;
    const b = 2 * u53(words[2] as number, words[3] as number) - 1;
    const square = a * a + b * b;
    if (square >= 1 || square === 0) return null;
    const x = a * Math.sqrt((-2 * naturalLog(square)) / square);
    const base = 1 + c * x;
    if (base <= 0) return null;
    const v = base * base * base;
    philox4x32(index, indexHigh, 2 * attempt + 1, word, seed.lo, seed.hi, this.#secondWords);
    const u = 1 - u53(words[4] as number, words[5] as number);
    if (naturalLog(u) >= 0.5 * x * x + d - d * v + d * naturalLog(v)) return null;
    if (this.#shape >= 1) return d * v;
    // Gamma(shape) = Gamma(shape + 1) * U^(1 / shape).
    const lift = 1 - u53(words[6] as number, words[7] as number);
    return d * v * exponential(naturalLog(lift) / this.#shape);
  }
}
