/**
 * The bodies of answers, cut from one buffer that grows to the longest asked for. Contents are fixed text, so that equal lengths
 * mean equal bytes and tests can check a body they never saw.
 */

import { gzipSync } from 'node:zlib';
import type { Answer } from './answer.ts';

const TEXT = 'loadfleet reference target\n';

/** Compressed bodies that are kept; lengths beyond that are compressed anew each time. */
const MAX_COMPRESSED = 32;

/** Makes and keeps bodies. */
export class BodyStore {
  #plain: Buffer = Buffer.alloc(0);
  readonly #compressed = new Map<number, Buffer>();

  /** The first `bytes` bytes of the text, repeated. The result must not be written to. */
  plain(bytes: number): Buffer {
    if (this.#plain.length < bytes) this.#plain = Buffer.alloc(Math.max(bytes, 4_096), TEXT);
    return this.#plain.subarray(0, bytes);
  }

  /** The body of an answer as it goes on the wire. */
  wireBody(answer: Answer): Buffer {
    const plain = this.plain(answer.bodyBytes);
    if (answer.encoding === 'plain') return plain;
    const whole = this.#compress(plain);
    if (answer.encoding === 'gzip') return whole;
    // RFC 1952: the last 8 bytes are CRC-32 and length; one flipped bit in the CRC must be noticed by whoever inflates.
    const corrupt = Buffer.from(whole);
    corrupt.writeUInt8(corrupt.readUInt8(corrupt.length - 8) ^ 1, corrupt.length - 8);
    return corrupt;
  }

  #compress(plain: Buffer): Buffer {
    const kept = this.#compressed.get(plain.length);
    if (kept !== undefined) return kept;
    const compressed = gzipSync(plain);
    if (this.#compressed.size < MAX_COMPRESSED) this.#compressed.set(plain.length, compressed);
    return compressed;
  }
}
