/**
 * The seed of a run: a 64-bit number that, with the plan, fixes every random choice of the fleet (M§1.3).
 * A `bigint` at the borders (plan, report, command line), a pair of 32-bit words inside, so that no hot loop sees a bigint.
 */

import { FleetError } from '../fleet-error.ts';

/** The seed as the Philox key: two unsigned 32-bit words. */
export interface Seed {
  /** The low 32 bits, 0..2^32-1. */
  readonly lo: number;
  /** The high 32 bits, 0..2^32-1. */
  readonly hi: number;
}

const seedMax = 0xffff_ffff_ffff_ffffn;
// No leading zero: YAML 1.1 and C read such a number as octal.
const decimalForm = /^(?:0|[1-9][0-9]*)$/;
const hexForm = /^0[xX][0-9a-fA-F]+$/;

/**
 * Reads a seed written in decimal ("42") or hexadecimal ("0x2a"); the value is 0..2^64-1.
 * @throws FleetError 'plan' for any other text.
 */
export function parseSeed(text: string): bigint {
  const digits = text.trim();
  if (!decimalForm.test(digits) && !hexForm.test(digits)) {
    throw new FleetError('plan', `seed: "${text}" is not a decimal or 0x hexadecimal number`);
  }
  const value = BigInt(digits);
  if (value > seedMax) throw new FleetError('plan', `seed: ${text} is above the largest seed, ${String(seedMax)}`);
  return value;
}

/**
 * Splits a seed into the two words of the key.
 * @throws FleetError 'plan' outside 0..2^64-1.
 */
export function seedFromBigInt(value: bigint): Seed {
  if (value < 0n || value > seedMax) {
    throw new FleetError('plan', `seed: ${String(value)} is outside 0..${String(seedMax)}`);
  }
  return { lo: Number(value & 0xffff_ffffn), hi: Number(value >> 32n) };
}
