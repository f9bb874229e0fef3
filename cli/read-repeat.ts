/** The value of `--repeat`. */

import { InvalidArgumentError } from 'commander';

/** Most repetitions. */
const REPEAT_MAX = 100;

/** A whole number in 1..100. @throws InvalidArgumentError for anything else. */
export function readRepeat(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > REPEAT_MAX) {
    throw new InvalidArgumentError(`It must be a whole number in 1..${REPEAT_MAX}.`);
  }
  return value;
}
