/**
 * The answer reader of LLM requests: judges an answer by its content (R042-R044) and books its token times. Series of ok answers hold
 * nothing of failed ones: the gaps of a stream wait as bucket indexes until it has ended. What a failed stream had brought is in
 * `outputTokens` under failed and in a counter, never in the token totals of ok answers.
 */

import { AnswerValues, type TokenCounts, tokenCountsOf } from '../../shared/llm/answer-values.ts';
import { LlmAnswer } from '../../shared/llm/llm-answer.ts';
import { COUNTER } from '../../shared/metrics/counters.ts';
import { LLM_METRICS, type LlmMetricId } from '../../shared/metrics/metric.ts';
import type { Outcome } from '../../shared/metrics/outcome.ts';
import { RECORD, RECORD_TOKEN_SOURCES } from '../../shared/metrics/request-record.ts';
import { secretsOfRequest } from '../../shared/plan/find-secrets.ts';
import type { LlmRequest, Plan } from '../../shared/plan/plan.ts';
import { createPartRedactor, type Redact } from '../../shared/plan/redact-secrets.ts';
import { type AnswerReader, AnswerReaders, type RequestStamps } from './answer-reader.ts';
import { type ScopeBooks, seriesIndexOf } from './scope-books.ts';

/** Two counts of one thing differ when they are further apart than this part of the larger. */
const TOKEN_MISMATCH = 0.02;

/** Metrics with one sample per answer, and where they are recorded. */
const SINGLE = LLM_METRICS.filter((metric) => metric !== 'chunkGap' && metric !== 'itl').map(
  (metric) => [metric, seriesIndexOf(metric, 'ok')] as const,
);
const CHUNK_GAP = seriesIndexOf('chunkGap', 'ok');
const ITL = seriesIndexOf('itl', 'ok');
const PARTIAL_TOKENS = seriesIndexOf('outputTokens', 'failed');

/** The readers for the templates of `plan`. */
export function createAnswerReaders(plan: Plan): AnswerReaders {
  return new AnswerReaders(
    plan.requests.map((template) => {
      const { llm } = template;
      if (llm === null) return null;
      const clean = createPartRedactor(secretsOfRequest(template));
      return () => new LlmAnswerReader(llm, clean);
    }),
  );
}

export class LlmAnswerReader implements AnswerReader {
  readonly #request: LlmRequest;
  readonly #answer: LlmAnswer;
  readonly #clean: Redact;
  /** Of an answer that has ended well. */
  #values: AnswerValues | null = null;
  #isLeftOpen = false;
  #exactTokens: number | null = null;

  /** `clean` takes the request's secrets out of what a server says: here, for what is cut or rewritten later is not found by its value (R106). */
  constructor(request: LlmRequest, clean: Redact = (text) => text) {
    this.#request = request;
    this.#clean = clean;
    this.#answer = new LlmAnswer(request, undefined, request.session !== null || request.tokenizer !== null);
  }

  take(chunk: Uint8Array, tNs: number): void {
    this.#answer.take(chunk, tNs);
  }

  get overNs(): number | null {
    return this.#answer.clock.doneNs;
  }

  leftOpen(): void {
    this.#isLeftOpen = true;
  }

