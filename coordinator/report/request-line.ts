/**
 * One line of `requests.jsonl`: a request under the keys of AIPerf's `profile_export.jsonl` (`metadata`, `metrics`, `error`; its definitions,
 * from the send), and under `loadfleet` everything that we know of it, from the intended instant. Missing is null. Times are run time
 * in ns; the UTC of its zero is `run.startedAt` of `result.json`.
 */
import { assertNever } from '../../shared/assert-never.ts';
import {
  outcomeOfCode,
  RECORD,
  RECORD_TOKEN_SOURCES,
  type RecordField,
  type RecordOutcome,
} from '../../shared/metrics/request-record.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { type IdentityForm, identityOf } from '../../shared/schedule/arrival-law.ts';

/** A number of one request in AIPerf's form. */
interface AiperfMetric {
  readonly value: number;
  readonly unit: string;
}

/** Where a request was sent from. */
export interface RequestSource {
  readonly agentId: string;
  readonly slot: number;
}

/** Reads the columns of one row. */
type Read = (field: RecordField) => number | null;

/** Writes the lines of one run. */
export class RequestLines {
  readonly #plan: Plan;
  readonly #trial: number;
  readonly #clean: (text: string) => string;
  #lines = 0;

  /** `clean` takes secrets out of names. */
  constructor(plan: Plan, trial: number, clean: (text: string) => string) {
    this.#plan = plan;
    this.#trial = trial;
    this.#clean = clean;
  }

