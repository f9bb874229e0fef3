/** What making a plan needs from outside: files, the environment, a hash and a fresh seed. Real ones are built by the command line. */

import type { BlobRef } from './blob-ref.ts';
import { FleetError } from '../fleet-error.ts';
import { PLAN_COUNTS } from './plan-limits.ts';
import type { VariableSources } from './substitute-variables.ts';

/** What reading a plan needs of the world around it. */
export interface PlanSources extends VariableSources {
  /** Content of a file named in the plan. @throws FleetError 'io' or 'plan' when it cannot be read. */
  readonly readFile: (path: string) => Uint8Array;
  /** SHA-256 as 64 lower-case hex digits. */
  readonly sha256: (bytes: Uint8Array) => string;
  /** A seed for a plan that has none: any 64 bits. */
  readonly chooseSeed: () => bigint;
}

/** Collects the files of a plan by content. */
export class BlobCollector {
  readonly #sources: PlanSources;
  readonly #blobs = new Map<string, Uint8Array>();

  constructor(sources: PlanSources) {
    this.#sources = sources;
  }

  get blobs(): ReadonlyMap<string, Uint8Array> {
    return this.#blobs;
  }

  /** Content of a file that does not travel itself. @throws FleetError when it cannot be read. */
  readFile(path: string): Uint8Array {
    return this.#sources.readFile(path);
  }

  /** Takes a file of the user in. @throws FleetError when it cannot be read or is too large. */
  addFile(path: string): { readonly ref: BlobRef; readonly bytes: Uint8Array } {
    const bytes = this.#sources.readFile(path);
    return { ref: this.add(path, bytes), bytes };
  }

  /** Takes content in under a name for messages. @throws FleetError 'plan' when it is too large. */
  add(name: string, bytes: Uint8Array): BlobRef {
    if (bytes.length > PLAN_COUNTS.blobBytesMax) {
      throw new FleetError('plan', `${name} has ${bytes.length} bytes, the limit is ${PLAN_COUNTS.blobBytesMax}`);
    }
    const sha256 = this.#sources.sha256(bytes);
    this.#blobs.set(sha256, bytes);
    return { name, sha256, sizeBytes: bytes.length };
  }
}