  judge(outcome: Outcome, stamps: RequestStamps): Outcome {
    if (outcome.kind === 'failed') {
      const detail = this.#answer.errorDetail();
      return detail === null ? outcome : { ...outcome, detail: `${outcome.detail}, ${this.#clean(detail)}` };
    }
    const judgement = this.#answer.judge();
    if (judgement.kind === 'failed')
      return { ...judgement, detail: this.#clean(judgement.detail), status: outcome.status };
    const { intendedNs, sendNs, endNs, turn, exactTokens } = stamps;
    this.#exactTokens = exactTokens ?? null;
    const ofSession = this.#request.session === null || turn === undefined ? {} : { turn };
    this.#values = new AnswerValues(this.#answer, { intendedNs, sendNs, endNs, ...ofSession });
    return outcome;
  }

  meets(metric: LlmMetricId, max: number): boolean {
    return this.#values?.meets(metric, max) ?? false;
  }

  record(books: ScopeBooks): number {
    const values = this.#values;
    this.#countEvents(books);
    if (values === null) return this.#recordPartial(books);
    this.#countAnswer(books, values);
    let samples = 0;
    for (const [metric, series] of SINGLE) {
      const value = values.valueOf(metric);
      if (value === null) continue;
      books.record(series, value);
      samples += 1;
    }
    if (this.#answer.form !== 'events') return samples;
    const { gaps } = this.#answer.clock;
    const { tokenGaps } = values.tokens;
    if (gaps.count > 0) books.recordHeld(CHUNK_GAP, gaps);
    if (tokenGaps !== null && tokenGaps.count > 0) books.recordHeld(ITL, tokenGaps);
    return samples + gaps.count + (tokenGaps?.count ?? 0);
  }

  countedText(): { readonly text: string; readonly tokens: number } | null {
    const { clock, text } = this.#answer;
    if (this.#request.tokenizer === null || this.#values === null || text === null) return null;
    // Whatever else was generated has tokens too, but is not in the text.
    const { reasoning, tool, media } = clock.chunksOfKind;
    if (reasoning + tool + media > 0 || clock.hasSeveralChoices) return null;
    return { text, tokens: this.#values.tokens.streamedTokens };
  }

  answerText(): string | null {
    return this.#values === null ? null : this.#answer.text;
  }

  describe(rows: Float64Array, at: number): void {
    const { clock, form } = this.#answer;
    const counted = this.#values?.tokens ?? null;
    const said = clock.usage;
    const put = (column: number, value: number | null): void => {
      if (value !== null) rows[at + column] = value;
    };
    put(RECORD.inputTokens, said?.inputTokens ?? null);
    put(RECORD.outputTokens, counted?.outputTokens ?? said?.outputTokens ?? null);
    put(RECORD.tokenSource, counted === null ? null : RECORD_TOKEN_SOURCES.indexOf(counted.source));
    put(RECORD.cachedTokens, said?.cachedTokens ?? null);
    put(RECORD.reasoningTokens, said?.reasoningTokens ?? null);
    put(RECORD.events, clock.events);
    if (form !== 'events') return;
    put(RECORD.streamedTokens, counted?.streamedTokens ?? said?.outputTokens ?? null);
    put(RECORD.chunks, clock.chunks);
    put(RECORD.firstPayloadNs, clock.firstPayloadNs);
    put(RECORD.secondPayloadNs, clock.secondPayloadNs);
    put(RECORD.firstAnswerNs, clock.firstAnswerNs);
    put(RECORD.lastPayloadNs, clock.lastPayloadNs);
    if (clock.gaps.length === 0) return;
    put(RECORD.gapMinNs, clock.gaps.min);
    put(RECORD.gapMaxNs, clock.gaps.max);
  }

  reset(): void {
    this.#answer.reset();
    this.#values = null;
    this.#isLeftOpen = false;
    this.#exactTokens = null;
  }

  #recordPartial(books: ScopeBooks): number {
    const { chunks } = this.#answer.clock;
    if (chunks === 0) return 0;
    books.count(COUNTER['llm-partial-chunks'], chunks);
    books.record(PARTIAL_TOKENS, tokenCountsOf(this.#answer).outputTokens);
    return 1;
  }

  /** What is odd about the bytes, whatever became of the answer. */
  #countEvents(books: ScopeBooks): void {
    const { clock, comments } = this.#answer;
    books.count(COUNTER['llm-events'], clock.events);
    if (comments > 0) books.count(COUNTER['llm-comments'], comments);
    if (clock.sharedArrivals > 0) books.count(COUNTER['llm-shared-arrivals'], clock.sharedArrivals);
    if (clock.unreadable > 0) books.count(COUNTER['llm-unreadable-events'], clock.unreadable);
  }

  #countAnswer(books: ScopeBooks, values: AnswerValues): void {
    const answer = this.#answer;
    const { clock } = answer;
    const { outputTokens, streamedTokens, source } = values.tokens;
    books.count(COUNTER[source === 'usage' ? 'llm-counted-by-usage' : 'llm-counted-by-chunks'], 1);
    if (streamedTokens < outputTokens) books.count(COUNTER['llm-hidden-reasoning'], 1);
    if (clock.isUsageAddedUp) books.count(COUNTER['llm-usage-added-up'], 1);
    if (answer.notStreamed) books.count(COUNTER['llm-not-streamed'], 1);
    if (answer.withoutMarker) books.count(COUNTER['llm-without-marker'], 1);
    if (clock.chunks === 0) books.count(COUNTER[outputTokens > 0 ? 'llm-unseen-payload' : 'llm-empty'], 1);
    if (clock.toolCalls > 0) books.count(COUNTER['llm-tool-calls'], clock.toolCalls);
    if (answer.form === 'events') {
      books.count(COUNTER['llm-chunks'], clock.chunks);
      books.count(COUNTER['llm-reasoning-chunks'], clock.chunksOfKind.reasoning);
      books.count(COUNTER['llm-tool-chunks'], clock.chunksOfKind.tool);
      books.count(COUNTER['llm-tokens-in-chunks'], streamedTokens);
    }
    if (this.#isLeftOpen) books.count(COUNTER['llm-left-open'], 1);
    if (clock.hasSeveralChoices) books.count(COUNTER['llm-several-choices'], 1);
    if (clock.gaps.beyond > 0) books.count(COUNTER['llm-gaps-not-kept'], clock.gaps.beyond);
    if (this.#differs(values.tokens)) books.count(COUNTER['llm-token-mismatch'], 1);
  }

  /** Whether the tokens counted contradict another source: more chunks than tokens, or another length than was asked for. */
  #differs({ outputTokens, streamedTokens }: TokenCounts): boolean {
    const exactTokens = this.#exactTokens;
    const { clock, form } = this.#answer;
    const isBelowChunks = form === 'events' && streamedTokens < clock.chunks * (1 - TOKEN_MISMATCH);
    if (isBelowChunks) return true;
    if (exactTokens === null) return false;
    return Math.abs(outputTokens - exactTokens) > TOKEN_MISMATCH * Math.max(outputTokens, exactTokens);
  }
}
