/** Cheap reproducible draws for fuzzing: quick and the same everywhere, but no good randomness. For statistics there is `seeded-random.ts`. */

/** An integer on 0..below - 1. */
export type Draw = (below: number) => number;

/** A stream of draws by xorshift32, fixed by `seed`. */
export function createDraws(seed: number): Draw {
  let state = seed | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}
