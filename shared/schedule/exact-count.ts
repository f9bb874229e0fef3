/**
 * Exactly N arrivals placed at random by the rate curve: a Poisson process given its count (M§1.3, exact-N). Arrival i has
 * mass u53(philox([i lo, i hi, 0, 2])) * L(T), so anyone can compute any arrival. Time order: `exact-count-stream.ts`.
 */

import { FleetError } from '../fleet-error.ts';
import { counterDomain, counterWord } from '../random/counter-domain.ts';
import { philox4x32 } from '../random/philox.ts';
import type { Seed } from '../random/seed.ts';
import { u53 } from '../random/u53.ts';
import type { RateCurve } from './rate-curve.ts';

/** Places the arrivals of one exact-N phase. Holds scratch memory only. */
export class ExactCountInstants {
  readonly #seed: Seed;
  readonly #word: number;
  readonly #curve: RateCurve;
  readonly #words = new Uint32Array(4);

  /** `trialField` is trial * 256 + phase, from `trialFieldOf`. */
  constructor(seed: Seed, trialField: number, curve: RateCurve) {
    this.#seed = seed;
    this.#word = counterWord(counterDomain.exactCount, trialField);
    this.#curve = curve;
  }

  /** The share of the curve's mass before arrival `index`, on [0, 1). */
  shareOf(index: number): number {
    const words = this.#words;
    philox4x32(index, Math.floor(index / 4_294_967_296), 0, this.#word, this.#seed.lo, this.#seed.hi, words);
    return u53(words[0] as number, words[1] as number);
  }

  /** The instant of an arrival with this share: integer ns from the phase start. */
  nsOfShare(share: number): number {
    return this.#curve.nsOf(share * this.#curve.totalMass);
  }
}

/**
 * Checks an exact-N phase.
 * @throws FleetError 'plan' if `count` is no integer >= 0, or the curve has no mass to place arrivals by.
 */
export function assertExactCount(count: number, curve: RateCurve): void {
  if (!Number.isSafeInteger(count) || count < 0) {
    throw new FleetError('plan', `exact count: ${count} is not an integer >= 0`);
  }
  if (count > 0 && !(curve.totalMass > 0)) {
    throw new FleetError(
      'plan',
      `exact count: ${count} arrivals cannot be placed by a rate curve that is 0 throughout`,
    );
  }
}
