/**
 * The section `llm` of `result.json`: tokens and where their counts come from, what was odd in the streams, and what other tools would
 * have reported of them. Null for a plan without LLM requests. Times and rates of tokens are in `metrics`, like all others.
 */
import { COUNTER, type CounterName } from '../../shared/metrics/counters.ts';
import type { LlmMetricId } from '../../shared/metrics/metric.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import type { TokenCountEvidence } from '../verdict/token-counts-gate.ts';
import { type CompatRow, compatRows } from './llm-compat.ts';
import { LLM_COUNTS, type LlmCounts } from './llm-counts.ts';
import { llmNotes } from './llm-notes.ts';
import { type JsonInteger, jsonInteger } from './json-integer.ts';
import type { ScopeData } from './scope-data.ts';

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
  readonly counts: LlmCounts;
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

/** The section for `plan` from its measured data; `lateTokens`: output tokens of answers that ended behind the scheduled length. */
export function llmValue(plan: Plan, measured: ScopeData, lateTokens = 0): LlmValue | null {
  const models = [...new Set(plan.requests.flatMap(({ llm }) => (llm === null ? [] : [llm.model])))];
  if (models.length === 0) return null;
  const counted = (name: CounterName): number => measured.cell[COUNTER[name]] as number;
  const counts = Object.fromEntries(
    Object.entries(LLM_COUNTS).map(([name, counter]) => [name, counted(counter)]),
  ) as LlmCounts;
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
    notes: llmNotes({
      counts,
      tokenSources,
      tokensPerChunk,
      answersWithInput: measured.histogram('inputTokens', 'ok').count,
      meanInput: measured.histogram('inputTokens', 'ok').mean(),
      promptTokens: promptTokensOf(plan),
      gaps: measured.histogram('chunkGap', 'ok').count,
      outputTokens: Number(sum('outputTokens')),
      lateTokens,
      workNs: measured.workNs,
    }),
    compat: compatRows(measured),
  };
}

/**
 * Null where there is more than prompts of the dataset: later turns of sessions carry what was said before, and of several requests some may
 * have a prompt of their own.
 */
function promptTokensOf({ data, requests }: Plan): { readonly min: number; readonly max: number } | null {
  const [request, ...others] = requests.flatMap(({ llm }) => llm ?? []);
  const isMixed = others.length > 0 || (request !== undefined && request.session !== null);
  return isMixed ? null : (data?.dataset?.description.inputTokens ?? null);
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
