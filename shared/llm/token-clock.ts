/**
 * What is known of one streamed answer in time: when its first byte of payload, its first answer token, its last token came, the gaps
 * between its chunks, and what is odd about it (R039-R041, R046, R047, R052). An event's instant is that of the network read that
 * brought it. Invariant, in integers: (first payload - zero) + sum of the gaps = (last payload - zero), exactly. It judges nothing.
 */

import { HeldSamples } from '../histogram/held-samples.ts';
import { assertNever } from '../assert-never.ts';
import type { PayloadKind, StreamDelta, Usage } from './stream-delta.ts';
import { StreamUsage } from './stream-usage.ts';

/** Most tool calls that are told apart. */
const CALLS_MAX = 1000;

export class TokenClock {
  /** The first event of any kind, also one that only opens the answer. Null = none yet; so for all instants. */
  firstChunkNs: number | null = null;
  /** First generated payload of any kind: the zero of the gaps. */
  firstPayloadNs: number | null = null;
  /** Second chunk with payload. */
  secondPayloadNs: number | null = null;
  /** First payload that is no reasoning. */
  firstAnswerNs: number | null = null;
  lastPayloadNs: number | null = null;
  /** Events with payload. */
  chunks = 0;
  /** Events of any kind but the end marker. */
  events = 0;
  /** Chunks that came in the same network read as the chunk before. */
  sharedArrivals = 0;
  /** Events that could not be read as this API's. */
  unreadable = 0;
  /** Chunks by kind; a chunk with several counts for each. */
  readonly chunksOfKind: Record<PayloadKind, number> = { text: 0, reasoning: 0, tool: 0, media: 0 };
  /** Characters of payload of any kind. */
  characters = 0;
  /** Index of a tool call -> the server's id of the last call that began there; '' = none given. */
  readonly #calls = new Map<number, string>();
  #toolCalls = 0;
  /** Bits of the choices with payload, and of those with a finish reason; the last bit stands for all beyond. */
  #begunChoices = 0;
  #endedChoices = 0;
  readonly #usage = new StreamUsage();
  finishReason: string | null = null;
  /** The stream's own end marker. */
  doneNs: number | null = null;
  error: { readonly code: string | null; readonly message: string } | null = null;
  /** Gaps between chunks with payload, ns. */
  readonly gaps = new HeldSamples();
  /** Gap over the chunk's tokens, once for each token; complete only while `tokensPerChunkKnown`. */
  readonly tokenGaps = new HeldSamples();
  /** True while every chunk so far came with the server's running token count. */
  tokensPerChunkKnown = true;
  /** Tokens of the first chunk by the server's running count; null = not said. */
  firstChunkTokens: number | null = null;
  #tokensBefore = 0;

  /** Makes ready for another answer. */
  reset(): void {
    this.firstChunkNs = null;
    this.firstPayloadNs = null;
    this.secondPayloadNs = null;
    this.firstAnswerNs = null;
    this.lastPayloadNs = null;
    this.chunks = 0;
    this.events = 0;
    this.sharedArrivals = 0;
    this.unreadable = 0;
    this.chunksOfKind.text = 0;
    this.chunksOfKind.reasoning = 0;
    this.chunksOfKind.tool = 0;
    this.chunksOfKind.media = 0;
    this.characters = 0;
    this.#calls.clear();
    this.#toolCalls = 0;
    this.#begunChoices = 0;
    this.#endedChoices = 0;
    this.#usage.reset();
    this.finishReason = null;
    this.doneNs = null;
    this.error = null;
    this.gaps.reset();
    this.tokenGaps.reset();
    this.tokensPerChunkKnown = true;
    this.firstChunkTokens = null;
    this.#tokensBefore = 0;
  }

  /** What the server counted; null = nothing yet. */
  get usage(): Usage | null {
    return this.#usage.of(this.chunks, !this.hasSeveralChoices);
  }

  /** True where the output tokens of `usage` are the sum of the server's counts of single chunks. */
  get isUsageAddedUp(): boolean {
    return !this.hasSeveralChoices && this.#usage.isAddedUp(this.chunks);
  }

  /** True once the end marker has come. */
  get done(): boolean {
    return this.doneNs !== null;
  }

  /** Tool calls, at most 1,000: fragments of one index are one call, unless another call begins there by its own id (R041). */
  get toolCalls(): number {
    return this.#toolCalls;
  }

