/**
 * The reference LLM target: an OpenAI- and Anthropic-like server on loopback whose every instant is known. First-token and gap laws are
 * drawn by identity and seed, a batch limit makes overload build a queue, faults act on command, `/metrics` speaks vLLM's names.
 * It generates no language: a token is a fixed word.
 */

import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FleetError } from '../../shared/fleet-error.ts';
import { parseLoopbackListen } from '../../shared/listen-address.ts';
import { IDENTITY_HEADER } from '../../shared/schedule/identity-header.ts';
import { hostClock } from '../../shared/time/monotonic-clock.ts';
import { DueLoop } from '../due-loop.ts';
import { drawRequestWords } from '../request-draw.ts';
import { identityByNumber, parseRequestIdentity } from '../request-identity.ts';
import { AnswerStream } from './answer-stream.ts';
import { BatchSlots } from './batch-slots.ts';
import { apiOfPath, type CompletionRequest, type LlmApi, readCompletionRequest } from './completion-request.ts';
import { wholeBody } from './event-writer.ts';
import { LlmMetrics } from './llm-metrics.ts';
import { type LlmTargetOptions, llmTargetRules, type LlmTargetRules } from './llm-target-options.ts';
import { parseStreamFaults, type StreamFault } from './stream-fault.ts';
import { DRAW_PURPOSE, TokenDraws, type TokenLaw } from './token-law.ts';

/** Largest request body, bytes. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;
/** Prompts remembered to tell a cached one. */
const PROMPTS_MAX = 200_000;

/** What the target counted. */
export interface LlmTargetCounts {
  readonly requests: number;
  readonly answered: number;
  readonly failed: number;
  readonly promptTokens: number;
  readonly generationTokens: number;
  readonly running: number;
  readonly waiting: number;
  /** Different prompts among the requests. */
  readonly uniquePrompts: number;
}

/** An LLM target that listens. */
export interface RunningLlmTarget {
  readonly url: string;
  readonly port: number;
  counts(): LlmTargetCounts;
  close(): Promise<void>;
}

/** Starts an LLM target. @throws FleetError `plan` or `usage` for wrong options, `io` when the port cannot be had. */
export async function startLlmTarget(options: LlmTargetOptions = {}): Promise<RunningLlmTarget> {
  const target = new LlmTarget(options);
  await target.listen(options.listen ?? '127.0.0.1:0');
  return target;
}

class LlmTarget implements RunningLlmTarget {
  readonly #rules: LlmTargetRules;
  readonly #slots: BatchSlots;
  readonly #metrics = new LlmMetrics();
  readonly #dueLoop = new DueLoop(hostClock);
  readonly #server: Server;
  readonly #prompts = new Set<string>();
  #port = 0;
  #host = '';

