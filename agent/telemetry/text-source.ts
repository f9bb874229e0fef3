/** The one place of the telemetry that reads files; everything else is given texts. A file that cannot be read is null, never empty. */
import { readdirSync, readFileSync } from 'node:fs';

/** Where texts about the host come from. */
export interface TextSource {
  /** Content of a file, or null. */
  text(path: string): string | null;
  /** Number of entries of a folder, or null. */
  entryCount(path: string): number | null;
}

/** The files of this host. */
export const hostFiles: TextSource = {
  text: (path) => orNull(() => readFileSync(path, 'latin1')),
  entryCount: (path) => orNull(() => readdirSync(path).length),
};

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    // Not there, not allowed, not this system: all mean "not measured".
    return null;
  }
}
