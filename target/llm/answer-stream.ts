/**
 * One streamed answer of the reference LLM target: waits for its slot, then for its first token, then sends chunk after chunk at the
 * instants its laws give. Chunks go straight to the socket in HTTP/1.1 chunked framing; those of one stream that are due together leave
 * in one write, all others in one each. That is what lets one core feed some hundred thousand of them a second.
 */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { DueLoop } from '../due-loop.ts';
import type { CompletionRequest } from './completion-request.ts';
import {
  type AnswerUsage,
  createEventWriter,
  type EventText,
  type EventWriter,
  type TokenKind,
} from './event-writer.ts';
import type { LlmMetrics } from './llm-metrics.ts';
import type { StreamFault } from './stream-fault.ts';
import type { TokenDraws } from './token-law.ts';

/** Chunks that come before the faults that cut a stream. */
const CHUNKS_BEFORE_CUT = 3;
const CHUNKS_BEFORE_ERROR = 2;
/** Most chunks of one stream in one write, when the loop is so late that several are due. */
const CHUNKS_PER_WRITE_MAX = 64;
/** How late the usage chunk of `late-usage` is, ns (R046). */
const LATE_USAGE_NS = 150e6;

/** What one stream is made of. */
export interface AnswerStreamParts {
  readonly request: CompletionRequest;
  readonly id: string;
  readonly response: ServerResponse;
  readonly faults: ReadonlySet<StreamFault>;
  readonly dueLoop: DueLoop;
  readonly nowNs: () => number;
  readonly firstToken: TokenDraws;
  readonly gaps: TokenDraws;
  /** Tokens to generate and tokens a chunk carries; the first chunk carries one. */
  readonly tokens: number;
  readonly tokensPerChunk: number;
  readonly cachedTokens: number;
  readonly receivedNs: number;
  readonly metrics: LlmMetrics;
  /** The slot is free again. */
  readonly onEnd: () => void;
}

/** One answer on its way. */
export class AnswerStream {
  readonly #parts: AnswerStreamParts;
  readonly #writer: EventWriter;
  readonly #lineEnd: string;
  #sentTokens = 0;
  #sentChunks = 0;
  #dueNs = 0;
  #ended = false;
  #held = '';
  #heldEvents = 0;
  /** The frame of the last chunk: chunks of one kind and size are the same text in most APIs. */
  #frameCache: { readonly kind: TokenKind; readonly tokens: number; readonly frame: string } | null = null;

  constructor(parts: AnswerStreamParts) {
    this.#parts = parts;
    this.#writer = createEventWriter(parts.request, parts.id, parts.faults);
    this.#lineEnd = parts.faults.has('crlf') ? '\r\n' : parts.faults.has('cr') ? '\r' : '\n';
    parts.response.on('close', () => this.#finish());
  }

  /** The slot is taken: the prompt is worked on, then the first token comes. */
  start(): void {
    if (this.#ended) return;
    const { response, nowNs, firstToken, faults } = this.#parts;
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache',
      'Transfer-Encoding': 'chunked',
    });
    response.flushHeaders();
    if (faults.has('bom')) this.#write('\uFEFF');
    if (faults.has('bare-error')) {
      this.#endWith('{"error":{"message":"engine died","code":500}}');
      return;
    }
    if (faults.has('empty-stream')) {
      this.#endWith('');
      return;
    }
    if (faults.has('error-first')) {
      this.#endAfterError();
      return;
    }
    this.#events(this.#writer.opening());
    this.#flushHeld();
    this.#dueNs = nowNs() + firstToken.next();
    this.#at(this.#dueNs, () => this.#token());
  }

  /** Sends the chunks that are due and asks for the next one. */
  #token(): void {
    const { tokens, faults, nowNs } = this.#parts;
    if (faults.has('no-tokens') || tokens === 0) {
      this.#end();
      return;
    }
    // Faults speak of single chunks and writes.
    const atOnce = faults.size === 0 ? CHUNKS_PER_WRITE_MAX : 1;
    for (let sent = 0; sent < atOnce; sent += 1) {
      this.#chunk();
      if (this.#cutHere()) return;
      if (this.#sentTokens >= tokens) {
        this.#end();
        return;
      }
      this.#advance();
      if (this.#dueNs > nowNs()) break;
    }
    if (!faults.has('joined')) this.#flushHeld();
    this.#at(this.#dueNs, () => this.#token());
  }

  #chunk(): void {
    const { tokens, tokensPerChunk, metrics, receivedNs, nowNs } = this.#parts;
    const isFirst = this.#sentChunks === 0;
    const inChunk = Math.min(isFirst ? 1 : tokensPerChunk, tokens - this.#sentTokens);
    this.#hold(this.#chunkFrame(this.#kindOf(this.#sentTokens), inChunk));
    if (isFirst) metrics.firstToken(nowNs() - receivedNs);
    this.#sentTokens += inChunk;
    this.#sentChunks += 1;
  }

  #chunkFrame(kind: TokenKind, tokens: number): string {
    const cached = this.#frameCache;
    if (cached !== null && cached.kind === kind && cached.tokens === tokens) return cached.frame;
    const frame = this.#frame(this.#writer.chunk(kind, this.#sentTokens, tokens));
    // Fragments of a tool call differ, the events of the responses API are numbered, and running counts grow.
    const { api, continuousUsage } = this.#parts.request;
    if (kind !== 'tool' && api !== 'responses' && !continuousUsage) this.#frameCache = { kind, tokens, frame };
    return frame;
  }

