/** The end of a run for the user: the result folder, the summary on standard output, the exit code. */

import { join } from 'node:path';
import { removeLargeFiles } from '../coordinator/report/request-file.ts';
import { writeResults } from '../coordinator/report/write-results.ts';
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

/**
 * Writes the folder first and prints then, so that a reader who goes away costs nothing. A folder that cannot be written still
 * gets its summary printed.
 * @returns the exit code of the whole.
 */
export async function publishResult(run: FinishedRun, { directory, console, signals }: Publishing): Promise<number> {
  const codes = [run.exitCode];
  let where = '';
  try {
    const folder = directory ?? join('loadfleet-results', run.runId);
    where = `\nresults: ${await signals.whileWriting(() => writeResults(folder, run.files, run.largeFiles))}\n`;
  } catch (error) {
    if (!(error instanceof FleetError)) throw error;
    console.err(`loadfleet: ${error.message}\n`);
    codes.push(EXIT_CODES.internal);
  } finally {
    await removeLargeFiles(run.largeFiles);
  }
  await console.out(`${run.summary}${where}`);
  // A signal during the writing changes no number, but the caller must hear of it.
  if (signals.first !== null) codes.push(exitCodeOfSignal(signals.first));
  return strongestExitCode(codes);
}
