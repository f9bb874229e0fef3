/** Pieces of a result's file that is too large for memory, put together in a temporary file on the command line's side. */
import { appendFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FleetError } from '../../shared/fleet-error.ts';

/** Largest file that is taken from a coordinator, bytes: the most requests that a plan may ask for, at 1.6 kB each. */
const LARGE_BYTES_MAX = 16 * 1024 ** 3;

export class LargePieces {
  readonly #paths = new Map<string, string>();
  #bytes = 0;

  /** Appends a piece of the file `name`. @throws FleetError `protocol` beyond the limit, `io`. */
  async add(name: string, content: Uint8Array): Promise<void> {
    this.#bytes += content.length;
    if (this.#bytes > LARGE_BYTES_MAX) {
      throw new FleetError('protocol', `result: ${name} is above the limit of ${LARGE_BYTES_MAX} bytes`);
    }
    try {
      await appendFile(await this.#pathOf(name), content);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new FleetError('io', `result: ${name} cannot be written: ${why}`, { cause: error });
    }
  }

  /** Name to path of what came; whoever takes them removes them. */
  get files(): ReadonlyMap<string, string> {
    return this.#paths;
  }

  async #pathOf(name: string): Promise<string> {
    const known = this.#paths.get(name);
    if (known !== undefined) return known;
    const path = join(await mkdtemp(join(tmpdir(), 'loadfleet-requests-')), name);
    this.#paths.set(name, path);
    return path;
  }
}
