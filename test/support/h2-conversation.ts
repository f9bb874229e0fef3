/**
 * What a server sends on one HTTP/2 connection, made up from a seed: the answers to several requests, interleaved, with everything between
 * that the protocol allows, and what each request must get of it.
 */
import type { Draw } from './draws.ts';
import { data, FLAG, FRAME, FRAME_HEADER_BYTES, frame, padded, SETTING, settings, windowUpdate } from './h2-frames.ts';
import { type Field, HpackWriter } from './hpack-writer.ts';

/** The answer to one request, as far as it has been sent. */
export interface H2Answer {
  readonly stream: number;
  readonly method: string;
  readonly status: number;
  /** All that will be sent of content. */
  readonly body: string;
  readonly declaresLength: boolean;
  /** No content is due, whatever the length says. */
  readonly isBodyless: boolean;
  state: 'unanswered' | 'answering' | 'ended';
  sentBytes: number;
}

/** Frames that must stay together: one frame, or HEADERS with its CONTINUATION. */
export type Step = Buffer;

const STATUSES = [200, 200, 200, 206, 404, 500, 299, 204, 304];
const FIELDS: readonly Field[] = [
  ['server', 'x'],
  ['date', 'Mon, 01 Jan 2026 00:00:00 GMT'],
  ['content-type', 'text/plain; charset=utf-8'],
  ['set-cookie', 'a=b; c'],
  ['x-empty', ''],
  ['x-long', '~^<\\> "quoted"'.repeat(20)],
  ['x-name', 'value'],
];
/** Flags that have no meaning on any frame below (RFC 9113 §4.1: to be ignored). */
const UNDEFINED_FLAGS = 0xd2;

/** Makes one connection's frames, step by step. */
export class H2Conversation {
  readonly answers: readonly H2Answer[];
  readonly steps: Step[] = [];
  readonly #draw: Draw;
  /** Draws of what fields there are and how they are written: on some connections one of a few ways, as servers do it. */
  readonly #habit: Draw;
  readonly #ways: readonly number[];
  #way = 0;
  readonly #hpack: HpackWriter;

