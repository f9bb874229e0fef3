/** The real sources of a plan: files beside it, the environment, a hash, a random seed. The only place of the command line that reads them. */

import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { FleetError } from '../shared/fleet-error.ts';
import { PLAN_COUNTS } from '../shared/plan/plan-limits.ts';
import type { PlanSources } from '../shared/plan/plan-sources.ts';

/** Largest secret file: a key, not a disk. */
const SECRET_BYTES_MAX = 65_536;

/** Sources for a plan whose file names start at `folder`. */
export function createPlanSources(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): PlanSources {
  return {
    environment,
    readFile: (path) => readWholeFile(resolve(folder, path), path, PLAN_COUNTS.blobBytesMax),
    readSecretFile: (path) => {
      const bytes = readWholeFile(resolve(folder, path), path, SECRET_BYTES_MAX);
      return new TextDecoder().decode(bytes);
    },
    sha256: (bytes) => createHash('sha256').update(bytes).digest('hex'),
    chooseSeed: () => randomBytes(8).readBigUInt64BE(),
  };
}

/**
 * Reads a regular file of at most `bytesMax`, or a pipe; `name` is how the user wrote it.
 * @throws FleetError 'plan' that says why it cannot be read: a plan that names it is wrong.
 */
export function readWholeFile(path: string, name: string, bytesMax: number): Uint8Array {
  let handle: number | null = null;
  try {
    handle = openSync(path, 'r');
    const stat = fstatSync(handle);
    if (stat.isDirectory()) throw new FleetError('plan', `${name} is a folder, not a file`);
    // A device such as /dev/zero has no end. A pipe has one, and shells give plans that way.
    if (!stat.isFile() && !stat.isFIFO()) throw new FleetError('plan', `${name} is not a regular file`);
    if (stat.size > bytesMax) throw new FleetError('plan', `${name} has ${stat.size} bytes, the limit is ${bytesMax}`);
    return readFileSync(handle);
  } catch (error) {
    if (error instanceof FleetError) throw error;
    throw new FleetError('plan', `${name} cannot be read: ${reasonOf(error)}`, { cause: error });
  } finally {
    if (handle !== null) closeSync(handle);
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'no such file';
  return code === 'EACCES' ? 'permission denied' : message;
}
