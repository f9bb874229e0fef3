/**
 * What other tools would have reported of the same streams, by their own definitions (M§10): each row names the tool, its word, the formula
 * it uses for it and our series behind it. Means are exact, from sums and counts; percentiles are nearest rank, to a bucket
 * (0.1 %). Their clocks begin with the send, so all rows do; the time that a request waited for us is in none of them.
 */
import { COUNTER } from '../../shared/metrics/counters.ts';
import type { MetricId } from '../../shared/metrics/metric.ts';
import { bucketHighOf, bucketLowOf } from '../../shared/histogram/layout.ts';
import type { Histogram } from '../../shared/histogram/histogram.ts';
import type { ScopeData } from './scope-data.ts';

/** Percentiles of a row. */
export const COMPAT_PERCENTILES = ['50', '90', '99'] as const;

/** One number of one tool. */
export interface CompatRow {
  readonly tool: string;
  /** As the tool calls it. */
  readonly name: string;
  readonly formula: string;
  /** Our series that it is read from. */
  readonly metric: MetricId;
  readonly unit: 'ns';
  readonly count: number;
  readonly mean: number | null;
  /** Null for a row that has a mean only. */
  readonly percentiles: Readonly<Record<(typeof COMPAT_PERCENTILES)[number], number | null>>;
  /** Where the tool's number may differ from this one all the same. */
  readonly note: string | null;
}

type Definition = readonly [tool: string, name: string, metric: MetricId, formula: string, note: string | null];

const PER_TOKEN = '(t_last - t_1) / (n - 1)';
const HIDDEN_NOTE = 'its n holds reasoning that the server counts and does not send';
const ROLE_NOTE = 'its first token is the first message with choices, which may hold no token';

/** What each tool reports, by our series. */
const DEFINITIONS: readonly Definition[] = [
  ['vLLM bench', 'ttft', 'firstChunk_send', 't_open - t_send', ROLE_NOTE],
  ['vLLM bench', 'tpot', 'tpot_open', '(t_last - t_open) / (n - 1)', null],
  [
    'vLLM bench',
    'itl',
    'chunkGap',
    'g_j, pooled',
    'a chunk of several tokens is one gap; its first gap begins at the first message, which may hold no token',
  ],
  ['vLLM bench', 'e2el', 'lastToken_send', 't_last - t_send', null],
  ['GenAI-Perf', 'time to first token', 'ttft_send', 't_1 - t_send', null],
  ['GenAI-Perf', 'inter token latency', 'tpot', PER_TOKEN, 'counts tokens with its own tokenizer'],
  ['GenAI-Perf', 'request latency', 'lastToken_send', 't_last - t_send', null],
  ['AIPerf', 'ttft', 'ttft_send', 't_1 - t_send', null],
  ['AIPerf', 'ttfo', 'timeToAnswer_send', 't_ans - t_send', null],
  ['AIPerf', 'ttst', 'ttst', 't_2 - t_1', null],
  ['AIPerf', 'inter_token_latency', 'tpot', PER_TOKEN, 'counts tokens with its own tokenizer unless told to use usage'],
  ['AIPerf', 'inter_chunk_latency', 'chunkGap', 'g_j', null],
  ['AIPerf', 'request_latency', 'lastToken_send', 't_last - t_send', null],
  ['LLMPerf', 'ttft_s', 'ttft_send', 't_1 - t_send', null],
  [
    'LLMPerf',
    'inter_token_latency_s (per message)',
    'timePerEvent_send',
    '(t_last - t_send) / e',
    'the sum holds the time to the first token; role messages count',
  ],
  [
    'LLMPerf',
    'inter_token_latency_s (per token)',
    'ntpot_send',
    '(t_last - t_send) / n',
    'its last pass divides by tokens of a Llama tokenizer',
  ],
  ['LLMPerf', 'end_to_end_latency_s', 'service', 't_end - t_send', null],
  ['inference-perf', 'time_to_first_token', 'ttft_send', 't_1 - t_send', 'leaves out answers of one token'],
  [
    'inference-perf',
    'time_per_output_token',
    'tpot',
    PER_TOKEN,
    'counts tokens with its own tokenizer unless told to use usage',
  ],
  [
    'inference-perf',
    'normalized_time_per_output_token',
    'ntpot_send',
    '(t_last - t_send) / n',
    'its time runs to the end of parsing',
  ],
  ['inference-perf', 'request_latency', 'service', 't_end - t_send', 'its time runs to the end of parsing'],
  ['GuideLLM', 'time_to_first_token_ms', 'ttft_send', 't_1 - t_send', null],
  ['GuideLLM', 'inter_token_latency_ms', 'tpot', PER_TOKEN, HIDDEN_NOTE],
  [
    'GuideLLM',
    'time_per_output_token_ms',
    'ntpot_send',
    '(t_last - t_send) / n',
    'it holds the time to the first token',
  ],
  ['GuideLLM', 'request_latency', 'service', 't_end - t_send', null],
  ['SGLang', 'ttft', 'ttft_send', 't_1 - t_send', null],
  [
    'SGLang',
    'tpot',
    'tpot',
    PER_TOKEN,
    `without usage it divides by the length asked for; its end is the last event; ${HIDDEN_NOTE}`,
  ],
  ['SGLang', 'itl', 'chunkGap', 'g_j, pooled', null],
  ['SGLang', 'e2e_latency', 'service', 't_end - t_send', 'its end is the last event'],
];

