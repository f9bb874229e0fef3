/**
 * The section `llm` of `result.json`: tokens and where their counts come from, what was odd in the streams, and what other tools would
 * have reported of them. Null for a plan without LLM requests. Times and rates of tokens are in `metrics`, like all others.
 */
import { COUNTER, type CounterName } from '../../shared/metrics/counters.ts';
import type { LlmMetricId } from '../../shared/metrics/metric.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import type { TokenCountEvidence } from '../verdict/token-counts-gate.ts';
import { type CompatRow, compatRows } from './llm-compat.ts';
import { type JsonInteger, jsonInteger } from './json-integer.ts';
import type { ScopeData } from './scope-data.ts';

/** Irregularities and counts of streams, by the name they have in `result.json`. */
export const LLM_COUNTS = {
  events: 'llm-events',
  chunks: 'llm-chunks',
  reasoningChunks: 'llm-reasoning-chunks',
  toolChunks: 'llm-tool-chunks',
  partialChunks: 'llm-partial-chunks',
  sharedArrivals: 'llm-shared-arrivals',
  comments: 'llm-comments',
  unreadableEvents: 'llm-unreadable-events',
  notStreamed: 'llm-not-streamed',
  withoutMarker: 'llm-without-marker',
  emptyAnswers: 'llm-empty',
  unseenPayload: 'llm-unseen-payload',
  gapsNotKept: 'llm-gaps-not-kept',
  tokenMismatches: 'llm-token-mismatch',
  severalChoices: 'llm-several-choices',
  leftOpen: 'llm-left-open',
  toolCalls: 'llm-tool-calls',
  usageAddedUp: 'llm-usage-added-up',
  hiddenReasoning: 'llm-hidden-reasoning',
} as const satisfies Readonly<Record<string, CounterName>>;

/** Of the measured phases, ok answers unless named otherwise. */
export interface LlmValue {
  readonly models: readonly string[];
  /** ok answers by the source of their output tokens. */
  readonly tokenSources: { readonly usage: number; readonly chunks: number };
  /** Output tokens of a sample of the answers by a tokenizer; null where the plan names none. */
  readonly tokenizer: TokenizerValue | null;
  readonly outputTokens: JsonInteger;
  /** Null where no answer had usage; so for cached and reasoning tokens. */
  readonly inputTokens: JsonInteger | null;
  readonly cachedTokens: JsonInteger | null;
  readonly reasoningTokens: JsonInteger | null;
  /** Over the scheduled length, to the last end where all was asked for at once; null where neither is known. */
  readonly outputTokensPerSecond: number | null;
  /** Output and input; null without usage. */
  readonly totalTokensPerSecond: number | null;
  /** Output tokens over chunks of all streams. */
  readonly tokensPerChunk: number | null;
  readonly counts: Readonly<Record<keyof typeof LLM_COUNTS, number>>;
  /** What the reader of these numbers must know. */
  readonly notes: readonly string[];
  readonly compat: readonly CompatRow[];
}

/** A sample of ok answers counted by a tokenizer as well. */
export interface TokenizerValue {
  /** Names of the plan, with commas between. */
  readonly name: string;
  /** Answers that it counted. */
  readonly answers: number;
  /** ok answers that it did not: beyond the sample, too long, or not text alone. */
  readonly leftOut: number;
  readonly outputTokens: number;
  /** Output tokens of the same answers by usage or chunks. */
  readonly otherwise: number;
  /** All output tokens per second, if the other answers are like the sample; null without one. */
  readonly outputTokensPerSecond: number | null;
}

/** Above it a chunk gap is no token gap (R047). */
const TOKENS_PER_CHUNK_NOTED = 1.2;

/** The section for `plan` from its measured data. */
export function llmValue(plan: Plan, measured: ScopeData): LlmValue | null {
  const models = [...new Set(plan.requests.flatMap(({ llm }) => (llm === null ? [] : [llm.model])))];
  if (models.length === 0) return null;
  const counted = (name: CounterName): number => measured.cell[COUNTER[name]] as number;
  const counts = Object.fromEntries(
    Object.entries(LLM_COUNTS).map(([name, counter]) => [name, counted(counter)]),
  ) as LlmValue['counts'];
  const tokenSources = { usage: counted('llm-counted-by-usage'), chunks: counted('llm-counted-by-chunks') };
  const sum = (metric: LlmMetricId): bigint => measured.histogram(metric, 'ok').sum;
  const sumOrNull = (metric: LlmMetricId): JsonInteger | null =>
    measured.histogram(metric, 'ok').isEmpty() ? null : jsonInteger(sum(metric));
  const hasUsage = !measured.histogram('inputTokens', 'ok').isEmpty();
  const tokensPerChunk = counts.chunks === 0 ? null : counted('llm-tokens-in-chunks') / counts.chunks;
  return {
    models,
    tokenSources,
    tokenizer: tokenizerValue(plan, measured),
    outputTokens: jsonInteger(sum('outputTokens')),
    inputTokens: sumOrNull('inputTokens'),
    cachedTokens: sumOrNull('cachedTokens'),
    reasoningTokens: sumOrNull('reasoningTokens'),
    outputTokensPerSecond: measured.perSecondOfWork(Number(sum('outputTokens'))),
    totalTokensPerSecond: hasUsage ? measured.perSecondOfWork(Number(sum('outputTokens') + sum('inputTokens'))) : null,
    tokensPerChunk,
    counts,
    notes: [
      ...inputNotes(measured.histogram('inputTokens', 'ok').count, tokenSources),
      ...notesOf(counts, tokenSources, tokensPerChunk),
    ],
    compat: compatRows(measured),
  };
}

