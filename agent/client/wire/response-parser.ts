/**
 * HTTP/1.1 response framing (RFC 9112) for one connection that carries one request at a time. Bytes go in as they come off the wire;
 * out come the head, pieces of the body, and exactly one end. It knows no sockets and no clock, and it never throws for anything
 * that a server sends. Bytes after the end of a response are reported, never kept for the next request.
 */
import { KnownHead } from '../known-head.ts';
import { LineScanner } from './line-scanner.ts';
import { ResponseHead } from './response-head.ts';

/** Largest status or header line, and chunk-size line with its extensions, in bytes. */
const LINE_BYTES_MAX = 131_072;
/** Largest head (all lines, interim responses counted apart) and largest trailer section, in bytes. */
const HEAD_BYTES_MAX = 262_144;
/** Chunk sizes are counted in doubles. */
const CHUNK_BYTES_LIMIT = 16 ** 12;
/** Most interim (1xx) responses before a final one: one a second for hours, as some servers send them while they work. */
const INTERIM_RESPONSES_MAX = 10_000;

const SPACE = 0x20;
const TAB = 0x09;

/** Where the parser stands in the response. */
const STATE = {
  statusLine: 0,
  headerLine: 1,
  lengthBody: 2,
  chunkLine: 3,
  chunkBody: 4,
  chunkEnd: 5,
  trailerLine: 6,
  closeBody: 7,
  ended: 8,
} as const;

/** Receives what the parser finds, in order: onHead, onBody*, then one of onComplete and onRefused. */
export interface FramingEvents {
  /** The final response's head is complete. */
  onHead(head: ResponseHead): void;
  /** `bytes[start, end)` belongs to the body; valid only during the call. */
  onBody(bytes: Uint8Array, start: number, end: number): void;
  /** The answer is whole. `extraBytes`: bytes that came behind it although nothing was asked. */
  onComplete(extraBytes: number): void;
  /** The bytes are no HTTP/1.1 response; nothing more will be read. */
  onRefused(reason: string): void;
}

/** The framing machine of one connection. */
export class ResponseParser {
  readonly head = new ResponseHead();
  private readonly known = new KnownHead<ResponseHead>(new ResponseHead());
  private readonly lines = new LineScanner(LINE_BYTES_MAX);
  private readonly events: FramingEvents;
  private state: number = STATE.ended;
  private isHeadRequest = false;
  /** Bytes of the body or chunk still to come. */
  private remaining = 0;
  private sectionBytes = 0;
  /** A field came before in this section, so a line that begins with a blank goes on with it. */
  private hasField = false;
  /** Interim responses to the present request so far. */
  interimResponses = 0;
  /** Where the head being read began in the piece being fed; null when it began in an earlier one. */
  private headFrom: number | null = null;
  /** The end of the connection is the end of the body, so the connection cannot be used again. */
  closeDelimited = false;

  constructor(events: FramingEvents) {
    this.events = events;
  }

  /** Makes ready for the answer to a request that is about to be sent. */
  expect(isHeadRequest: boolean): void {
    this.head.reset();
    this.lines.reset();
    this.state = STATE.statusLine;
    this.isHeadRequest = isHeadRequest;
    this.sectionBytes = 0;
    this.interimResponses = 0;
    this.closeDelimited = false;
  }

  /** True once the current answer has ended, well or not (also before the first `expect`). */
  get ended(): boolean {
    return this.state === STATE.ended;
  }

  /** True while no byte of the next response, interim or final, has come. */
  get atStart(): boolean {
    return this.state === STATE.statusLine && !this.lines.hasPartialLine;
  }

  /** Takes the bytes `piece[from, limit)` of one network read. */
  feed(piece: Uint8Array, from: number, limit: number): void {
    let at = from;
    this.headFrom = null;
    while (at < limit && this.state !== STATE.ended) {
      switch (this.state) {
        case STATE.statusLine:
          at = this.takeHeadStart(piece, at, limit);
          break;
        case STATE.lengthBody:
        case STATE.chunkBody:
          at = this.takeBody(piece, at, limit);
          break;
        case STATE.closeBody:
          this.events.onBody(piece, at, limit);
          at = limit;
          break;
        default:
          at = this.takeLine(piece, at, limit);
      }
    }
  }

  /** The server ended the stream. True when that completes a close-delimited body; false when the answer is cut short. */
  finish(): boolean {
    if (this.state !== STATE.closeBody) {
      this.state = STATE.ended;
      return false;
    }
    this.state = STATE.ended;
    this.events.onComplete(0);
    return true;
  }

  private takeBody(piece: Uint8Array, from: number, limit: number): number {
    const to = Math.min(limit, from + this.remaining);
    this.remaining -= to - from;
    this.events.onBody(piece, from, to);
    if (this.remaining === 0) {
      if (this.state === STATE.chunkBody) this.state = STATE.chunkEnd;
      else this.complete(limit - to);
    }
    return to;
  }

  /** At the start of a head, or inside its first line. */
  private takeHeadStart(piece: Uint8Array, from: number, limit: number): number {
    if (this.lines.hasPartialLine) return this.takeLine(piece, from, limit);
    const next = this.known.take(piece, from, limit, this.head);
    if (next === from) {
      this.headFrom = from;
      return this.takeLine(piece, from, limit);
    }
    const refusal = this.endHead(limit - next);
    return refusal === null ? next : this.refuse(refusal, limit);
  }

