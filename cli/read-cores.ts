/** The value of `--worker-cores`. */

import { InvalidArgumentError } from 'commander';
import { hasAffinity } from '../agent/session/core-affinity.ts';
import { parseCoreList } from '../agent/session/core-list.ts';

/** Core numbers, in order. @throws InvalidArgumentError for anything else, and where threads cannot be given cores. */
export function readCores(text: string): readonly number[] {
  if (!hasAffinity) throw new InvalidArgumentError('Only on Linux can a thread be given a core; leave it out.');
  const cores = parseCoreList(text);
  if (cores === null)
    throw new InvalidArgumentError('It must be a list of cores in 0..4095, each once, such as 2-5 or 1,3.');
  return cores;
}
