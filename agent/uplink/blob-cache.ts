/**
 * The files of a plan on the agent: fetched once, checked by SHA-256, kept for the next run that names them. Only files of the
 * newest plan are kept, so the cache is never larger than one plan's files (each at most 1 GiB).
 */
import type { BlobRef, BlobStore } from '../../shared/plan/blob-ref.ts';

/** Fetches one file; rejects unless the content has the size and SHA-256 that `blob` names. */
export type FetchBlob = (blob: BlobRef) => Promise<Uint8Array>;

export class BlobCache {
  readonly #fetch: FetchBlob;
  #kept = new Map<string, Uint8Array>();

  constructor(fetch: FetchBlob) {
    this.#fetch = fetch;
  }

  /** All `blobs` by SHA-256, one fetched after the other. Fails as the fetch of one fails. */
  async provide(blobs: readonly BlobRef[]): Promise<BlobStore> {
    const next = new Map<string, Uint8Array>();
    for (const blob of blobs) {
      if (next.has(blob.sha256)) continue;
      next.set(blob.sha256, this.#kept.get(blob.sha256) ?? (await this.#fetch(blob)));
    }
    this.#kept = next;
    return next;
  }
}
