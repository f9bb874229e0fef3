/**
 * One answer of an LLM server from its bytes to its judgement: an event stream, or one JSON body, told apart by the first byte that is
 * no space (a stream never begins with a brace), whatever the headers say (R043). Bounded memory; it reads no clock and never throws
 * for anything that a server sends. Outcome rules: R042, R043, R044, R054.
 */

import type { FailureClass } from '../metrics/outcome.ts';
import { AnswerBody, BODY_BYTES_MAX } from './answer-body.ts';
import { type AnswerForm, formOf } from './answer-form.ts';
import { isGivenUp } from './given-up.ts';
import { isKeepAlive } from './keep-alive.ts';
import { KnownEvent, type PlainPayload } from './known-event.ts';
import { NewPayload } from './new-payload.ts';
import { readerOf } from './reader-of.ts';
import { bareError, bareErrorLine, strayError } from './server-error.ts';
import { EVENT_BYTES_MAX, SseParser, type SseSink } from './sse-parser.ts';
import type { LlmApi, StreamDelta, StreamReader } from './stream-delta.ts';
import { TokenClock } from './token-clock.ts';

/** How an answer is read and judged. */
export interface AnswerRules {
  readonly api: LlmApi;
  /** The request asked for a stream. */
  readonly stream: boolean;
  /** A stream without its end marker is truncated even if the model said that it had finished (R044). */
  readonly strictEnd: boolean;
}

/** What became of an answer whose status was as expected. */
export type AnswerJudgement =
  | { readonly kind: 'ok' }
  | { readonly kind: 'failed'; readonly class: FailureClass; readonly detail: string };

/** Most characters of an answer's text that are kept. */
const TEXT_CHARACTERS_MAX = 1_048_576;

/** Ends a last event that a server left without its blank line. */
const EVENT_END = Uint8Array.of(0x0a, 0x0a);
const OK: AnswerJudgement = { kind: 'ok' };
/** How gzip begins. */
const GZIP = [0x1f, 0x8b] as const;

export class LlmAnswer implements SseSink {
  readonly #rules: AnswerRules;
  readonly #reader: StreamReader;
  readonly #parser: SseParser;
  readonly #known: KnownEvent;
  readonly clock = new TokenClock();
  form: AnswerForm = 'undecided';
  readonly #deltas: StreamDelta[] = [];
  /** What the parser's last event said, where that was one piece of plain payload. */
  #plain: PlainPayload | null = null;
  readonly #body = new AnswerBody();
  #isCompressed = false;
  /** Finish reason by which the server gave up this answer, or one of several choices in it. */
  #givenUpBy: string | null = null;
  /** The data of the last event, where it could not be read. */
  #stray: string | null = null;
  #keepAlives = 0;
  readonly #new = new NewPayload();
  #nowNs = 0;
  readonly #keepsText: boolean;
  #text: string | null = '';

  /** `keepsText`: the answer's text is wanted, for the next turn of its session. */
  constructor(rules: AnswerRules, eventBytesMax: number = EVENT_BYTES_MAX, keepsText = false) {
    this.#rules = rules;
    this.#keepsText = keepsText;
    this.#reader = readerOf(rules.api);
    this.#parser = new SseParser(this, eventBytesMax);
    this.#known = new KnownEvent(this.#reader);
  }

  /** What the model said, reasoning and tool calls left out; null where it is not kept, or is too long. */
  get text(): string | null {
    return this.#keepsText ? this.#text : null;
  }

  /** Comments and keep-alive events seen in the stream. */
  get comments(): number {
    return this.#parser.counts.comments + this.#keepAlives;
  }

  /** True for an answer that was asked for as a stream and came whole: it has no token times (R043). */
  get notStreamed(): boolean {
    return this.#rules.stream && this.form === 'body';
  }

  /** True for a stream that ended well by the model's word, but without its end marker. */
  get withoutMarker(): boolean {
    return this.form === 'events' && !this.clock.done;
  }

