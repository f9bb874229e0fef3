/**
 * The values of one ended answer for every metric of `metric-registry.ts` (formulas there). Integer arithmetic: a quotient is cut to
 * whole units, so that sums over a fleet are exact. A value that does not exist is null, never 0 (R054).
 */

import type { HeldSamples } from '../histogram/held-samples.ts';
import type { LlmMetricId } from '../metrics/metric.ts';
import type { LlmAnswer } from './llm-answer.ts';

/** Instants of the request that belong to no token. */
export interface AnswerStamps {
  readonly intendedNs: number;
  readonly sendNs: number;
  /** Last byte of the answer: stands for the last token where the answer was not streamed. */
  readonly endNs: number;
  /** Which turn of a session was answered, 0 = the first; left out where there are no sessions. */
  readonly turn?: number;
}

/** Where a count of output tokens comes from. */
export type TokenSource = 'usage' | 'chunks';

/** Output tokens of an answer and what is known of how they lie in its chunks. */
export interface TokenCounts {
  /** Output tokens n. */
  readonly outputTokens: number;
  /** Those of them that came, m: reasoning that the server counted and kept to itself is not in the stream. */
  readonly streamedTokens: number;
  readonly source: TokenSource;
  /** Samples of `itl`, or null where the tokens of the chunks are unknown. */
  readonly tokenGaps: HeldSamples | null;
  /** n1, tokens that were made by the end of the first chunk, or null where it is unknown. */
  readonly firstChunkTokens: number | null;
}

interface AnswerFacts {
  readonly answer: LlmAnswer;
  readonly stamps: AnswerStamps;
  readonly tokens: TokenCounts;
}

type Formula = (facts: AnswerFacts) => number | null;

/** Least tokens a chunk that a server has left which keeps its reasoning to itself; its counts may be off by a few. */
const HIDDEN_FILL = 0.9;

/** Metrics that an answer of one chunk or token cannot miss: a bound on them is met by having nothing to bound. */
const BETWEEN_TOKENS: ReadonlySet<LlmMetricId> = new Set(['ttst', 'chunkGap', 'itl', 'tpot', 'tpot_n1']);

/** The tokens of `answer`, however it ended: by its usage, else one a chunk. */
export function tokenCountsOf(answer: LlmAnswer): TokenCounts {
  const { clock } = answer;
  const said = clock.usage?.outputTokens ?? null;
  // A server that counts none although payload came has not counted.
  const isSaid = said !== null && (said > 0 || clock.chunks === 0);
  const outputTokens = isSaid ? said : clock.chunks;
  const source = isSaid ? 'usage' : 'chunks';
  const hiddenTokens = hiddenTokensOf(answer, outputTokens);
  const streamedTokens = outputTokens - hiddenTokens;
  const counts = { outputTokens, streamedTokens, source } as const;
  // Of several choices, each may have its own running count.
  if (clock.chunks > 0 && clock.tokensPerChunkKnown && !clock.hasSeveralChoices) {
    return { ...counts, tokenGaps: clock.tokenGaps, firstChunkTokens: clock.firstChunkTokens };
  }
  // One token a chunk: a chunk's gap is a token's gap.
  const isEven = clock.chunks > 0 && streamedTokens === clock.chunks;
  return { ...counts, tokenGaps: isEven ? clock.gaps : null, firstChunkTokens: isEven ? 1 + hiddenTokens : null };
}

/** Reasoning tokens by usage where payload came and none of it was reasoning. */
function hiddenTokensOf({ clock, form }: LlmAnswer, outputTokens: number): number {
  const { chunks, chunksOfKind, usage } = clock;
  if (form !== 'events' || chunks === 0 || chunksOfKind.reasoning > 0) return 0;
  const hidden = usage?.reasoningTokens ?? 0;
  // Servers without a parser for reasoning count it and send it as text: what is left of the tokens would not fill the chunks.
  return outputTokens - hidden < HIDDEN_FILL * chunks ? 0 : hidden;
}

/** The values of one answer that has ended well; valid until the answer is used again. */
export class AnswerValues {
  readonly #facts: AnswerFacts;

  constructor(answer: LlmAnswer, stamps: AnswerStamps) {
    this.#facts = { answer, stamps, tokens: tokenCountsOf(answer) };
  }

  get tokens(): TokenCounts {
    return this.#facts.tokens;
  }

