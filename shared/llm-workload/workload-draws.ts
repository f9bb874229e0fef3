/** Seeded draws for making workloads where a plan is compiled: lengths, samples and choices. The same seed and purpose, the same draws. */

import { counterDomain, counterWord } from '../random/counter-domain.ts';
import { philox4x32 } from '../random/philox.ts';
import type { Seed } from '../random/seed.ts';
import { u53 } from '../random/u53.ts';

/** Trial bits that no trial has. */
const WORKLOAD_WORD = counterWord(counterDomain.content, 0xff_fffe);

/** What draws are for: two purposes never share a word. */
export const WORKLOAD_PURPOSE = { inputLength: 1, outputLength: 2, sample: 3, lines: 4, shuffle: 5 } as const;

export class WorkloadDraws {
  readonly #seed: Seed;
  readonly #purpose: number;
  readonly #words = new Uint32Array(4);
  #index = 0;

  constructor(seed: Seed, purpose: number) {
    this.#seed = seed;
    this.#purpose = purpose;
  }

  /** Uniform on [0, 1). */
  unit(): number {
    philox4x32(this.#index, this.#purpose, 0, WORKLOAD_WORD, this.#seed.lo, this.#seed.hi, this.#words);
    this.#index += 1;
    return u53(this.#words[0] as number, this.#words[1] as number);
  }

  /** A whole number, uniform on low..high. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  /** `items` in a random order (Fisher and Yates). */
  shuffled<T>(items: readonly T[]): T[] {
    const order = [...items];
    for (let place = order.length - 1; place > 0; place -= 1) {
      const other = this.whole(0, place);
      [order[place], order[other]] = [order[other] as T, order[place] as T];
    }
    return order;
  }
}