function tokenizerValue(plan: Plan, measured: ScopeData): TokenizerValue | null {
  const names = new Set(plan.requests.flatMap(({ llm }) => llm?.tokenizer?.name ?? []));
  if (names.size === 0) return null;
  const counted = (name: CounterName): number => measured.cell[COUNTER[name]] as number;
  const outputTokens = counted('llm-tokenizer-tokens');
  const otherwise = counted('llm-tokenizer-otherwise');
  const perSecond = measured.perSecondOfWork(Number(measured.histogram('outputTokens', 'ok').sum));
  return {
    name: [...names].join(', '),
    answers: counted('llm-tokenizer-answers'),
    leftOut: counted('llm-tokenizer-left-out'),
    outputTokens,
    otherwise,
    outputTokensPerSecond: perSecond === null || otherwise === 0 ? null : (perSecond * outputTokens) / otherwise,
  };
}

/** What the verdict on token counts is made from; null for a plan without LLM requests. */
export function tokenCountEvidence(plan: Plan, { cell }: ScopeData): TokenCountEvidence | null {
  if (plan.requests.every(({ llm }) => llm === null)) return null;
  const counted = (name: CounterName): number => cell[COUNTER[name]] as number;
  return {
    byUsage: counted('llm-counted-by-usage'),
    byChunks: counted('llm-counted-by-chunks'),
    mismatches: counted('llm-token-mismatch'),
    tokensInChunks: counted('llm-tokens-in-chunks'),
    chunks: counted('llm-chunks'),
    tokenizer: {
      answers: counted('llm-tokenizer-answers'),
      tokens: counted('llm-tokenizer-tokens'),
      otherwise: counted('llm-tokenizer-otherwise'),
    },
  };
}

/** A sum over some of the answers beside one over all of them. */
function inputNotes(answersWithInput: number, { usage, chunks }: LlmValue['tokenSources']): readonly string[] {
  const answers = usage + chunks;
  if (answersWithInput === 0 || answersWithInput === answers) return [];
  return [
    `input tokens are those of ${answersWithInput} of ${answers} answers: for the others the server told none, so all tokens per second is too low`,
  ];
}

function notesOf(
  counts: LlmValue['counts'],
  sources: LlmValue['tokenSources'],
  tokensPerChunk: number | null,
): readonly string[] {
  const answers = sources.usage + sources.chunks;
  const notes: string[] = [];
  if (sources.chunks > 0) {
    notes.push(`output tokens of ${sources.chunks} of ${answers} answers are chunks: the server sent no usage`);
  }
  if (counts.hiddenReasoning > 0) {
    notes.push(
      `${counts.hiddenReasoning} answers had reasoning that the server counted and did not send: times per token are of the tokens that came, ttft holds the reasoning`,
    );
  }
  if (counts.usageAddedUp > 0) {
    notes.push(
      `usage of ${counts.usageAddedUp} answers counted each chunk for itself and told no sum: their output tokens are its counts added up`,
    );
  }
  if (tokensPerChunk !== null && tokensPerChunk > TOKENS_PER_CHUNK_NOTED) {
    notes.push(
      `a chunk holds ${tokensPerChunk.toFixed(2)} tokens on average: chunkGap is no gap between tokens; read tpot`,
    );
  }
  if (counts.unseenPayload > 0) {
    notes.push(
      `${counts.unseenPayload} answers had tokens by usage and no payload that was recognised: they have no token times`,
    );
  }
  if (counts.emptyAnswers > 0) notes.push(`${counts.emptyAnswers} answers were empty: they have no token times`);
  if (counts.notStreamed > 0) notes.push(`${counts.notStreamed} answers came whole although a stream was asked for`);
  if (counts.withoutMarker > 0) notes.push(`${counts.withoutMarker} streams ended without an end marker`);
  if (counts.leftOpen > 0) {
    notes.push(
      `${counts.leftOpen} streams ended with their end marker alone: behind it the connection broke, or had not ended the answer a second later`,
    );
  }
  if (counts.severalChoices > 0) {
    notes.push(
      `${counts.severalChoices} answers had several choices (n above 1): their gaps and times per token are of all choices together, shorter than those of each`,
    );
  }
  if (counts.unreadableEvents > 0) notes.push(`${counts.unreadableEvents} events could not be read`);
  if (counts.gapsNotKept > 0) notes.push(`${counts.gapsNotKept} gaps of very long streams are in no series`);
  return notes;
}
