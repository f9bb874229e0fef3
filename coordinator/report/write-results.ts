/**
 * Writes the files of a result into their folder: each complete or not at all, `result.json` last, so that whoever sees it can read
 * the others. A script that reads the folder it named always finds the run it just made; the files of an earlier run in the
 * same folder are moved into a folder beside them, never mixed with the new ones and never overwritten. What a process that was killed left
 * half written is removed.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { FleetError } from '../../shared/fleet-error.ts';
import { isLeftOver, temporaryName } from './temporary-name.ts';

const RESULT_FILE = 'result.json';

/** Files that belong to a result; anything else in the folder is not ours. */
const OWN_FILE =
  /^(result\.json|summary\.txt|windows\.csv|plan\.effective\.yaml|llm-vllm\.json|requests\.jsonl|report\.html|[A-Za-z][A-Za-z-]*\.hlog)$/;

/** Folders of earlier runs that get a number of their own when their run id was used before. */
const EARLIER_MAX = 1000;

/** What was written, and where. */
export interface WrittenResults {
  /** Absolute path. */
  readonly folder: string;
  /** Large files that are not there: name to the reason. */
  readonly missing: ReadonlyMap<string, string>;
}

/**
 * Writes `files` (name to UTF-8 text) into `directory`, which is made where it is missing. Own files of an earlier run go to the folder
 * `<directory>/<its run id>`. `largeFiles` (name to the path of a temporary file) are copied behind them: one for which the disk has no
 * room costs no other file.
 * @throws FleetError code `io` that names the path; the caller still has the result in memory and can print its summary.
 */
export async function writeResults(
  directory: string,
  files: ReadonlyMap<string, string>,
  largeFiles: ReadonlyMap<string, string> = new Map(),
): Promise<WrittenResults> {
  const folder = resolve(directory);
  try {
    await makeFolder(folder);
    await removeLeftOver(folder);
    const names = [...largeFiles.keys(), ...files.keys()].sort(
      (a, b) => Number(a === RESULT_FILE) - Number(b === RESULT_FILE),
    );
    const missing = new Map<string, string>();
    const temporary = (name: string): string => join(folder, temporaryName(name));
    try {
      for (const [name, text] of files) await writeWhole(temporary(name), text);
      for (const [name, path] of largeFiles) {
        const why = await copyWhole(path, temporary(name));
        if (why !== null) missing.set(name, why);
      }
      await setAsideEarlier(folder);
      for (const name of names) if (!missing.has(name)) await rename(temporary(name), join(folder, name));
    } finally {
      // One that cannot be removed (its name is too long, say) must not keep the others.
      await Promise.allSettled(names.map((name) => rm(temporary(name), { force: true })));
    }
    return { folder, missing };
  } catch (error) {
    throw new FleetError('io', `results: the folder ${folder} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * Tries whether results can be written into `directory`, before the run that makes them: a file is written and removed, and so are folders
 * that had to be made for it. @throws FleetError code `io` as `writeResults` would.
 */
export async function tryResultFolder(directory: string): Promise<void> {
  const folder = resolve(directory);
  const trial = join(folder, temporaryName('loadfleet'));
  try {
    const made = await makeFolder(folder);
    try {
      await writeWhole(trial, '');
    } finally {
      await rm(trial, { force: true });
      // One that another run has begun to use meanwhile stays.
      for (const one of made.reverse()) await rmdir(one).catch(() => undefined);
    }
  } catch (error) {
    throw new FleetError('io', `results: the folder ${folder} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * Makes `folder` and those above it that are missing, and gives back what it made, topmost first. Step by step: the platform's own
 * recursive way never returns where a file system makes no folders (/proc).
 */
async function makeFolder(folder: string): Promise<string[]> {
  const missing: string[] = [];
  for (let at = folder; !existsSync(at); at = dirname(at)) missing.unshift(at);
  const made: string[] = [];
  for (const one of missing) {
    try {
      await mkdir(one);
      made.push(one);
    } catch (error) {
      // Another run may have made it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return made;
}

/** Writes and flushes to the disk: a name that appears must not hold half a file after a crash. */
async function writeWhole(path: string, text: string): Promise<void> {
  const handle = await open(path, 'w');
  try {
    await handle.writeFile(text, 'utf8');
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Copies and flushes; gives back why it could not, and leaves nothing of it then. */
async function copyWhole(from: string, path: string): Promise<string | null> {
  try {
    await copyFile(from, path);
    const handle = await open(path, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    return null;
  } catch (error) {
    await rm(path, { force: true });
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Best effort: what cannot be removed is in nobody's way. */
async function removeLeftOver(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter(isLeftOver);
  await Promise.allSettled(names.map((name) => rm(join(folder, name), { force: true })));
}

async function setAsideEarlier(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  const own = entries.filter((entry) => entry.isFile() && OWN_FILE.test(entry.name)).map((entry) => entry.name);
  if (own.length === 0) return;
  const aside = await makeFreshFolder(join(folder, await earlierRunId(folder)));
  for (const name of own) await rename(join(folder, name), join(aside, name));
}

async function earlierRunId(folder: string): Promise<string> {
  try {
    const value = JSON.parse(await readFile(join(folder, RESULT_FILE), 'utf8')) as { run?: { id?: unknown } };
    const id = value.run?.id;
    if (typeof id === 'string' && /^[A-Za-z0-9][A-Za-z0-9._-]{0,100}$/.test(id)) return id;
  } catch (error) {
    // Unreadable or not JSON: whatever it was, it is kept under a name that says only that it came before.
    if (!(error instanceof Error)) throw error;
  }
  return 'earlier';
}

async function makeFreshFolder(path: string): Promise<string> {
  for (let number = 1; number <= EARLIER_MAX; number += 1) {
    const candidate = number === 1 ? path : `${path}-${number}`;
    const made = await mkdir(candidate).then(
      () => true,
      (error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
        throw error;
      },
    );
    if (made) return candidate;
  }
  throw new FleetError('io', `results: more than ${EARLIER_MAX} folders ${path}-N exist`);
}