  constructor(options: LlmTargetOptions) {
    this.#rules = llmTargetRules(options);
    this.#slots = new BatchSlots(this.#rules.slots);
    this.#server = createServer({ keepAlive: true, noDelay: true, keepAliveTimeout: 75_000 }, (request, response) =>
      this.#serve(request, response),
    );
  }

  get url(): string {
    return `http://${this.#host.includes(':') ? `[${this.#host}]` : this.#host}:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  async listen(text: string): Promise<void> {
    const { host, port } = parseLoopbackListen(text);
    this.#host = host;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (cause) =>
        reject(new FleetError('io', `listen: ${text} cannot be had: ${cause.message}`, { cause })),
      );
      this.#server.listen({ host, port, backlog: 4096 }, resolve);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  counts(): LlmTargetCounts {
    const { requests, succeeded, failed, promptTokens, generationTokens } = this.#metrics;
    return {
      requests,
      answered: succeeded,
      failed,
      promptTokens,
      generationTokens,
      running: this.#slots.running,
      waiting: this.#slots.waiting,
      uniquePrompts: this.#prompts.size,
    };
  }

  async close(): Promise<void> {
    this.#dueLoop.close();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://target');
    response.on('error', () => response.destroy());
    if (url.pathname === '/metrics') {
      answer(response, 200, 'text/plain; version=0.0.4', this.#metrics.page(this.#slots.running, this.#slots.waiting));
      return;
    }
    // Asked by clients before they begin, as at every server that people use.
    if (url.pathname === '/health') {
      answerJson(response, 200, { status: 'ok' });
      return;
    }
    if (url.pathname === '/v1/models') {
      answerJson(response, 200, { object: 'list', data: [{ id: 'reference', object: 'model' }] });
      return;
    }
    if (url.pathname === '/__target/counts') {
      answerJson(response, 200, this.counts());
      return;
    }
    const api = apiOfPath(url.pathname);
    if (api === null || request.method !== 'POST') {
      answerJson(response, 404, { error: { message: `no such endpoint: ${url.pathname}`, code: 404 } });
      return;
    }
    let body = '';
    let bytes = 0;
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      bytes += chunk.length;
      if (bytes <= BODY_BYTES_MAX) body += chunk;
    });
    request.on('end', () => {
      if (bytes > BODY_BYTES_MAX)
        answerJson(response, 413, { error: { message: `the body has more than ${BODY_BYTES_MAX} bytes`, code: 413 } });
      else this.#complete(api, body, url.searchParams.get('fault'), request, response);
    });
  }

  #complete(
    api: LlmApi,
    body: string,
    faultText: string | null,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    this.#metrics.requests += 1;
    const number = this.#metrics.requests - 1;
    const asked = readCompletionRequest(api, body);
    if ('refused' in asked) {
      answerJson(response, 400, { error: { message: asked.refused, type: 'invalid_request_error', code: 400 } });
      return;
    }
    let faults = this.#rules.faults;
    try {
      if (faultText !== null) faults = parseStreamFaults(faultText);
    } catch (error) {
      answerJson(response, 400, { error: { message: String(error), code: 400 } });
      return;
    }
    if (faults.has('too-many')) {
      answerJson(response, 429, { error: { message: 'too many requests', code: 429 } });
      return;
    }
    const header = request.headers[IDENTITY_HEADER];
    const words = new Uint32Array(4);
    drawRequestWords(
      this.#rules.seed,
      (typeof header === 'string' ? parseRequestIdentity(header) : null) ?? identityByNumber(number),
      words,
    );
    const stream = this.#streamOf(asked, `cmpl-${number}`, faults, response, words);
    const leaveQueue = this.#slots.enter(stream);
    response.on('close', leaveQueue);
  }

  /** The start of an answer, once a slot is free. */
  #streamOf(
    asked: CompletionRequest,
    id: string,
    faults: ReadonlySet<StreamFault>,
    response: ServerResponse,
    words: Uint32Array,
  ): () => void {
    const receivedNs = hostClock.nowNs();
    const tokens = asked.ignoreEos
      ? (asked.tokensMax ?? this.#rules.outputTokens)
      : Math.min(this.#rules.outputTokens, asked.tokensMax ?? this.#rules.outputTokens);
    const cachedTokens = this.#rememberPrompt(asked.promptText) ? asked.promptTokens : 0;
    const draws = (law: TokenLaw, purpose: number): TokenDraws => new TokenDraws(law, this.#rules.seed, words, purpose);
    const firstToken = draws(this.#rules.firstToken, DRAW_PURPOSE.firstToken);
    const gaps = draws(this.#rules.gap, DRAW_PURPOSE.gap);
    if (!asked.stream || faults.has('not-streamed')) {
      return () => this.#answerWhole(asked, id, response, { receivedNs, tokens, cachedTokens, firstToken, gaps });
    }
    const parts = {
      request: asked,
      id,
      response,
      faults,
      dueLoop: this.#dueLoop,
      nowNs: () => hostClock.nowNs(),
      firstToken,
      gaps,
      tokens,
      tokensPerChunk: this.#rules.tokensPerChunk,
      cachedTokens,
      receivedNs,
      metrics: this.#metrics,
      onEnd: () => this.#slots.leave(),
    };
    return () => new AnswerStream(parts).start();
  }

  /** One JSON body at the instant at which a stream would have had its last token. */
  #answerWhole(
    asked: CompletionRequest,
    id: string,
    response: ServerResponse,
    answerParts: { receivedNs: number; tokens: number; cachedTokens: number; firstToken: TokenDraws; gaps: TokenDraws },
  ): void {
    const { receivedNs, tokens, cachedTokens, firstToken, gaps } = answerParts;
    let dueNs = hostClock.nowNs() + firstToken.next();
    for (let token = 1; token < tokens; token += 1) dueNs += gaps.next();
    this.#dueLoop.at(dueNs, () => {
      const usage = { promptTokens: asked.promptTokens, cachedTokens, completionTokens: tokens, reasoningTokens: 0 };
      answer(
        response,
        200,
        'application/json',
        wholeBody(asked, id, usage, tokens === asked.tokensMax ? 'length' : 'stop'),
      );
      this.#metrics.ended(hostClock.nowNs() - receivedNs, asked.promptTokens, tokens);
      this.#slots.leave();
    });
  }

  /** True when this prompt came before. */
  #rememberPrompt(text: string): boolean {
    const digest = createHash('sha1').update(text).digest('base64');
    if (this.#prompts.has(digest)) return true;
    if (this.#prompts.size < PROMPTS_MAX) this.#prompts.add(digest);
    return false;
  }
}

function answer(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

function answerJson(response: ServerResponse, status: number, value: object): void {
  answer(response, status, 'application/json', JSON.stringify(value));
}
