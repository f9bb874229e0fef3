/**
 * Samples held back until it is known which series they belong to: bucket indexes and an exact sum, two bytes a sample. The gaps of
 * a stream are kept so until its outcome is known, so that a failed stream never enters the ok series. Bounded: samples above the
 * limit are counted and not kept.
 */

import { bucketIndexOf, VALUE_MAX } from './layout.ts';
import type { RecordingBlock } from './recording-block.ts';

/** Most samples held of one stream: 128 kB. */
export const HELD_MAX = 65_536;

const LENGTH_FIRST = 256;
const WEIGHT_MAX = 65_535;
const SUM_CARRY = 2 ** 52;

export class HeldSamples {
  #buckets = new Uint16Array(LENGTH_FIRST);
  /** How often each sample counts; made when one counts more than once. */
  #weights: Uint16Array | null = null;
  /** Entries held. */
  length = 0;
  /** Samples held: the sum of the weights. */
  count = 0;
  sum = 0;
  min = Infinity;
  max = -Infinity;
  /** Samples that were not kept because of the limit. */
  beyond = 0;
  /** Samples above the largest value, clamped. */
  overflow = 0;

  /** Forgets all samples; large memory is let go. */
  reset(): void {
    if (this.#buckets.length > LENGTH_FIRST) this.#buckets = new Uint16Array(LENGTH_FIRST);
    this.#weights = null;
    this.length = 0;
    this.count = 0;
    this.sum = 0;
    this.min = Infinity;
    this.max = -Infinity;
    this.beyond = 0;
    this.overflow = 0;
  }

  /** Holds `value` (an integer >= 0) `weight` times (1..65,535). */
  add(value: number, weight = 1): void {
    if (this.length >= HELD_MAX) {
      this.beyond += weight;
      return;
    }
    const times = weight > WEIGHT_MAX ? WEIGHT_MAX : weight;
    let sample = value;
    if (!(sample <= VALUE_MAX)) {
      sample = VALUE_MAX;
      this.overflow += times;
    }
    if (this.length === this.#buckets.length) this.#grow();
    const at = this.length;
    this.#buckets[at] = bucketIndexOf(sample);
    if (times > 1 && this.#weights === null) this.#weights = new Uint16Array(this.#buckets.length).fill(1, 0, at);
    if (this.#weights !== null) this.#weights[at] = times;
    this.length = at + 1;
    this.count += times;
    this.sum += sample * times;
    if (sample < this.min) this.min = sample;
    if (sample > this.max) this.max = sample;
  }

  /** Records all of them into `block`, exactly as if each had been recorded when it came. */
  recordInto(block: RecordingBlock): void {
    const { counts, touched } = block;
    const weights = this.#weights;
    for (let at = 0; at < this.length; at += 1) {
      const index = this.#buckets[at] as number;
      const before = counts[index] as number;
      if (before === 0) {
        touched[block.touchedCount] = index;
        block.touchedCount += 1;
      }
      counts[index] = before + (weights === null ? 1 : (weights[at] as number));
    }
    block.count += this.count;
    block.overflow += this.overflow;
    if (this.min < block.min) block.min = this.min;
    if (this.max > block.max) block.max = this.max;
    block.sum += this.sum;
    if (block.sum >= SUM_CARRY) {
      block.sum -= SUM_CARRY;
      block.sumCarry += 1;
    }
  }

  #grow(): void {
    const length = Math.min(HELD_MAX, this.#buckets.length * 4);
    const buckets = new Uint16Array(length);
    buckets.set(this.#buckets);
    this.#buckets = buckets;
    if (this.#weights === null) return;
    const weights = new Uint16Array(length);
    weights.set(this.#weights);
    this.#weights = weights;
  }
}
