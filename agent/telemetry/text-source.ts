/**
 * The one place of the telemetry that reads files; everything else is given texts. A file that cannot be read is null, never empty.
 * A file is opened once and read from its beginning each time: that is cheaper, and it goes on when the process has run out of
 * file handles, which is when it is needed most (R032).
 */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';

/** Where texts about the host come from. */
export interface TextSource {
  /** Content of a file, or null. */
  text(path: string): string | null;
  /** Number of entries of a folder, or null. */
  entryCount(path: string): number | null;
}

/** Read at once; a longer file is read in several pieces. */
const PIECE_BYTES = 65_536;

/** The files of this host. The handles stay open until the process ends: there is one for each path that is asked for. */
export class HostFiles implements TextSource {
  readonly #handles = new Map<string, number>();
  readonly #piece = Buffer.alloc(PIECE_BYTES);

  text(path: string): string | null {
    return orNull(() => {
      const handle = this.#handles.get(path) ?? openSync(path, 'r');
      this.#handles.set(path, handle);
      try {
        return this.#read(handle);
      } catch (error) {
        // What it stood for is gone; the next call opens it anew.
        this.#handles.delete(path);
        closeSync(handle);
        throw error;
      }
    });
  }

  entryCount(path: string): number | null {
    return orNull(() => readdirSync(path).length);
  }

  #read(handle: number): string {
    let text = '';
    for (let position = 0; ; ) {
      const count = readSync(handle, this.#piece, 0, PIECE_BYTES, position);
      if (count === 0) return text;
      text += this.#piece.toString('latin1', 0, count);
      position += count;
    }
  }
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    // Not there, not allowed, not this system: all mean "not measured".
    return null;
  }
}
