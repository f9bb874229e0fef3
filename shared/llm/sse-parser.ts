/**
 * Server-sent events from bytes, by the rules of the WHATWG HTML standard (section "Parsing an event stream"): CR, LF and CRLF also
 * across reads, one leading BOM, comments, fields with and without a space or a colon, several data lines. However the bytes are cut,
 * the events are the same (R050, R051). An event above a limit ends the stream's reading, so that a server cannot take our memory.
 * It reads no clock: all events of one `feed` belong to the network read that brought its last byte (R052).
 */

/** Receives the events. */
export interface SseSink {
  /** One event: its type (`message` where the stream names none) and its data, lines joined by LF. */
  onEvent(type: string, data: string): void;
  /** A line that begins with a brace where a field's name should be (JSON without `data:`), or with a field `error`, as llama.cpp's. */
  onUnknownField?(line: string): void;
}

/** What is unusual in a stream; counts since `reset`. */
export interface SseCounts {
  events: number;
  /** Lines that begin with a colon: keep-alive comments. */
  comments: number;
  /** Lines with a field that the standard does not know. */
  unknownFields: number;
}

/** Most bytes of one event that is not finished, unless the caller says otherwise: a picture is one event. */
export const EVENT_BYTES_MAX = 4_194_304;

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const BRACE = 0x7b;
const BOM = [0xef, 0xbb, 0xbf] as const;
const DATA = [0x64, 0x61, 0x74, 0x61] as const;
const EVENT = [0x65, 0x76, 0x65, 0x6e, 0x74] as const;
const ERROR = [0x65, 0x72, 0x72, 0x6f, 0x72] as const;
const CARRY_BYTES_FIRST = 512;