  /** The line of the row that begins at `at`, with its newline. */
  lineOf(source: RequestSource, rows: Float64Array, at: number): string {
    const read: Read = (field) => {
      const value = rows[at + RECORD[field]] as number;
      return Number.isNaN(value) ? null : value;
    };
    const phase = this.#plan.phases[read('phase') ?? 0];
    const template = this.#plan.requests[read('template') ?? 0];
    const outcome = outcomeOfCode(read('outcome') ?? 0);
    const identity = identityText(this.#trial, phase === undefined ? 'indexed' : identityOf(phase.arrivals), read);
    const isLlm = template !== undefined && template.llm !== null;
    const hasTurns = (template?.llm?.session ?? null) !== null;
    const turn = read('turn') ?? 0;
    const number = this.#lines;
    this.#lines += 1;
    return `${JSON.stringify({
      metadata: {
        session_num: number,
        x_request_id: turn === 0 ? identity : `${identity}+${turn}`,
        x_correlation_id: null,
        conversation_id: hasTurns ? identity : null,
        turn_index: turn,
        request_start_ns: read('sendNs'),
        request_ack_ns: read('firstByteNs'),
        request_end_ns: read('endNs'),
        worker_id: this.#clean(`${source.agentId}/${source.slot}`),
        record_processor_id: this.#clean(source.agentId),
        benchmark_phase: phase?.warmup === true ? 'warmup' : 'profiling',
        was_cancelled: outcome === 'unfinished',
        cancellation_time_ns: outcome === 'unfinished' ? read('endNs') : null,
      },
      metrics: outcome === 'ok' ? aiperfMetrics(read, isLlm) : {},
      error: errorOf(outcome, read('status')),
      loadfleet: {
        identity,
        agent: this.#clean(source.agentId),
        workerSlot: source.slot,
        phase: this.#clean(phase?.name ?? ''),
        request: this.#clean(template?.name ?? ''),
        outcome,
        status: read('status'),
        intendedNs: read('intendedNs'),
        releasedNs: read('releasedNs'),
        sendNs: read('sendNs'),
        firstByteNs: read('firstByteNs'),
        endNs: read('endNs'),
        waitQueueNs: read('waitQueueNs'),
        waitConnectNs: read('waitConnectNs'),
        waitStreamNs: read('waitStreamNs'),
        bodyBytes: read('bodyBytes'),
        llm: isLlm ? llmPart(read) : null,
      },
    })}\n`;
  }
}

function identityText(trial: number, form: IdentityForm, read: Read): string {
  const start = `${trial}.${read('phase') ?? 0}`;
  switch (form) {
    case 'lanes':
      return `${start}.${read('lane') ?? 0}.${read('block') ?? 0}.${read('rank') ?? 0}`;
    case 'indexed':
      return `${start}.${read('index') ?? 0}`;
    default:
      return assertNever(form);
  }
}

function errorOf(outcome: RecordOutcome, status: number | null): object | null {
  if (outcome === 'ok') return null;
  const message = outcome === 'unfinished' ? 'still open when it was given up' : `failed: ${outcome}`;
  return { code: status, type: outcome, message };
}

/** By AIPerf's names, units and formulas. */
function aiperfMetrics(read: Read, isLlm: boolean): Record<string, AiperfMetric> {
  const metrics: Record<string, AiperfMetric> = {};
  const put = (tag: string, value: number | null, unit: string): void => {
    if (value !== null) metrics[tag] = { value, unit };
  };
  const sendNs = read('sendNs');
  const lastNs = read('lastPayloadNs');
  put('request_latency', milliseconds(since(lastNs ?? read('endNs'), sendNs)), 'ms');
  if (!isLlm) return metrics;
  const firstNs = read('firstPayloadNs');
  const tokens = read('outputTokens');
  put('time_to_first_token', milliseconds(since(firstNs, sendNs)), 'ms');
  put('time_to_second_token', milliseconds(since(read('secondPayloadNs'), firstNs)), 'ms');
  put('input_sequence_length', read('inputTokens'), 'tokens');
  put('output_sequence_length', tokens, 'tokens');
  const reasoning = read('reasoningTokens');
  put('output_token_count', tokens === null ? null : Math.max(0, tokens - (reasoning ?? 0)), 'tokens');
  put('reasoning_token_count', reasoning, 'tokens');
  const spanNs = (read('chunks') ?? 0) > 1 ? since(lastNs, firstNs) : null;
  if (spanNs === null || tokens === null || tokens < 2) return metrics;
  put('inter_token_latency', spanNs / (tokens - 1) / 1e6, 'ms');
  put('output_token_throughput_per_user', spanNs === 0 ? null : (1e9 * (tokens - 1)) / spanNs, 'tokens/sec/user');
  return metrics;
}

/** Our own numbers; formulas and symbols are those of `docs/llm-metrics.md`. */
function llmPart(read: Read): object {
  const intendedNs = read('intendedNs');
  const firstNs = read('firstPayloadNs');
  const lastNs = read('lastPayloadNs');
  const chunks = read('chunks');
  const streamed = read('streamedTokens');
  const spanNs = chunks !== null && chunks > 1 ? since(lastNs, firstNs) : null;
  const source = read('tokenSource');
  return {
    ttftNs: since(firstNs, intendedNs),
    ttftSendNs: since(firstNs, read('sendNs')),
    timeToAnswerNs: since(read('firstAnswerNs'), intendedNs),
    lastTokenNs: since(lastNs, intendedNs),
    tpotNs: spanNs === null || streamed === null || streamed < 2 ? null : Math.floor(spanNs / (streamed - 1)),
    inputTokens: read('inputTokens'),
    outputTokens: read('outputTokens'),
    tokenSource: source === null ? null : (RECORD_TOKEN_SOURCES[source] ?? null),
    cachedTokens: read('cachedTokens'),
    reasoningTokens: read('reasoningTokens'),
    events: read('events'),
    chunks,
    chunkGapNs: {
      count: chunks === null ? null : Math.max(0, chunks - 1),
      min: read('gapMinNs'),
      mean: spanNs === null || chunks === null ? null : spanNs / (chunks - 1),
      max: read('gapMaxNs'),
    },
  };
}

function since(tNs: number | null, zeroNs: number | null): number | null {
  return tNs === null || zeroNs === null ? null : tNs - zeroNs;
}

function milliseconds(ns: number | null): number | null {
  return ns === null ? null : ns / 1e6;
}