  /** Moves the instant on to that of the next chunk: when its last token is there. */
  #advance(): void {
    const { tokens, tokensPerChunk, gaps, metrics } = this.#parts;
    const upcoming = Math.min(tokensPerChunk, tokens - this.#sentTokens);
    for (let token = 0; token < upcoming; token += 1) {
      const gapNs = gaps.next();
      metrics.gap(gapNs);
      this.#dueNs += gapNs;
    }
  }

  #kindOf(token: number): TokenKind {
    const { faults, tokens } = this.#parts;
    if (faults.has('tool-call')) return 'tool';
    if (faults.has('only-reasoning')) return 'reasoning';
    return faults.has('reasoning') && token < tokens / 2 ? 'reasoning' : 'text';
  }

  /** Faults that act between two chunks. */
  #cutHere(): boolean {
    const { faults, response } = this.#parts;
    if (this.#sentChunks === CHUNKS_BEFORE_ERROR && (faults.has('error-event') || faults.has('error-frame'))) {
      this.#endAfterError();
      return true;
    }
    if (this.#sentChunks !== CHUNKS_BEFORE_CUT) return false;
    if (faults.has('truncated')) {
      this.#endWith('');
      return true;
    }
    if (!faults.has('reset')) return false;
    this.#flushHeld();
    response.socket?.resetAndDestroy();
    return true;
  }

  #end(): void {
    const { faults, tokens, request } = this.#parts;
    const reason =
      request.tokensMax !== null && tokens >= request.tokensMax && !faults.has('no-tokens') ? 'length' : 'stop';
    this.#events(this.#writer.finish(reason));
    if (faults.has('late-usage')) {
      this.#flushHeld();
      this.#at(this.#parts.nowNs() + LATE_USAGE_NS, () => this.#endAfterUsage());
    } else this.#endAfterUsage();
  }

  #endAfterUsage(): void {
    const { faults, request, metrics, nowNs, receivedNs } = this.#parts;
    if (request.includeUsage && !faults.has('no-usage')) this.#events(this.#writer.usage(this.usage()));
    if (!faults.has('no-done')) this.#events(this.#writer.done());
    metrics.ended(nowNs() - receivedNs, request.promptTokens, this.#sentTokens);
    this.#endWith('');
  }

  /** Token counts as they stand. */
  usage(): AnswerUsage {
    const { request, cachedTokens, faults, tokens } = this.#parts;
    const reasoningTokens = faults.has('only-reasoning')
      ? this.#sentTokens
      : faults.has('reasoning')
        ? Math.min(this.#sentTokens, Math.ceil(tokens / 2))
        : 0;
    return { promptTokens: request.promptTokens, cachedTokens, completionTokens: this.#sentTokens, reasoningTokens };
  }

  #endAfterError(): void {
    const { faults, metrics } = this.#parts;
    metrics.failed += 1;
    if (faults.has('error-frame')) this.#events([{ type: 'error', data: 'engine died' }]);
    else this.#events([this.#writer.error('engine died', 500), ...this.#writer.done()]);
    this.#endWith('');
  }

  #at(dueNs: number, run: () => void): void {
    this.#parts.dueLoop.at(dueNs, () => {
      if (!this.#ended) run();
    });
  }

  /** Writes events at once. */
  #events(events: readonly EventText[]): void {
    for (const event of events) {
      this.#hold(this.#frame(event));
      if (!this.#parts.faults.has('joined')) this.#flushHeld();
    }
  }

  /** Keeps a frame for the next write; with the fault `joined` three of them make one. */
  #hold(frame: string): void {
    this.#held += frame;
    this.#heldEvents += 1;
    if (this.#heldEvents >= 3 && this.#parts.faults.has('joined')) this.#flushHeld();
  }

  #frame({ type, data }: EventText): string {
    const { faults } = this.#parts;
    const space = faults.has('bom') ? '' : ' ';
    const comment = faults.has('comments') ? `: still here${this.#lineEnd}` : '';
    const name = type === null ? '' : `event:${space}${type}${this.#lineEnd}`;
    return `${comment}${name}data:${space}${data}${this.#lineEnd}${this.#lineEnd}`;
  }

  #flushHeld(): void {
    if (this.#held === '') return;
    const text = this.#held;
    this.#held = '';
    this.#heldEvents = 0;
    if (this.#parts.faults.has('split')) this.#writeSplit(Buffer.from(text));
    else this.#write(text);
  }

  #writeSplit(bytes: Buffer): void {
    const middle = splitPlace(bytes);
    this.#write(bytes.subarray(0, middle));
    this.#write(bytes.subarray(middle));
  }

  #write(piece: string | Buffer): void {
    const { response } = this.#parts;
    if (this.#ended) return;
    const length = typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;
    const socket: Socket | null = response.socket;
    if (socket === null) return void response.write(piece);
    if (typeof piece === 'string') socket.write(`${length.toString(16)}\r\n${piece}\r\n`);
    else socket.write(Buffer.concat([Buffer.from(`${length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]));
  }

  #endWith(text: string): void {
    this.#flushHeld();
    if (text !== '') this.#write(text);
    this.#parts.response.end();
    this.#finish();
  }

  #finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#parts.onEnd();
  }
}

/** Inside the first character of several bytes, if there is one, else in the middle. */
function splitPlace(bytes: Buffer): number {
  const lead = bytes.findIndex((byte) => byte >= 0xc0);
  return lead >= 0 ? lead + 2 : Math.floor(bytes.length / 2);
}