  private takeLine(piece: Uint8Array, from: number, limit: number): number {
    const found = this.lines.scan(piece, from, limit);
    if (found === 'partial') {
      // What speaks otherwise may never end its line.
      const isOther = this.state === STATE.statusLine && !this.lines.mayBegin('HTTP/1.');
      return isOther ? this.refuse('status line is not HTTP/1.x', limit) : limit;
    }
    if (found === 'bad-byte') return this.refuse('a control byte or a bare CR or LF in a line', limit);
    if (found === 'too-long') return this.refuse(`a line above ${LINE_BYTES_MAX} bytes`, limit);
    const { start, end, next } = this.lines;
    this.sectionBytes += end - start + 2;
    if (this.sectionBytes > HEAD_BYTES_MAX)
      return this.refuse(`a head or trailer section above ${HEAD_BYTES_MAX} bytes`, limit);
    if (this.state === STATE.headerLine && start === end) {
      const refused = this.head.endFields();
      if (refused !== null) return this.refuse(refused, limit);
      if (this.headFrom !== null) this.known.missed(piece, this.headFrom, next, this.head);
    }
    const refusal = this.readLine(this.lines.bytes, start, end, limit - next);
    return refusal === null ? next : this.refuse(refusal, limit);
  }

  private readLine(bytes: Uint8Array, start: number, end: number, bytesBehind: number): string | null {
    switch (this.state) {
      case STATE.statusLine:
        this.state = STATE.headerLine;
        this.hasField = false;
        return this.head.readStatusLine(bytes, start, end);
      case STATE.headerLine:
        if (start === end) return this.endHead(bytesBehind);
        if (!this.isFolded(bytes, start)) return this.head.readField(bytes, start, end);
        this.head.continueField(bytes, start, end);
        return null;
      case STATE.chunkLine:
        return this.readChunkSize(bytes, start, end);
      case STATE.chunkEnd:
        this.state = STATE.chunkLine;
        this.sectionBytes = 0;
        return start === end ? null : 'chunk data longer than its size';
      default:
        if (start < end) return this.isFolded(bytes, start) ? null : trailerField(bytes, start, end);
        this.complete(bytesBehind);
        return null;
    }
  }

  /** Whether the field line that begins at `start` goes on with the one before (RFC 9112 §5.2). The first of a section cannot. */
  private isFolded(bytes: Uint8Array, start: number): boolean {
    if (this.hasField) return bytes[start] === SPACE || bytes[start] === TAB;
    this.hasField = true;
    return false;
  }

  private endHead(bytesBehind: number): string | null {
    const { head } = this;
    this.sectionBytes = 0;
    if (head.status < 200) {
      if (head.status === 101) return 'status 101 although no upgrade was asked';
      this.interimResponses += 1;
      if (this.interimResponses > INTERIM_RESPONSES_MAX) return `more than ${INTERIM_RESPONSES_MAX} interim responses`;
      head.reset();
      this.state = STATE.statusLine;
      return null;
    }
    const framing = head.bodyFraming(this.isHeadRequest);
    if (typeof framing === 'object') return framing.refused;
    this.events.onHead(head);
    switch (framing) {
      case 'none':
        this.complete(bytesBehind);
        return null;
      case 'length':
        this.remaining = head.contentLength as number;
        this.state = STATE.lengthBody;
        return null;
      case 'chunked':
        this.state = STATE.chunkLine;
        return null;
      case 'until-close':
        this.closeDelimited = true;
        this.state = STATE.closeBody;
        return null;
    }
  }

  private readChunkSize(bytes: Uint8Array, start: number, end: number): string | null {
    let size = 0;
    let at = start;
    for (; at < end; at += 1) {
      const digit = hexDigit(bytes[at] as number);
      if (digit === null) break;
      size = size * 16 + digit;
      if (size >= CHUNK_BYTES_LIMIT) return 'chunk size is not below 16^12';
    }
    if (at === start) return 'chunk size is not a hex number';
    if (at < end && !beginsExtension(bytes, at, end)) return 'chunk size is not a hex number';
    this.sectionBytes = 0;
    this.remaining = size;
    this.state = size === 0 ? STATE.trailerLine : STATE.chunkBody;
    this.hasField = false;
    return null;
  }

  private complete(extraBytes: number): void {
    this.state = STATE.ended;
    this.events.onComplete(extraBytes);
  }

  private refuse(reason: string, limit: number): number {
    this.state = STATE.ended;
    this.events.onRefused(reason);
    return limit;
  }
}

const trailerHead = new ResponseHead();

/** Trailers are checked for form and dropped: framing fields in them mean nothing. */
function trailerField(bytes: Uint8Array, start: number, end: number): string | null {
  trailerHead.reset();
  return trailerHead.readField(bytes, start, end);
}

/** Blanks, then `;` (RFC 9112 §7.1.1), or blanks only. */
function beginsExtension(bytes: Uint8Array, from: number, end: number): boolean {
  let at = from;
  while (at < end && (bytes[at] === SPACE || bytes[at] === TAB)) at += 1;
  return at === end || bytes[at] === 0x3b;
}

function hexDigit(byte: number): number | null {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : null;
}