  /** Makes ready for another answer to the same request template. */
  reset(): void {
    this.#parser.reset();
    this.clock.reset();
    this.form = 'undecided';
    this.#body.reset();
    this.#isCompressed = false;
    this.#givenUpBy = null;
    this.#stray = null;
    this.#keepAlives = 0;
    this.#new.reset();
    this.#text = '';
  }

  /** Takes bytes of the body that one network read brought at `tNs`; they are not kept. */
  take(bytes: Uint8Array, tNs: number): void {
    this.#nowNs = tNs;
    if (this.form === 'undecided') {
      this.form = formOf(bytes);
      this.#isCompressed = bytes[0] === GZIP[0] && bytes[1] === GZIP[1];
    }
    if (this.form === 'body') this.#body.take(bytes);
    else this.#takeEvents(bytes);
  }

  onEvent(type: string, data: string): void {
    this.#plain = null;
    const isOver = this.clock.done;
    if (isKeepAlive(type, data)) {
      this.#keepAlives += 1;
      return;
    }
    const deltas = this.#deltas;
    this.#reader.event(type, data, deltas);
    const [first] = deltas;
    const said = this.#new.of(deltas, isOver);
    this.#keepFacts(said);
    this.clock.event(said, this.#nowNs);
    if (first?.kind === 'unreadable') this.#stray = data;
    else if (first?.kind !== 'done') this.#stray = null;
    if (!isOver && deltas.length === 1 && first !== undefined && isPlain(first)) this.#plain = first;
    deltas.length = 0;
  }

  /** Events of a known form first, the rest by the parser. */
  #takeEvents(bytes: Uint8Array): void {
    const isBetween = this.#parser.isBetweenEvents && !this.clock.done;
    const at = isBetween ? this.#takeKnown(bytes) : 0;
    if (at === bytes.length) return;
    const rest = at === 0 ? bytes : bytes.subarray(at);
    const { counts } = this.#parser;
    const wholeBefore = counts.events + 1;
    const oddBefore = counts.comments + counts.unknownFields;
    this.#parser.feed(rest);
    const isOneEvent = isBetween && counts.events === wholeBefore && this.#parser.isBetweenEvents;
    const isCounted = counts.comments + counts.unknownFields > oddBefore;
    if (isOneEvent && !isCounted && this.#plain !== null) this.#known.learn(rest, this.#plain);
  }

  /** Takes the known events at the beginning of `bytes` and returns where the first other one begins. */
  #takeKnown(bytes: Uint8Array): number {
    const known = this.#known;
    let at = 0;
    for (;;) {
      const end = known.take(bytes, at);
      if (end === at) return at;
      this.#stray = null;
      this.#new.piece(known.payload);
      this.clock.payload(known.payload, known.characters(bytes), this.#nowNs);
      if (this.#keepsText && known.payload === 'text') this.#addText(known.text(bytes));
      at = end;
    }
  }

  /** An error that a gateway wrote into the stream as bare JSON ends the answer as one in an event does. */
  onUnknownField(line: string): void {
    const error = bareErrorLine(line);
    if (error !== null) this.clock.event([error], this.#nowNs);
  }

  /**
   * Judges an answer whose status was as expected and whose framing was whole. As the framing says that nothing is missing, a last event
   * without its blank line counts: servers and gateways leave it out.
   */
  judge(): AnswerJudgement {
    if (this.form === 'body') return this.#judgeBody();
    if (this.#parser.pending) this.#parser.feed(EVENT_END);
    const { clock } = this;
    if (clock.error !== null) return failed('in-stream-error', errorText(clock.error));
    if (this.#parser.overflowed) return failed('protocol', 'an event above the size limit');
    if (clock.events === 0 && !clock.done) {
      if (this.#isCompressed) return failed('protocol', 'the answer is gzip, which is not read: ask for identity');
      return this.#parser.counts.unknownFields > 0
        ? failed('protocol', 'the answer is no event stream')
        : failed('truncated', 'empty stream: no event');
    }
    const givenUp = this.#givenUp();
    if (givenUp !== null) return givenUp;
    const stray = this.#strayError();
    if (stray !== null) return stray;
    if (clock.done) return this.#saysNothing ? this.#judgeNothing() : OK;
    if (clock.finishReason === null)
      return failed('truncated', 'truncated stream: neither a finish reason nor an end marker');
    if (clock.hasOpenChoice) return failed('truncated', 'truncated stream: a choice without a finish reason');
    return this.#rules.strictEnd ? failed('truncated', 'truncated stream: no end marker (strict)') : OK;
  }

  /** A stream whose model did not finish and whose last event is none of this API but an error: it is taken for the reason (R042). */
  #strayError(): AnswerJudgement | null {
    const { done, finishReason, chunks } = this.clock;
    if (this.#stray === null || finishReason !== null) return null;
    // Half an event at the end of a stream that was cut is no text of an error.
    const error = done && chunks > 0 ? strayError(this.#stray) : bareError(this.#stray);
    return error === null ? null : failed('in-stream-error', errorText(error));
  }

  /** What the server's error body or error event says, for an answer that failed already; null where it says nothing. */
  errorDetail(): string | null {
    if (this.form === 'body') this.#readBody();
    return this.clock.error === null ? null : errorText(this.clock.error);
  }

  /** True for a stream without payload, tokens by usage or a finish reason: its end marker ends nothing. */
  get #saysNothing(): boolean {
    const { chunks, finishReason, usage } = this.clock;
    return chunks === 0 && finishReason === null && (usage?.outputTokens ?? 0) === 0;
  }

  #judgeNothing(): AnswerJudgement {
    return this.clock.unreadable > 0
      ? failed('protocol', 'no event of the stream is one of this API')
      : failed('truncated', 'empty stream: an end marker and no answer');
  }

  #givenUp(): AnswerJudgement | null {
    if (this.#givenUpBy === null) return null;
    return failed('in-stream-error', `the server gave the answer up: finish reason ${this.#givenUpBy}`);
  }

  #judgeBody(): AnswerJudgement {
    if (this.#body.isTooLong) return failed('protocol', `a JSON answer above ${BODY_BYTES_MAX} bytes`);
    this.#readBody();
    const { clock } = this;
    if (clock.error !== null) return failed('in-stream-error', errorText(clock.error));
    if (clock.unreadable > 0) return failed('protocol', 'a JSON answer that is none of this API');
    const givenUp = this.#givenUp();
    if (givenUp !== null) return givenUp;
    return this.#saysNothing ? failed('truncated', 'a JSON answer that holds no answer') : OK;
  }

  #readBody(): void {
    const text = this.#body.read();
    if (text === null) return;
    this.#reader.body(text, this.#deltas);
    if (this.#deltas[0]?.kind === 'unreadable') this.#deltas[0] = bareError(text) ?? this.#deltas[0];
    this.#keepFacts(this.#deltas);
    this.clock.event(this.#deltas, this.#nowNs);
    this.#deltas.length = 0;
  }

  /** What the clock does not keep. */
  #keepFacts(deltas: readonly StreamDelta[]): void {
    for (const delta of deltas) {
      if (delta.kind === 'finish' && isGivenUp(delta.reason)) this.#givenUpBy ??= delta.reason;
      // Only one choice can be answered.
      if (this.#keepsText && delta.kind === 'payload' && delta.payload === 'text' && delta.choice === undefined)
        this.#addText(delta.text);
    }
  }

  #addText(text: string): void {
    if (this.#text === null) return;
    this.#text = this.#text.length + text.length > TEXT_CHARACTERS_MAX ? null : this.#text + text;
  }
}

function isPlain(delta: StreamDelta): delta is PlainPayload {
  if (delta.kind !== 'payload' || delta.payload === 'tool') return false;
  return delta.choice === undefined && delta.whole === undefined;
}

function errorText(error: { readonly code: string | null; readonly message: string }): string {
  return error.code === null ? `server error: ${error.message}` : `server error ${error.code}: ${error.message}`;
}

function failed(failure: FailureClass, detail: string): AnswerJudgement {
  return { kind: 'failed', class: failure, detail };
}
