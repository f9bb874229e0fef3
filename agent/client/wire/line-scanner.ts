/**
 * Cuts CRLF-ended lines out of a byte stream that arrives in arbitrary pieces: status line, header fields, chunk sizes and trailers
 * all come through here. Strict as RFC 9112 allows: a bare CR, a bare LF or another control byte is an error, never a guess.
 * A line inside one piece is not copied; only a line that spans pieces is joined, in a buffer bounded by `lineBytesMax`.
 */

/** 0 = ordinary, 1 = CR, 2 = refused (LF alone and control bytes; TAB and bytes above 0x7f are ordinary). */
const BYTE_KIND = new Uint8Array(256);
for (let byte = 0; byte < 0x20; byte += 1) BYTE_KIND[byte] = 2;
BYTE_KIND[0x7f] = 2;
BYTE_KIND[0x09] = 0;
BYTE_KIND[0x0d] = 1;

const LF = 0x0a;

/** What `scan` found. `partial`: all bytes taken, the line goes on in the next piece. */
export type ScanResult = 'line' | 'partial' | 'bad-byte' | 'too-long';

/** One scanner per connection. After `line`, the line is `bytes[start, end)` without CRLF and the stream goes on at `next`. */
export class LineScanner {
  bytes: Uint8Array = EMPTY;
  start = 0;
  end = 0;
  next = 0;
  private readonly lineBytesMax: number;
  private carry: Uint8Array = EMPTY;
  private carryLength = 0;

  constructor(lineBytesMax: number) {
    this.lineBytesMax = lineBytesMax;
  }

  /** Looks for the end of the line that begins (or goes on) at `from` in `piece[from, limit)`. */
  scan(piece: Uint8Array, from: number, limit: number): ScanResult {
    if (this.carryLength > 0) return this.scanOn(piece, from, limit);
    let at = from;
    while (at < limit && BYTE_KIND[piece[at] as number] === 0) at += 1;
    if (at - from > this.lineBytesMax) return 'too-long';
    if (at + 1 < limit) {
      if (BYTE_KIND[piece[at] as number] !== 1 || piece[at + 1] !== LF) return 'bad-byte';
      this.bytes = piece;
      this.start = from;
      this.end = at;
      this.next = at + 2;
      return 'line';
    }
    if (at < limit && BYTE_KIND[piece[at] as number] !== 1) return 'bad-byte';
    this.keep(piece, from, limit);
    return 'partial';
  }

  /** Forgets a half-read line. */
  reset(): void {
    this.carryLength = 0;
  }

  /** Whether the line that is held can still begin with `text`, or does. */
  mayBegin(text: string): boolean {
    const length = Math.min(text.length, this.carryLength);
    for (let at = 0; at < length; at += 1) if (this.carry[at] !== text.charCodeAt(at)) return false;
    return true;
  }

  /** True while part of a line is held. */
  get hasPartialLine(): boolean {
    return this.carryLength > 0;
  }

  private scanOn(piece: Uint8Array, from: number, limit: number): ScanResult {
    let at = from;
    if (this.carry[this.carryLength - 1] !== 0x0d) {
      while (at < limit && BYTE_KIND[piece[at] as number] === 0) at += 1;
      if (this.carryLength + at - from > this.lineBytesMax) return 'too-long';
      if (at === limit) {
        this.keep(piece, from, limit);
        return 'partial';
      }
      if (BYTE_KIND[piece[at] as number] !== 1) return 'bad-byte';
      at += 1;
      if (at === limit) {
        this.keep(piece, from, limit);
        return 'partial';
      }
    } else if (at === limit) return 'partial';
    if (piece[at] !== LF) return 'bad-byte';
    this.keep(piece, from, at);
    this.bytes = this.carry;
    this.start = 0;
    this.end = this.carryLength - 1;
    this.next = at + 1;
    this.carryLength = 0;
    return 'line';
  }

  private keep(piece: Uint8Array, from: number, limit: number): void {
    const length = this.carryLength + limit - from;
    if (length > this.carry.length) {
      const grown = new Uint8Array(Math.max(256, 2 * length));
      grown.set(this.carry.subarray(0, this.carryLength));
      this.carry = grown;
    }
    this.carry.set(piece.subarray(from, limit), this.carryLength);
    this.carryLength = length;
  }
}

const EMPTY = new Uint8Array(0);
