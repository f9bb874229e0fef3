/**
 * Unsigned LEB128 integers, as protobuf writes them, up to 2^53 - 1 and without BigInt. Used for the bucket list of a
 * histogram on the wire. Reading is strict: it refuses truncation, overlong forms and values above 2^53 - 1.
 */

import { FleetError } from '../fleet-error.ts';

/** Bytes of the longest varint: 53 bits at 7 bits a byte. */
export const VARINT_BYTES_MAX = 8;

const WORD_LIMIT = 2 ** 28;

/** Writes `value` (an integer in 0..2^53 - 1) at `offset` and returns the offset behind it. The caller has made room. */
export function writeVarint(bytes: Uint8Array, offset: number, value: number): number {
  let at = offset;
  let rest = value;
  while (rest >= WORD_LIMIT) {
    bytes[at++] = (rest % 128) | 0x80;
    rest = Math.floor(rest / 128);
  }
  while (rest >= 0x80) {
    bytes[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  return at;
}

/** A place in some bytes, moved on by reading. */
export interface VarintCursor {
  /** Offset of the next byte to read. */
  offset: number;
}

/** The varint at the cursor; `FleetError('protocol')` naming `what` and the byte when the bytes are not a varint. */
export function readVarint(bytes: Uint8Array, cursor: VarintCursor, what: string): number {
  let at = cursor.offset;
  let value = 0;
  let scale = 1;
  for (let length = 1; length <= VARINT_BYTES_MAX; length += 1) {
    if (at >= bytes.length) {
      throw new FleetError('protocol', `${what}: truncated varint, bytes end at ${bytes.length}`);
    }
    const byte = bytes[at] as number;
    at += 1;
    value += (byte & 0x7f) * scale;
    scale *= 128;
    if (byte >= 0x80) continue;
    if (byte === 0 && length > 1) throw new FleetError('protocol', `${what}: overlong varint before byte ${at}`);
    if (value > Number.MAX_SAFE_INTEGER) break;
    cursor.offset = at;
    return value;
  }
  throw new FleetError('protocol', `${what}: varint before byte ${at} is above 2^53 - 1`);
}
