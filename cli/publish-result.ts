/** The end of a run for the user: the result folder, the summary on standard output, the exit code. */

import { join } from 'node:path';
import { removeLargeFiles } from '../coordinator/report/request-file.ts';
import { tryResultFolder, writeResults } from '../coordinator/report/write-results.ts';
import { FleetError } from '../shared/fleet-error.ts';
import type { Console } from './console.ts';
import { EXIT_CODES, exitCodeOfSignal, strongestExitCode } from './exit-code.ts';
import type { Signals } from './signals.ts';

/** A run that is over, wherever it ran. */
export interface FinishedRun {
  readonly runId: string;
  /** Ends in a newline. */
  readonly summary: string;
  /** Content of every file of the result folder by name. */
  readonly files: ReadonlyMap<string, string>;
  /** Files that are too large for memory: name to the path of a temporary one, which is removed here. */
  readonly largeFiles: ReadonlyMap<string, string>;
  /** Files that did not come over the wire: name to the reason. */
  readonly missing?: ReadonlyMap<string, string>;
  /** What the run itself came to. */
  readonly exitCode: number;
}

/** Where and how it is published. */
export interface Publishing {
  /** The plan's folder; null = one named after the run. */
  readonly directory: string | null;
  readonly console: Console;
  readonly signals: Pick<Signals, 'first' | 'whileWriting'>;
}

/** Folder of results where the plan names none; each run has one of its own in it. */
const DEFAULT_FOLDER = 'loadfleet-results';

/** Tries the result folder before a run, which may be long. @throws FleetError 'io' when it cannot be written. */
export async function tryPublishing(directory: string | null): Promise<void> {
  await tryResultFolder(directory ?? DEFAULT_FOLDER);
}

/**
 * Writes the folder first and prints then, so that a reader who goes away costs nothing. A folder that cannot be written still
 * gets its summary printed, with the exit code that the whole ends with; so does a folder without one of the large files.
 * @returns the exit code of the whole.
 */
export async function publishResult(run: FinishedRun, { directory, console, signals }: Publishing): Promise<number> {
  const codes = [run.exitCode];
  let where = '';
  try {
    const folder = directory ?? join(DEFAULT_FOLDER, run.runId);
    const written = await signals.whileWriting(() => writeResults(folder, run.files, run.largeFiles));
    where = `\nresults: ${written.folder}\n`;
    for (const [name, why] of [...(run.missing ?? []), ...written.missing]) {
      console.err(`loadfleet: results: ${name} is missing: ${why}\n`);
      codes.push(EXIT_CODES.internal);
    }
  } catch (error) {
    if (!(error instanceof FleetError)) throw error;
    console.err(`loadfleet: ${error.message}\n`);
    codes.push(EXIT_CODES.internal);
  } finally {
    await removeLargeFiles(run.largeFiles);
  }
  // A signal during the writing changes no number, but the caller must hear of it.
  if (signals.first !== null) codes.push(exitCodeOfSignal(signals.first));
  const whole = strongestExitCode(codes);
  await console.out(`${withExitCode(run, whole, where !== '')}${where}`);
  // One more may have come while a slow reader took the text.
  return signals.first === null ? whole : strongestExitCode([...codes, exitCodeOfSignal(signals.first)]);
}

/** The summary with the exit code that is really ended with, and why it is not the run's. */
function withExitCode({ summary, exitCode }: FinishedRun, whole: number, isFolderThere: boolean): string {
  if (whole === exitCode) return summary;
  const unwritten = isFolderThere ? 'a file of the results could not be kept' : 'the results could not be written';
  const why = whole === EXIT_CODES.internal ? unwritten : 'a signal came at the end';
  return `${summary}\nexit code ${whole}: ${why}; the run itself came to ${exitCode}\n`;
}
