/**
 * Reads the header blocks of one connection, interim heads, heads and trailers alike. Under load the same block comes again and again; one
 * that must mean the same as the last time is compared, not decoded. Every block has to come through here, in order.
 */
import { KnownHead } from '../known-head.ts';
import { AnswerHead } from './answer-head.ts';
import { HpackDecoder } from '../hpack/hpack-decoder.ts';

/** The header table that servers may use unless told otherwise (RFC 9113 §6.5.2). */
const TABLE_BYTES = 4096;
/** Largest head or trailers, each field counted as name, value and 32. */
const SECTION_BYTES_MAX = 262_144;

/** One per connection. */
export class HeadReader {
  /** What the last block said. */
  readonly head = new AnswerHead();
  private readonly decoder = new HpackDecoder(TABLE_BYTES, SECTION_BYTES_MAX);
  private readonly known = new KnownHead<AnswerHead>(new AnswerHead());
  /** Version of the compression's table with which the known block means what it meant; null when it refers to no table. */
  private knownVersion: number | null = null;
  /** What the known block adds to the table each time. */
  private knownInserted: readonly string[] = [];

  /** Reads the block `bytes[from, to)` into `head`. Null, or why the connection cannot go on. */
  read(bytes: Uint8Array, from: number, to: number): string | null {
    const { head, decoder, known } = this;
    const version = decoder.tableVersion;
    const means = this.knownVersion === null || this.knownVersion === version;
    // Trailers may have no field; nothing is no known head.
    if (means && from < to && known.take(bytes, from, to, head) === to) {
      if (this.knownInserted.length > 0) decoder.insertAgain(this.knownInserted);
      return null;
    }
    head.reset();
    const refusal = decoder.decode(bytes, from, to, (name, value) => head.takeField(name, value));
    if (refusal !== null) return refusal;
    const inserted = decoder.lastInserted;
    if (known.missed(bytes, from, to, head)) {
      // Where the block itself changed a table that it refers to, this version does not come again.
      this.knownVersion = inserted === null ? version : null;
      this.knownInserted = inserted ?? [];
    }
    return null;
  }
}
