/**
 * Recognises the events of a stream that differ from an earlier one in nothing but their text, which are nearly all of them, without
 * reading them as JSON again. A form is learnt from the bytes of one event, and only if the API's own reader gives back whatever text
 * is put into it. What does not match byte for byte is not known, and goes the common way.
 */

import { SseParser } from './sse-parser.ts';
import type { PayloadKind, StreamDelta, StreamReader } from './stream-delta.ts';

/** Payload whose text stands in one JSON string; pieces of tool calls are nearly always escaped. */
export type PlainPayload = Extract<StreamDelta, { readonly kind: 'payload' }> & {
  readonly payload: Exclude<PayloadKind, 'tool'>;
};

/** The bytes before and behind an event's text; `after` begins with the closing quote and ends the event. */
interface EventForm {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  readonly payload: PlainPayload['payload'];
}

/** Largest event that is learnt, bytes. */
const EVENT_BYTES_MAX = 4096;
/** Most events to let pass before the next try, where what was learnt is of no use. */
const WAIT_MAX = 1024;
/** Text that is put into a form to see whether the reader gives it back. */
const PROBE = 'loadfleet probe';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const ASCII_END = 0x80;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export class KnownEvent {
  readonly #reader: StreamReader;
  #form: EventForm | null = null;
  /** Where the text of the event that was taken last stands in the bytes given. */
  #textFrom = 0;
  #textTo = 0;
  #isAscii = true;
  /** Events to let pass before the next try, and how many that were the last time. */
  #wait = 0;
  #waited = 0;

  /** `reader` is that of the stream's API. */
  constructor(reader: StreamReader) {
    this.#reader = reader;
  }

  /**
   * The end of the event that begins at `bytes[at]` where its form is known and it is there in full, else `at`. The stream must be between
   * two events. Afterwards `payload`, `characters` and `text` tell what it said.
   */
  take(bytes: Uint8Array, at: number): number {
    const form = this.#form;
    if (form === null) return at;
    const textFrom = endOfMatch(form.before, bytes, at);
    if (textFrom === at) return at;
    let textTo = textFrom;
    let isAscii = true;
    for (; textTo < bytes.length; textTo += 1) {
      const byte = bytes[textTo] as number;
      if (byte === QUOTE) break;
      // An escape, or a byte that JSON or the stream's lines do not allow here.
      if (byte === BACKSLASH || byte < SPACE) return at;
      if (byte >= ASCII_END) isAscii = false;
    }
    // Empty text is no payload.
    if (textTo === textFrom) return at;
    const end = endOfMatch(form.after, bytes, textTo);
    if (end === textTo) return at;
    this.#textFrom = textFrom;
    this.#textTo = textTo;
    this.#isAscii = isAscii;
    this.#wait = 0;
    this.#waited = 0;
    return end;
  }

  /** The kind of payload of the event that was taken last. */
  get payload(): PlainPayload['payload'] {
    return this.#form?.payload ?? 'text';
  }

  /** UTF-16 code units of the text of the event that was taken last, which stands in `bytes`. */
  characters(bytes: Uint8Array): number {
    return this.#isAscii ? this.#textTo - this.#textFrom : this.text(bytes).length;
  }

  /** The text of the event that was taken last, which stands in `bytes`. */
  text(bytes: Uint8Array): string {
    return decoder.decode(bytes.subarray(this.#textFrom, this.#textTo));
  }

  /** Learns from the bytes of one whole event that said `delta` and nothing else; they are copied. */
  learn(event: Uint8Array, delta: PlainPayload): void {
    if (this.#wait > 0) {
      this.#wait -= 1;
      return;
    }
    this.#waited = Math.min(WAIT_MAX, 2 * this.#waited + 1);
    this.#wait = this.#waited - 1;
    this.#form = event.length > EVENT_BYTES_MAX ? null : this.#formOf(event, delta);
  }

  #formOf(event: Uint8Array, { payload, text }: PlainPayload): EventForm | null {
    const whole = decoder.decode(event);
    const literal = JSON.stringify(text);
    const from = whole.indexOf(literal);
    // An escaped text may be spelt otherwise; a text that is there twice may be something else.
    if (from < 0 || whole.includes(literal, from + 1)) return null;
    const before = encoder.encode(whole.slice(0, from + 1));
    const after = encoder.encode(whole.slice(from + literal.length - 1));
    return this.#givesBack(before, after, payload) ? { before, after, payload } : null;
  }

  /** Whether the reader says exactly the text that stands between the two, and nothing else. */
  #givesBack(before: Uint8Array, after: Uint8Array, payload: PayloadKind): boolean {
    const said: StreamDelta[] = [];
    const parser = new SseParser({ onEvent: (type, data) => this.#reader.event(type, data, said) });
    parser.feed(before);
    parser.feed(encoder.encode(PROBE));
    parser.feed(after);
    const [delta] = said;
    return said.length === 1 && delta?.kind === 'payload' && delta.payload === payload && delta.text === PROBE;
  }
}

/** The position behind `form` where `bytes` has it from `at` on, else `at`. */
function endOfMatch(form: Uint8Array, bytes: Uint8Array, at: number): number {
  const { length } = form;
  if (at + length > bytes.length) return at;
  for (let index = 0; index < length; index += 1) if (bytes[at + index] !== form[index]) return at;
  return at + length;
}