  /** True while a choice has payload and no finish reason. */
  get hasOpenChoice(): boolean {
    return (this.#begunChoices & ~this.#endedChoices) !== 0;
  }

  /** True where another choice than the first has payload: gaps and tokens are those of all of them together. */
  get hasSeveralChoices(): boolean {
    return this.#begunChoices > 1;
  }

  /** Takes what one event said; it arrived at `tNs`. Instants never go back. */
  event(deltas: readonly StreamDelta[], tNs: number): void {
    let kinds = 0;
    let marker = 0;
    let isAnswer = false;
    let usage: Usage | null = null;
    for (const delta of deltas) {
      switch (delta.kind) {
        case 'payload':
          kinds |= KIND_BIT[delta.payload];
          this.#begunChoices |= choiceBit(delta.choice);
          isAnswer ||= delta.payload !== 'reasoning';
          this.characters += delta.text.length;
          if (delta.payload === 'tool') this.#call(delta.call ?? 0, delta.begins ?? '');
          break;
        case 'done':
          marker += 1;
          break;
        case 'usage':
          usage ??= delta.usage;
          break;
        case 'opened':
        case 'finish':
        case 'error':
        case 'unreadable':
          this.#fact(delta);
          break;
        default:
          assertNever(delta);
      }
    }
    if (usage !== null) this.#usage.take(usage, kinds !== 0);
    if (marker > 0) this.doneNs ??= tNs;
    if (marker > 0 && marker === deltas.length) return;
    this.events += 1;
    this.firstChunkNs ??= tNs;
    if (kinds !== 0) this.#chunk(kinds, isAnswer, tNs, usage?.outputTokens ?? null);
  }

  /** The same as `event` for an event at `tNs` that says one piece of payload, of so many characters, and nothing else. */
  payload(payload: Exclude<PayloadKind, 'tool'>, characters: number, tNs: number): void {
    this.characters += characters;
    this.#begunChoices |= 1;
    this.events += 1;
    this.firstChunkNs ??= tNs;
    this.#chunk(KIND_BIT[payload], payload !== 'reasoning', tNs, null);
  }

  /** Servers that number no calls, or give all of them the same number, still tell them apart by id. */
  #call(index: number, begins: string): void {
    const known = this.#calls.get(index);
    const isNew = known === undefined || (known !== '' && begins !== '' && begins !== known);
    if (isNew && this.#toolCalls === CALLS_MAX) return;
    if (isNew) this.#toolCalls += 1;
    if (isNew || begins !== '') this.#calls.set(index, begins);
  }

  #fact(delta: Exclude<StreamDelta, { readonly kind: 'payload' | 'usage' | 'done' }>): void {
    switch (delta.kind) {
      case 'opened':
        return;
      case 'finish':
        this.finishReason = delta.reason;
        this.#endedChoices |= choiceBit(delta.choice);
        return;
      case 'error':
        this.error ??= { code: delta.code, message: delta.message };
        return;
      case 'unreadable':
        this.unreadable += 1;
        return;
      default:
        assertNever(delta);
    }
  }

  #chunk(kinds: number, isAnswer: boolean, tNs: number, tokensSoFar: number | null): void {
    this.chunks += 1;
    if ((kinds & KIND_BIT.text) !== 0) this.chunksOfKind.text += 1;
    if ((kinds & KIND_BIT.reasoning) !== 0) this.chunksOfKind.reasoning += 1;
    if ((kinds & KIND_BIT.tool) !== 0) this.chunksOfKind.tool += 1;
    if ((kinds & KIND_BIT.media) !== 0) this.chunksOfKind.media += 1;
    const tokens = this.#tokensOfChunk(tokensSoFar);
    const before = this.lastPayloadNs;
    this.lastPayloadNs = tNs;
    if (isAnswer) this.firstAnswerNs ??= tNs;
    if (before === null) {
      this.firstPayloadNs = tNs;
      this.firstChunkTokens = tokens;
      return;
    }
    this.secondPayloadNs ??= tNs;
    const gapNs = tNs - before;
    if (gapNs === 0) this.sharedArrivals += 1;
    this.gaps.add(gapNs);
    if (tokens !== null) this.tokenGaps.add(Math.floor(gapNs / tokens), tokens);
  }

  /** Tokens of this chunk, where the server counts along; null from the first chunk on that it does not. */
  #tokensOfChunk(tokensSoFar: number | null): number | null {
    if (!this.tokensPerChunkKnown) return null;
    const tokens = tokensSoFar === null ? 0 : tokensSoFar - this.#tokensBefore;
    if (tokensSoFar === null || tokens < 1) {
      this.tokensPerChunkKnown = false;
      return null;
    }
    this.#tokensBefore = tokensSoFar;
    return tokens;
  }
}

function choiceBit(choice = 0): number {
  return 1 << Math.min(choice, 30);
}

const KIND_BIT: Readonly<Record<PayloadKind, number>> = { text: 1, reasoning: 2, tool: 4, media: 8 };