  /** The answer's value; for `chunkGap` and `itl` its largest sample. Null where it has none. */
  valueOf(metric: LlmMetricId): number | null {
    return FORMULAS[metric](this.#facts);
  }

  /**
   * Whether the answer keeps within `max`; an answer too short to have a gap keeps within every bound on gaps. One that came whole, of
   * several tokens, has gaps that nobody saw.
   */
  meets(metric: LlmMetricId, max: number): boolean {
    const value = this.valueOf(metric);
    if (value !== null) return value <= max;
    const { answer, tokens } = this.#facts;
    const { chunks } = answer.clock;
    if (!BETWEEN_TOKENS.has(metric) || chunks === 0) return false;
    return tokens.streamedTokens === 1 || (answer.form === 'events' && chunks === 1);
  }
}

const FORMULAS: Readonly<Record<LlmMetricId, Formula>> = {
  ttft: streamed((facts) => since(facts.answer.clock.firstPayloadNs, facts.stamps.intendedNs)),
  ttft_firstTurn: ofTurns((turn) => turn === 0),
  ttft_laterTurns: ofTurns((turn) => turn > 0),
  ttft_send: streamed((facts) => since(facts.answer.clock.firstPayloadNs, facts.stamps.sendNs)),
  firstChunk: streamed((facts) => since(facts.answer.clock.firstChunkNs, facts.stamps.intendedNs)),
  firstChunk_send: streamed((facts) => since(facts.answer.clock.firstChunkNs, facts.stamps.sendNs)),
  timeToAnswer: streamed((facts) => since(facts.answer.clock.firstAnswerNs, facts.stamps.intendedNs)),
  timeToAnswer_send: streamed((facts) => since(facts.answer.clock.firstAnswerNs, facts.stamps.sendNs)),
  ttst: streamed(({ answer: { clock } }) => since(clock.secondPayloadNs, clock.firstPayloadNs ?? 0)),
  chunkGap: streamed(({ answer: { clock } }) => largest(clock.gaps)),
  itl: streamed(({ tokens }) => (tokens.tokenGaps === null ? null : largest(tokens.tokenGaps))),
  tpot: streamed((facts) => quotient(spanNs(facts), facts.tokens.streamedTokens - 1)),
  tpot_n1: streamed((facts) => {
    const { outputTokens, firstChunkTokens } = facts.tokens;
    return firstChunkTokens === null ? null : quotient(spanNs(facts), outputTokens - firstChunkTokens);
  }),
  tpot_open: streamed((facts) => {
    const { chunks, lastPayloadNs, firstChunkNs } = facts.answer.clock;
    return chunks < 1 ? null : quotient(since(lastPayloadNs, firstChunkNs ?? 0), facts.tokens.outputTokens - 1);
  }),
  ntpot: (facts) => quotient(sinceLast(facts, facts.stamps.intendedNs), facts.tokens.outputTokens),
  ntpot_send: (facts) => quotient(sinceLast(facts, facts.stamps.sendNs), facts.tokens.outputTokens),
  lastToken: streamed((facts) => since(facts.answer.clock.lastPayloadNs, facts.stamps.intendedNs)),
  lastToken_send: streamed((facts) => since(facts.answer.clock.lastPayloadNs, facts.stamps.sendNs)),
  timePerEvent_send: streamed((facts) => {
    const { clock } = facts.answer;
    return quotient(since(clock.lastPayloadNs, facts.stamps.sendNs), clock.events);
  }),
  tokensPerChunk: streamed(({ answer, tokens }) => quotient(1000 * tokens.streamedTokens, answer.clock.chunks)),
  outputTokens: ({ tokens }) => tokens.outputTokens,
  inputTokens: ({ answer }) => answer.clock.usage?.inputTokens ?? null,
  cachedTokens: ({ answer }) => answer.clock.usage?.cachedTokens ?? null,
  reasoningTokens: ({ answer }) => answer.clock.usage?.reasoningTokens ?? null,
  outputTokenRate: streamed((facts) => {
    const span = spanNs(facts);
    const tokensAfterFirst = facts.tokens.streamedTokens - 1;
    return span === null || tokensAfterFirst < 1 ? null : quotient(1e12 * tokensAfterFirst, span);
  }),
};

/** A formula that only streamed answers have a value for. */
function streamed(formula: Formula): Formula {
  return (facts) => (facts.answer.form === 'events' ? formula(facts) : null);
}

/** `ttft` of the turns of sessions that `isMeant` names. */
function ofTurns(isMeant: (turn: number) => boolean): Formula {
  return (facts) => {
    const { turn } = facts.stamps;
    return turn !== undefined && isMeant(turn) ? FORMULAS.ttft(facts) : null;
  };
}

/** From the first to the last chunk with payload; null with fewer than two. */
function spanNs({ answer: { clock } }: AnswerFacts): number | null {
  return clock.chunks < 2 ? null : since(clock.lastPayloadNs, clock.firstPayloadNs ?? 0);
}

/** To the last token, or to the end of an answer that came whole. */
function sinceLast({ answer, stamps }: AnswerFacts, zeroNs: number): number | null {
  return answer.form === 'body' ? stamps.endNs - zeroNs : since(answer.clock.lastPayloadNs, zeroNs);
}

function largest(samples: HeldSamples): number | null {
  return samples.length > 0 ? samples.max : null;
}

function since(tNs: number | null, zeroNs: number): number | null {
  return tNs === null ? null : tNs - zeroNs;
}

/** Whole units of `value` / `parts`; null where there is nothing to divide (by). */
function quotient(value: number | null, parts: number): number | null {
  return value === null || parts < 1 ? null : Math.floor(value / parts);
}