/** The rows of all tools, from the ok answers of `data`; `service` only where streams alone were measured is that of streams. */
export function compatRows(data: ScopeData): readonly CompatRow[] {
  const rows = DEFINITIONS.map((definition) => rowOf(definition, data));
  const place = rows.findIndex(({ name }) => name === 'normalized_time_per_output_token');
  return [...rows.slice(0, place), tokenGapsWithZeros(data), ...rows.slice(place)];
}

function rowOf([tool, name, metric, formula, note]: Definition, data: ScopeData): CompatRow {
  const histogram = data.histogram(metric, 'ok');
  const percentiles = {
    '50': histogram.percentile(50),
    '90': histogram.percentile(90),
    '99': histogram.percentile(99),
  };
  return { tool, name, formula, metric, unit: 'ns', count: histogram.count, mean: histogram.mean(), percentiles, note };
}

/** inference-perf gives the tokens of one chunk one instant: a chunk of k tokens is one gap and k - 1 zeros. */
function tokenGapsWithZeros(data: ScopeData): CompatRow {
  const gaps = data.histogram('chunkGap', 'ok');
  const tokensAfterFirst = (data.cell[COUNTER['llm-tokens-in-chunks']] as number) - data.histogram('ttft', 'ok').count;
  const count = gaps.isEmpty() ? 0 : Math.max(0, tokensAfterFirst);
  return {
    tool: 'inference-perf',
    name: 'inter_token_latency',
    formula: 'g_j and k_j - 1 zeros',
    metric: 'chunkGap',
    unit: 'ns',
    count,
    mean: count === 0 ? null : Number(gaps.sum) / count,
    percentiles: { '50': null, '90': null, '99': null },
    note: 'tokens of one chunk have gaps of 0',
  };
}

/** Population standard deviation of a series to bucket resolution; null without samples. */
export function deviationOf(histogram: Histogram): number | null {
  const mean = histogram.mean();
  const [lowest, highest] = [histogram.lowestIndex(), histogram.highestIndex()];
  if (mean === null || lowest === null || highest === null) return null;
  let squares = 0;
  for (let index = lowest; index <= highest; index += 1) {
    const count = histogram.countAt(index);
    if (count > 0) squares += count * ((bucketLowOf(index) + bucketHighOf(index)) / 2 - mean) ** 2;
  }
  return Math.sqrt(squares / histogram.count);
}