  /** Request `index` has `methods[index]` and the stream 2 x index + 1. */
  constructor(draw: Draw, methods: readonly string[]) {
    this.#draw = draw;
    this.#ways = [draw(840), draw(840), 12 * draw(70)];
    this.#habit = draw(3) === 0 ? draw : (below) => this.#way % below;
    this.#hpack = new HpackWriter(this.#habit);
    this.answers = methods.map((method, index) => this.#plan(method, 2 * index + 1));
  }

  /** Answers that have not ended, in `state` where given. */
  open(state?: H2Answer['state']): H2Answer[] {
    return this.answers.filter((one) => one.state !== 'ended' && (state === undefined || one.state === state));
  }

  /** Adds up to `most` steps; false when all answers have ended before. */
  advance(most: number): boolean {
    for (let count = 0; count < most; count += 1) {
      const open = this.open();
      const answer = open[this.#draw(open.length)];
      if (answer === undefined) return false;
      if (this.#draw(4) === 0) this.steps.push(this.#between());
      else this.steps.push(this.#next(answer));
    }
    return true;
  }

  #plan(method: string, stream: number): H2Answer {
    const status = STATUSES[this.#draw(STATUSES.length)] as number;
    const isBodyless = method === 'HEAD' || status === 204 || status === 304;
    const bytes = [0, 1, 5, this.#draw(400), this.#draw(40) === 0 ? 40_000 : 20][this.#draw(5)] as number;
    // Each stream has letters of its own: what is given to another one shows.
    const letter = String.fromCharCode(97 + ((stream - 1) / 2) * 2);
    const body = isBodyless
      ? ''
      : Array.from({ length: bytes }, (_, at) => (at % 7 === 3 ? String(at % 10) : letter)).join('');
    return {
      stream,
      method,
      status,
      body,
      declaresLength: status !== 204 && this.#draw(2) === 0,
      isBodyless,
      state: 'unanswered',
      sentBytes: 0,
    };
  }

  #next(answer: H2Answer): Step {
    const { stream, status, body } = answer;
    this.#way = this.#ways[this.#draw(this.#ways.length)] as number;
    if (answer.state === 'unanswered') {
      if (this.#draw(5) === 0)
        return this.#head(stream, [[':status', this.#draw(2) === 0 ? '103' : '100'], ...this.#fields()], 0);
      const length = answer.method === 'HEAD' && body === '' ? '17' : String(body.length);
      const fields: Field[] = [[':status', String(status)], ...this.#fields()];
      if (answer.declaresLength) fields.splice(1 + this.#draw(fields.length), 0, ['content-length', length]);
      const ends = body === '' && this.#draw(2) === 0;
      answer.state = ends ? 'ended' : 'answering';
      return this.#head(stream, fields, ends ? FLAG.endStream : 0);
    }
    const left = body.length - answer.sentBytes;
    if (left === 0 && this.#draw(3) === 0) {
      answer.state = 'ended';
      return this.#head(stream, this.#fields(), FLAG.endStream);
    }
    const size = left === 0 || this.#draw(6) === 0 ? 0 : Math.min(16_000, 1 + this.#draw(left));
    const content = body.slice(answer.sentBytes, answer.sentBytes + size);
    answer.sentBytes += size;
    const ends = answer.sentBytes === body.length && this.#draw(2) === 0;
    if (ends) answer.state = 'ended';
    const flags = ends ? FLAG.endStream : 0;
    const isPadded = this.#draw(3) === 0;
    if (!isPadded) return this.#decorate(data(stream, content, flags));
    return this.#decorate(data(stream, padded(content, this.#draw(256)), flags | FLAG.padded));
  }

  #fields(): Field[] {
    return Array.from({ length: this.#habit(4) }, (_, index) => {
      return FIELDS[(this.#habit(FIELDS.length) + index) % FIELDS.length] as Field;
    });
  }

  /** HEADERS, cut into CONTINUATION at places that are drawn. */
  #head(stream: number, fields: readonly Field[], endFlag: number): Step {
    const block = this.#hpack.block(fields);
    const cuts = Array.from({ length: this.#draw(3) === 0 ? 1 + this.#draw(3) : 0 }, () =>
      this.#draw(block.length + 1),
    );
    const edges = [0, ...cuts.sort((a, b) => a - b), block.length];
    const parts = edges.slice(1).map((end, index) => block.slice(edges[index], end));
    const frames = parts.map((part, index) => {
      const endHeaders = index === parts.length - 1 ? FLAG.endHeaders : 0;
      if (index > 0) return this.#decorate(frame(FRAME.continuation, endHeaders, stream, part));
      const hasPriority = this.#draw(4) === 0;
      const content = (hasPriority ? '\0\0\0\0\x10' : '') + part;
      const flags = endFlag | endHeaders | (hasPriority ? FLAG.priority : 0);
      if (this.#draw(4) > 0) return this.#decorate(frame(FRAME.headers, flags, stream, content));
      return this.#decorate(frame(FRAME.headers, flags | FLAG.padded, stream, padded(content, this.#draw(50))));
    });
    return Buffer.concat(frames);
  }

  /** A frame that says nothing of any answer. */
  #between(): Step {
    const stream = this.answers[this.#draw(this.answers.length)]?.stream ?? 1;
    switch (this.#draw(7)) {
      case 0:
        return this.#decorate(frame(FRAME.ping, 0, 0, `ping${1000 + this.#draw(9000)}`));
      case 1:
        return settings([0x99, this.#draw(9)], [SETTING.initialWindowSize, this.#draw(1_000_000)]);
      case 2:
        return settings([SETTING.maxConcurrentStreams, this.#draw(200)], [SETTING.headerTableSize, this.#draw(5000)]);
      case 3:
        return this.#decorate(windowUpdate(this.#draw(2) === 0 ? 0 : stream, 1 + this.#draw(1000)));
      case 4:
        return this.#decorate(frame(FRAME.priority, 0, stream, '\0\0\0\0\x07'));
      case 5:
        return this.#decorate(
          frame(0x20 + this.#draw(200), this.#draw(256), this.#draw(2) === 0 ? 0 : stream, 'unknown'),
        );
      default:
        return settings();
    }
  }

  /** Sets bits of a frame's head that must be ignored. */
  #decorate(bytes: Buffer): Buffer {
    if (this.#draw(4) === 0) bytes[4] = (bytes[4] ?? 0) | (UNDEFINED_FLAGS & this.#draw(256));
    if (this.#draw(4) === 0) bytes[FRAME_HEADER_BYTES - 4] = (bytes[FRAME_HEADER_BYTES - 4] ?? 0) | 0x80;
    return bytes;
  }
}

/** Cuts `bytes` at places that are drawn: few large pieces, or many small ones at the start. */
export function cutAnywhere(bytes: Buffer, draw: Draw): Buffer[] {
  const pieces: Buffer[] = [];
  const small = draw(3) === 0;
  let at = 0;
  while (at < bytes.length) {
    const size = small && pieces.length < 40 ? 1 + draw(12) : 1 + draw(bytes.length);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}
