/**
 * The two streams of the command line. Results go to standard output, everything else to standard error. A reader that went
 * away (`loadfleet run ... | head`) must not cost the results: its broken pipe is noticed and then ignored (R100). A disk that is
 * full is no reader that went away: what was asked for is missing.
 */

import { FleetError } from '../shared/fleet-error.ts';
import { printableLines } from '../shared/printable-text.ts';

/** What the rest of the command line writes to. */
export interface Console {
  /** Results. Resolves once the text is handed over, or the reader is gone. @throws FleetError 'io' when it cannot be written. */
  out(text: string): Promise<void>;
  /** Notices, progress and errors: never with anything that a terminal obeys (R107). */
  err(text: string): void;
  readonly errIsTerminal: boolean;
  /** Width of the terminal; 0 = it has none. */
  readonly columns: number;
}

const COLUMNS_DEFAULT = 120;

/** The process's own streams. */
export function createConsole(): Console {
  const { stdout, stderr } = process;
  let readerGone = false;
  // Told by the write as well.
  stdout.on('error', () => {
    readerGone = true;
  });
  // Where notices cannot be read there is nobody to tell.
  stderr.on('error', () => undefined);
  const writeQuietly = (text: string): void => {
    if (stderr.writable) stderr.write(text);
  };
  return {
    out: (text) =>
      new Promise((resolve, reject) => {
        if (readerGone || !stdout.writable) resolve();
        else {
          stdout.write(text, (error: NodeJS.ErrnoException | null | undefined) => {
            if (error === null || error === undefined || error.code === 'EPIPE') resolve();
            else reject(new FleetError('io', `standard output cannot be written: ${error.message}`, { cause: error }));
          });
        }
      }),
    err: (text) => writeQuietly(printableLines(text)),
    errIsTerminal: stderr.isTTY,
    columns: stderr.isTTY ? stderr.columns : COLUMNS_DEFAULT,
  };
}
