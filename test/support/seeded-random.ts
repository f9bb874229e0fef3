/**
 * Repeatable random numbers for simulations in tests, on the project's own Philox: the same seed gives the same stream on
 * every machine.
 */
import { philox4x32 } from '../../shared/random/philox.ts';
import { u53 } from '../../shared/random/u53.ts';

/** A stream of random draws. */
export interface SeededRandom {
  /** Uniform on [0, 1), 53 bits. */
  uniform(): number;
  /** Exponential with the given mean. */
  exponential(mean: number): number;
  /** Normal by Box and Muller. */
  normal(mean: number, deviation: number): number;
  /** Integer on 0..limit - 1. */
  below(limit: number): number;
}

/** A stream fixed by `seed` (0..2^32 - 1). */
export function seededRandom(seed: number): SeededRandom {
  const words = new Uint32Array(4);
  let draw = 0;
  const uniform = (): number => {
    const half = draw % 2;
    if (half === 0) philox4x32(draw / 2, 0, 0, 0, seed, 0, words);
    draw += 1;
    return u53(words[2 * half] as number, words[2 * half + 1] as number);
  };
  return {
    uniform,
    exponential: (mean) => -mean * Math.log(1 - uniform()),
    normal: (mean, deviation) => {
      const radius = Math.sqrt(-2 * Math.log(1 - uniform()));
      return mean + deviation * radius * Math.cos(2 * Math.PI * uniform());
    },
    below: (limit) => Math.floor(uniform() * limit),
  };
}
