/**
 * Files of the command line besides result folders: a calibration, a proof, a repetition. What takes minutes to measure is tried to be
 * written before it is measured. Folders are made one by one: Node's recursive mkdir never ends where a file system such as /proc
 * refuses a folder by saying that it does not exist.
 */

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isLeftOver, temporaryName } from '../coordinator/report/temporary-name.ts';
import { FleetError } from '../shared/fleet-error.ts';

/**
 * Writes `text` to `path` whole or not at all, its folders made where missing; a pipe or device is written to as it is.
 * @throws FleetError 'io' that begins with `what`.
 */
export function writeFile(path: string, text: string, what: string): void {
  orSay(path, what, () => {
    if (isSpecial(path)) {
      writeFileSync(path, text);
      return;
    }
    renameSync(temporaryFor(path, text), path);
  });
}

/** Whether `path` could be written, without touching what is there. @throws as `writeFile`. */
export function tryFile(path: string, what: string): void {
  orSay(path, what, () => {
    if (!isSpecial(path)) rmSync(temporaryFor(path, ''));
  });
}

/** A pipe, a device: there, and no file that could be replaced. */
function isSpecial(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) throw new Error('it is a folder');
  return found !== undefined && !found.isFile();
}

function temporaryFor(path: string, text: string): string {
  const folder = dirname(resolve(path));
  const temporary = join(folder, temporaryName(basename(path)));
  makeFolders(folder);
  removeLeftOver(folder, basename(path));
  try {
    writeFileSync(temporary, text);
  } catch (error) {
    // A full disk leaves half of it.
    rmSync(temporary, { force: true });
    throw error;
  }
  return temporary;
}

/** Best effort: what cannot be seen or removed (another user's, in a folder for all) is in nobody's way. */
function removeLeftOver(folder: string, name: string): void {
  try {
    for (const found of readdirSync(folder)) {
      if (found.startsWith(`.${name}.`) && isLeftOver(found)) rmSync(join(folder, found), { force: true });
    }
  } catch {
    // The file itself can be written all the same.
  }
}

function orSay(path: string, what: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new FleetError('io', `${what} ${path} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}

function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
