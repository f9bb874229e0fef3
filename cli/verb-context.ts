/** What every verb of the command line works with. */

import type { Console } from './console.ts';

/** What every verb is given. */
export interface VerbContext {
  /** The arguments as given, for the report. */
  readonly args: readonly string[];
  readonly console: Console;
  /** Sets the exit code. */
  readonly end: (exitCode: number) => void;
}
