/**
 * The last response head of a connection that came in one piece, and what it said. A server under load sends the same head again, byte for
 * byte, until its Date changes: then comparing is all the parsing there is. Equal bytes mean an equal head, so nothing is taken on trust.
 */

/** A head as its protocol reads it: takes over what another one says. */
interface Head<H> {
  copy(other: H): void;
}

/** Larger heads are not kept. */
const BYTES_MAX = 2048;

/** One per connection. */
export class KnownHead<H extends Head<H>> {
  private readonly head: H;
  private bytes = new Uint8Array(256);
  private length = 0;
  private missesInRow = 0;

  /** `head`: a head of its own, to keep what the last one said. */
  constructor(head: H) {
    this.head = head;
  }

  /** Whether `piece[from, limit)` begins with the known head; then `into` says what it says. Returns the offset behind it, or `from`. */
  take(piece: Uint8Array, from: number, limit: number, into: H): number {
    const { bytes, length } = this;
    if (length === 0 || limit - from < length) return from;
    for (let at = 0; at < length; at += 1) if (piece[from + at] !== bytes[at]) return from;
    this.missesInRow = 0;
    into.copy(this.head);
    return from + length;
  }

  /**
   * `piece[from, to)` was another head, and `head` is what it said. Kept after the 1st, 2nd, 4th, 8th.. miss in a row: where every head
   * differs, keeping them costs next to nothing. True when it was kept.
   */
  missed(piece: Uint8Array, from: number, to: number, head: H): boolean {
    this.missesInRow += 1;
    if ((this.missesInRow & (this.missesInRow - 1)) !== 0 || to - from > BYTES_MAX) return false;
    this.length = to - from;
    if (this.length > this.bytes.length) this.bytes = new Uint8Array(this.length);
    this.bytes.set(piece.subarray(from, to));
    this.head.copy(head);
    return true;
  }
}
