/**
 * Reads the status line, the header fields that decide framing and reuse (RFC 9112 §4-§7, §9.3), and the coding of the body. Other fields
 * are only checked for form. One object per connection, reset for every response.
 */

import { fieldListWith } from '../field-list.ts';

/** Bytes of a body are counted in doubles. */
const LENGTH_LIMIT = 1e15;
const BAD_LENGTH = 'Content-Length is not a number below 10^15';

/** How the length of the body is known. */
export type BodyFraming = 'none' | 'length' | 'chunked' | 'until-close';

const CHAR_0 = 0x30;
const COLON = 0x3a;
const SPACE = 0x20;
const TAB = 0x09;
const COMMA = 0x2c;
/** Bytes of a header name (RFC 9110 token). */
const TOKEN = new Uint8Array(256);
for (const char of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
  TOKEN[char.charCodeAt(0)] = 1;

/** The fields that are read, by the length of their names. */
type ReadField = 'connection' | 'keep-alive' | 'content-length' | 'content-encoding' | 'transfer-encoding';
const FIELD_OF_LENGTH: Readonly<Record<number, readonly ReadField[]>> = {
  10: ['connection', 'keep-alive'],
  14: ['content-length'],
  16: ['content-encoding'],
  17: ['transfer-encoding'],
};

/** State of one response's head. Reading methods return null, or why the head is refused. */
export class ResponseHead {
  status = 0;
  /** Minor version of HTTP/1.x. */
  minorVersion = 1;
  /** Null until a Content-Length was seen. */
  contentLength: number | null = null;
  hasTransferEncoding = false;
  /** True when the final transfer coding is `chunked`. */
  chunked = false;
  connectionClose = false;
  connectionKeepAlive = false;
  /** From `Keep-Alive: timeout=N`; null when not advertised. */
  keepAliveSeconds: number | null = null;
  /** As it is written, several fields as a list; null without one. */
  contentEncoding: string | null = null;
  /** A field whose value may go on in the next line, and the value so far. */
  private held: ReadField | null = null;
  private value = new Uint8Array(128);
  private valueLength = 0;

  /** Makes ready for the next response. */
  reset(): void {
    this.status = 0;
    this.minorVersion = 1;
    this.contentLength = null;
    this.hasTransferEncoding = false;
    this.chunked = false;
    this.connectionClose = false;
    this.connectionKeepAlive = false;
    this.keepAliveSeconds = null;
    this.contentEncoding = null;
    this.held = null;
  }

  /** Makes it say what `other` says. */
  copy(other: ResponseHead): void {
    this.status = other.status;
    this.minorVersion = other.minorVersion;
    this.contentLength = other.contentLength;
    this.hasTransferEncoding = other.hasTransferEncoding;
    this.chunked = other.chunked;
    this.connectionClose = other.connectionClose;
    this.connectionKeepAlive = other.connectionKeepAlive;
    this.keepAliveSeconds = other.keepAliveSeconds;
    this.contentEncoding = other.contentEncoding;
  }

  /** Reads `HTTP/1.x SP status [SP reason]`. */
  readStatusLine(bytes: Uint8Array, start: number, end: number): string | null {
    if (end - start < 12 || !startsWith(bytes, start, 'HTTP/1.')) return 'status line is not HTTP/1.x';
    const minor = (bytes[start + 7] as number) - CHAR_0;
    if (minor !== 0 && minor !== 1) return 'HTTP version is not 1.0 or 1.1';
    if (bytes[start + 8] !== SPACE) return 'status line has no space after the version';
    let status = 0;
    for (let at = start + 9; at < start + 12; at += 1) {
      const digit = (bytes[at] as number) - CHAR_0;
      if (digit < 0 || digit > 9) return 'status is not three digits';
      status = status * 10 + digit;
    }
    if (status < 100) return 'status is below 100';
    if (end > start + 12 && bytes[start + 12] !== SPACE) return 'status is not three digits';
    this.status = status;
    this.minorVersion = minor;
    return null;
  }

  /** Reads one `name: value` line. Its value counts once it is known to end there: at the next field, or at `endFields`. */
  readField(bytes: Uint8Array, start: number, end: number): string | null {
    let colon = start;
    while (colon < end && TOKEN[bytes[colon] as number] === 1) colon += 1;
    if (colon === start || colon === end || bytes[colon] !== COLON) return 'header field has no valid name';
    const refusal = this.held === null ? null : this.endFields();
    if (refusal !== null) return refusal;
    const field = FIELD_OF_LENGTH[colon - start];
    if (field === undefined) return null;
    for (const name of field) {
      if (!equalsIgnoringCase(bytes, start, name)) continue;
      this.held = name;
      this.valueLength = 0;
      this.hold(bytes, colon + 1, end);
      break;
    }
    return null;
  }

  /** Reads a line that begins with a blank: it goes on with the value before, and the fold counts as a space (RFC 9112 §5.2). */
  continueField(bytes: Uint8Array, start: number, end: number): void {
    if (this.held !== null) this.hold(bytes, start, end);
  }

  /** There are no more fields. Returns why the last one is refused, or null. */
  endFields(): string | null {
    const { held, value } = this;
    this.held = null;
    let from = 0;
    let to = this.valueLength;
    while (from < to && isBlank(value[from] as number)) from += 1;
    while (to > from && isBlank(value[to - 1] as number)) to -= 1;
    switch (held) {
      case 'content-length':
        return this.readContentLength(value, from, to);
      case 'content-encoding':
        this.contentEncoding = fieldListWith(this.contentEncoding, asciiText(value, from, to));
        return null;
      case 'transfer-encoding':
        return this.readTransferEncoding(value, from, to);
      case 'connection':
        this.readConnection(value, from, to);
        return null;
      case 'keep-alive':
        this.readKeepAlive(value, from, to);
        return null;
      case null:
        return null;
    }
  }

  /** The body's framing once the head is complete (RFC 9112 §6.3), or why it is refused. */
  bodyFraming(isHeadRequest: boolean): BodyFraming | { readonly refused: string } {
    // Whatever fields there are: they say what another answer would have.
    if (isHeadRequest || this.status === 204 || this.status === 304) return 'none';
    if (this.hasTransferEncoding && this.contentLength !== null)
      return { refused: 'both Transfer-Encoding and Content-Length' };
    if (this.hasTransferEncoding) return this.chunked ? 'chunked' : 'until-close';
    if (this.contentLength !== null) return this.contentLength === 0 ? 'none' : 'length';
    return 'until-close';
  }

  /** Whether the connection may carry another request after this response (RFC 9112 §9.3). */
  get persistent(): boolean {
    if (this.connectionClose || this.keepAliveSeconds === 0) return false;
    return this.minorVersion === 1 ? true : this.connectionKeepAlive && !this.hasTransferEncoding;
  }

  /** One number, or a list of the same number, which is what proxies make of a repeated field (RFC 9112 §6.3). */
  private readContentLength(bytes: Uint8Array, from: number, to: number): string | null {
    let start = from;
    for (let at = from; at < to; at += 1) {
      if (bytes[at] !== COMMA) continue;
      const refusal = this.readLength(bytes, start, at);
      if (refusal !== null) return refusal;
      start = at + 1;
    }
    return this.readLength(bytes, start, to);
  }

  private readLength(bytes: Uint8Array, start: number, end: number): string | null {
    let from = start;
    let to = end;
    while (from < to && isBlank(bytes[from] as number)) from += 1;
    while (to > from && isBlank(bytes[to - 1] as number)) to -= 1;
    let length = 0;
    for (let at = from; at < to; at += 1) {
      const digit = (bytes[at] as number) - CHAR_0;
      if (digit < 0 || digit > 9) return BAD_LENGTH;
      length = length * 10 + digit;
      if (length >= LENGTH_LIMIT) return BAD_LENGTH;
    }
    if (from === to) return BAD_LENGTH;
    if (this.contentLength !== null && this.contentLength !== length) return 'conflicting Content-Length fields';
    this.contentLength = length;
    return null;
  }

  private readTransferEncoding(bytes: Uint8Array, from: number, to: number): string | null {
    // Empty elements of a list mean nothing (RFC 9110 §5.6.1).
    const codings = asciiText(bytes, from, to)
      .toLowerCase()
      .split(',')
      .map((coding) => coding.trim())
      .filter((coding) => coding !== '');
    if (codings.length === 0) return null;
    if (this.chunked) return 'chunked is not the last transfer coding';
    this.hasTransferEncoding = true;
    this.chunked = codings.at(-1) === 'chunked';
    return codings.indexOf('chunked') < codings.length - 1 && codings.includes('chunked')
      ? 'chunked is not the last transfer coding'
      : null;
  }

  private hold(bytes: Uint8Array, from: number, end: number): void {
    const length = this.valueLength + end - from;
    if (length > this.value.length) {
      const grown = new Uint8Array(2 * length);
      grown.set(this.value.subarray(0, this.valueLength));
      this.value = grown;
    }
    this.value.set(bytes.subarray(from, end), this.valueLength);
    this.valueLength = length;
  }

  private readConnection(bytes: Uint8Array, from: number, to: number): void {
    let start = from;
    for (let at = from; at <= to; at += 1) {
      if (at < to && bytes[at] !== COMMA) continue;
      let optionEnd = at;
      while (start < optionEnd && isBlank(bytes[start] as number)) start += 1;
      while (optionEnd > start && isBlank(bytes[optionEnd - 1] as number)) optionEnd -= 1;
      if (optionEnd - start === 5 && equalsIgnoringCase(bytes, start, 'close')) this.connectionClose = true;
      if (optionEnd - start === 10 && equalsIgnoringCase(bytes, start, 'keep-alive')) this.connectionKeepAlive = true;
      start = at + 1;
    }
  }

  private readKeepAlive(bytes: Uint8Array, from: number, to: number): void {
    const match = /(?:^|[\s,;])timeout\s*=\s*"?(\d{1,6})/i.exec(asciiText(bytes, from, to));
    if (match) this.keepAliveSeconds = Number(match[1]);
  }
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

function startsWith(bytes: Uint8Array, start: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1)
    if (bytes[start + index] !== text.charCodeAt(index)) return false;
  return true;
}

/** `text` is lower case; the bytes compared are known to be token bytes or trimmed values of the same length. */
function equalsIgnoringCase(bytes: Uint8Array, start: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const byte = bytes[start + index] as number;
    const lower = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
    if (lower !== text.charCodeAt(index)) return false;
  }
  return true;
}

function asciiText(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, Math.min(to, from + 4096)));
}
