/** The value of `--housekeeping-nice`. */

import { InvalidArgumentError } from 'commander';
import { canGiveWay, NICE_MAX } from '../agent/session/give-way.ts';

/** A whole number in 0..19. @throws InvalidArgumentError for anything else, and where threads have no level of their own. */
export function readNice(text: string): number {
  const value = Number(text);
  if (!/^[0-9]{1,2}$/.test(text) || value > NICE_MAX) {
    throw new InvalidArgumentError(`It must be a whole number in 0..${NICE_MAX}.`);
  }
  if (value > 0 && !canGiveWay) {
    throw new InvalidArgumentError('Only on Linux has a thread a nice level of its own; leave it out.');
  }
  return value;
}
