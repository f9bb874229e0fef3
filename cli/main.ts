/**
 * The process of the `loadfleet` command: real arguments, streams and exit code around `runCommandLine`. Loaded by `loadfleet.cjs`
 * once the Node version is known to be good; importing it runs the command, so nothing else may.
 */

import { describeError, runCommandLine } from './command-line.ts';
import { createConsole } from './console.ts';
import { EXIT_CODES } from './exit-code.ts';

const console = createConsole();
process.on('uncaughtException', (error) => {
  console.err(describeError(error));
  process.exit(EXIT_CODES.internal);
});
process.exit(await runCommandLine(process.argv.slice(2), console));
