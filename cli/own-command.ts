/** The `loadfleet` command of this installation, for the processes that it starts. */

import { fileURLToPath } from 'node:url';

/** Program and arguments before the verb. */
export const OWN_COMMAND: readonly [string, string] = [
  process.execPath,
  fileURLToPath(new URL('./loadfleet.cjs', import.meta.url)),
];
