/**
 * Inverting a monotone function by halving an interval: slow, sure, and exact to the last bits of a double.
 * Used for quantiles whose distribution function has no closed inverse.
 */

import { assertInvariant } from '../fleet-error.ts';

/** Halvings until an interval of doubles cannot shrink further. */
const HALVINGS_MAX = 200;

/** Doublings of the upper end before a search gives up. */
const DOUBLINGS_MAX = 1000;

/**
 * The point in [low, high] where the non-decreasing `rising` reaches `target`: the least such point up to rounding.
 * `rising(high)` must be at least `target`; where `rising(low)` already is, the answer is `low`.
 */
export function solveRising(rising: (x: number) => number, target: number, low: number, high: number): number {
  if (rising(low) >= target) return low;
  let below = low;
  let above = high;
  for (let halving = 0; halving < HALVINGS_MAX; halving += 1) {
    const middle = below + (above - below) / 2;
    if (middle <= below || middle >= above) break;
    if (rising(middle) >= target) above = middle;
    else below = middle;
  }
  return above;
}

/** As `solveRising` on [0, infinity): the upper end is found by doubling from `firstGuess` (> 0). */
export function solveRisingFromZero(rising: (x: number) => number, target: number, firstGuess: number): number {
  let high = firstGuess;
  for (let doubling = 0; rising(high) < target; doubling += 1) {
    assertInvariant(doubling < DOUBLINGS_MAX, `the function never reaches ${target}`);
    high *= 2;
  }
  return solveRising(rising, target, 0, high);
}
