/** Files of a plan travel apart from it: the plan names each by hash and size, agents fetch, verify and cache them (design §8). */

/** A file that the plan needs, by content. */
export interface BlobRef {
  /** The name the user wrote, for messages only. */
  readonly name: string;
  /** SHA-256 of the content, 64 lower-case hex digits. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** Content of the plan's files by SHA-256. */
export type BlobStore = ReadonlyMap<string, Uint8Array>;
