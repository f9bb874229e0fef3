/**
 * Pieces of a result's file that is too large for memory, put together in a temporary file on the command line's side. A disk without room
 * for it costs this file and no other part of the result.
 */
import { appendFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FleetError } from '../../shared/fleet-error.ts';
import { removeLargeFiles } from '../report/request-file.ts';

/** Largest file that is taken from a coordinator, bytes: the most requests that a plan may ask for, at 1.6 kB each. */
const LARGE_BYTES_MAX = 16 * 1024 ** 3;

export class LargePieces {
  readonly #paths = new Map<string, string>();
  readonly #missing = new Map<string, string>();
  #bytes = 0;

  /** Appends a piece of the file `name`; one that cannot be written makes the file a missing one. @throws FleetError `protocol` beyond the limit. */
  async add(name: string, content: Uint8Array): Promise<void> {
    this.#bytes += content.length;
    if (this.#bytes > LARGE_BYTES_MAX) {
      throw new FleetError('protocol', `result: ${name} is above the limit of ${LARGE_BYTES_MAX} bytes`);
    }
    if (this.#missing.has(name)) return;
    try {
      await appendFile(await this.#pathOf(name), content);
    } catch (error) {
      this.#missing.set(name, error instanceof Error ? error.message : String(error));
      await this.#drop(name);
    }
  }

  /** Name to path of what came whole; whoever takes them removes them. */
  get files(): ReadonlyMap<string, string> {
    return this.#paths;
  }

  /** Name of what could not be written to the reason. */
  get missing(): ReadonlyMap<string, string> {
    return this.#missing;
  }

  async #pathOf(name: string): Promise<string> {
    const known = this.#paths.get(name);
    if (known !== undefined) return known;
    const path = join(await mkdtemp(join(tmpdir(), 'loadfleet-requests-')), name);
    this.#paths.set(name, path);
    return path;
  }

  /** Gives the room of its beginning back, which the rest of the result may need. */
  async #drop(name: string): Promise<void> {
    const path = this.#paths.get(name);
    this.#paths.delete(name);
    if (path !== undefined) await removeLargeFiles(new Map([[name, path]]));
  }
}