/** `ignoreBOM`: a BOM inside the stream is data; only the first bytes of the stream may be one that is not. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export class SseParser {
  readonly #sink: SseSink;
  readonly #eventBytesMax: number;
  readonly counts: SseCounts = { events: 0, comments: 0, unknownFields: 0 };
  /** The line that began in an earlier read. */
  #carry = new Uint8Array(0);
  #carryLength = 0;
  /** The last byte was a CR: an LF that follows belongs to it. */
  #afterCr = false;
  /** Bytes of a BOM seen at the very start; 3 once it is settled whether there is one. */
  #bomBytes = 0;
  #type = '';
  #data = '';
  #dataLines = 0;
  #eventBytes = 0;
  #overflowed = false;

  constructor(sink: SseSink, eventBytesMax: number = EVENT_BYTES_MAX) {
    this.#sink = sink;
    this.#eventBytesMax = eventBytesMax;
  }

  /** True once an event grew above the limit: the rest of the stream is not read. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  /** True while an event or a line is begun and not ended; at the end of a stream it is given up, as the standard says. */
  get pending(): boolean {
    return this.#dataLines > 0 || this.#carryLength > 0;
  }

  /** True while nothing of an event has been seen: the next byte begins one, however the stream writes its line ends. */
  get isBetweenEvents(): boolean {
    return !this.pending && !this.#afterCr && this.#type === '' && this.#bomBytes === BOM.length && !this.#overflowed;
  }

  /** Makes ready for another stream; memory of long lines is let go. */
  reset(): void {
    if (this.#carry.length > CARRY_BYTES_FIRST) this.#carry = new Uint8Array(0);
    this.#carryLength = 0;
    this.#afterCr = false;
    this.#bomBytes = 0;
    this.#overflowed = false;
    this.counts.events = 0;
    this.counts.comments = 0;
    this.counts.unknownFields = 0;
    this.#clearEvent();
  }

  /** Takes the bytes of one read; they are not kept. */
  feed(bytes: Uint8Array): void {
    if (this.#overflowed) return;
    let at = this.#bomBytes < BOM.length ? this.#skipBom(bytes) : 0;
    const limit = bytes.length;
    if (this.#afterCr && at < limit) {
      this.#afterCr = false;
      if (bytes[at] === LF) at += 1;
    }
    let lf = positionOf(bytes, LF, at);
    let cr = positionOf(bytes, CR, at);
    while (at < limit) {
      const end = lf < cr ? lf : cr;
      if (end === limit) {
        this.#keep(bytes, at, limit);
        return;
      }
      if (this.#carryLength === 0) {
        this.#line(bytes, at, end);
      } else {
        this.#keptLine(bytes, at, end);
      }
      if (this.overflowed) return;
      at = end + 1;
      if (end === cr) {
        if (at === limit) this.#afterCr = true;
        else if (bytes[at] === LF) at += 1;
        cr = positionOf(bytes, CR, at);
      }
      if (lf < at) lf = positionOf(bytes, LF, at);
    }
  }

  /** A line whose beginning came in an earlier read. */
  #keptLine(bytes: Uint8Array, from: number, to: number): void {
    this.#keep(bytes, from, to);
    const length = this.#carryLength;
    this.#carryLength = 0;
    if (!this.#overflowed) this.#line(this.#carry, 0, length);
  }

  /** Steps over a BOM, also one cut by reads; what only looked like the start of one goes to the first line. */
  #skipBom(bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.length && this.#bomBytes < BOM.length) {
      if (bytes[at] !== BOM[this.#bomBytes]) {
        const seen = this.#bomBytes;
        this.#bomBytes = BOM.length;
        if (seen > 0) this.#keep(Uint8Array.from(BOM.slice(0, seen)), 0, seen);
        return at;
      }
      at += 1;
      this.#bomBytes += 1;
    }
    return at;
  }

  #keep(bytes: Uint8Array, from: number, to: number): void {
    const length = this.#carryLength + to - from;
    if (length + this.#eventBytes > this.#eventBytesMax) {
      this.#overflow();
      return;
    }
    if (length > this.#carry.length) {
      const grown = new Uint8Array(Math.max(CARRY_BYTES_FIRST, 2 * length));
      grown.set(this.#carry.subarray(0, this.#carryLength));
      this.#carry = grown;
    }
    this.#carry.set(bytes.subarray(from, to), this.#carryLength);
    this.#carryLength = length;
  }

  /** One whole line, without its ending. */
  #line(bytes: Uint8Array, from: number, to: number): void {
    if (from === to) {
      this.#dispatch();
    } else if (isField(bytes, from, to, DATA)) {
      this.#dataLine(bytes, valueStart(bytes, from + DATA.length, to), to);
    } else if (bytes[from] === COLON) {
      this.counts.comments += 1;
    } else if (isField(bytes, from, to, EVENT)) {
      this.#type = decoder.decode(bytes.subarray(valueStart(bytes, from + EVENT.length, to), to));
    } else if (!isIdOrRetry(bytes, from, to)) {
      this.counts.unknownFields += 1;
      if (bytes[from] === BRACE || isField(bytes, from, to, ERROR))
        this.#sink.onUnknownField?.(decoder.decode(bytes.subarray(from, to)));
    }
  }

  #dataLine(bytes: Uint8Array, from: number, to: number): void {
    this.#eventBytes += to - from + 1;
    if (this.#eventBytes > this.#eventBytesMax) {
      this.#overflow();
      return;
    }
    const value = from === to ? '' : decoder.decode(bytes.subarray(from, to));
    this.#data = this.#dataLines === 0 ? value : `${this.#data}\n${value}`;
    this.#dataLines += 1;
  }

  #dispatch(): void {
    if (this.#dataLines > 0) {
      const type = this.#type === '' ? 'message' : this.#type;
      const data = this.#data;
      this.counts.events += 1;
      this.#clearEvent();
      this.#sink.onEvent(type, data);
    } else {
      this.#type = '';
    }
  }

  #clearEvent(): void {
    this.#type = '';
    this.#data = '';
    this.#dataLines = 0;
    this.#eventBytes = 0;
  }

  #overflow(): void {
    this.#overflowed = true;
    this.#carry = new Uint8Array(0);
    this.#carryLength = 0;
    this.#clearEvent();
  }
}

/** Position of `byte` from `at` on, or the length of `bytes` where there is none. */
function positionOf(bytes: Uint8Array, byte: number, at: number): number {
  const found = bytes.indexOf(byte, at);
  return found < 0 ? bytes.length : found;
}

/** Whether the line `bytes[from, to)` is the field `name`: the name, then a colon or the end. */
function isField(bytes: Uint8Array, from: number, to: number, name: readonly number[]): boolean {
  const end = from + name.length;
  if (end > to || (end < to && bytes[end] !== COLON)) return false;
  for (let index = 0; index < name.length; index += 1) if (bytes[from + index] !== name[index]) return false;
  return true;
}

/** Where a field's value begins, `at` being the end of its name: behind the colon and one space. */
function valueStart(bytes: Uint8Array, at: number, to: number): number {
  if (at >= to) return to;
  return at + 1 < to && bytes[at + 1] === SPACE ? at + 2 : at + 1;
}

/** Fields that the standard knows and that say nothing here. */
const ID = [0x69, 0x64] as const;
const RETRY = [0x72, 0x65, 0x74, 0x72, 0x79] as const;

function isIdOrRetry(bytes: Uint8Array, from: number, to: number): boolean {
  return isField(bytes, from, to, ID) || isField(bytes, from, to, RETRY);
}
