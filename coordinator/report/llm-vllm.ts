/**
 * `llm-vllm.json`: the run under the keys of the result file of `vllm bench serve`, for scripts and plots that read it. Its definitions,
 * from the send (`llm-compat.ts`): the first token is the first message, inter-token times are gaps between chunks. Means are exact,
 * other statistics to a bucket. Missing is null.
 */
import type { Histogram } from '../../shared/histogram/histogram.ts';
import type { MetricId } from '../../shared/metrics/metric.ts';
import { deviationOf } from './llm-compat.ts';
import type { ArrivalLaw } from '../../shared/schedule/arrival-law.ts';
import type { LlmValue } from './llm-value.ts';
import type { ScopeData } from './scope-data.ts';

/** vLLM's names for our series. */
const SERIES: readonly (readonly [name: string, metric: MetricId])[] = [
  ['ttft', 'firstChunk_send'],
  ['tpot', 'tpot_open'],
  ['itl', 'chunkGap'],
  ['e2el', 'lastToken_send'],
];
const PERCENTILES = [50, 90, 95, 99] as const;

/** Facts that are in no series. */
export interface VllmFacts {
  readonly startedAt: string;
  readonly api: string;
  readonly requestRate: number | null;
  /** Of the first measured phase; null without one. */
  readonly arrivals: ArrivalLaw | null;
  readonly goodputPerSecond: number | null;
}

/** The file's value. */
export function vllmValue(llm: LlmValue, measured: ScopeData, facts: VllmFacts): Readonly<Record<string, unknown>> {
  const { accounting } = measured;
  const times = SERIES.flatMap(([name, metric]) => statisticsOf(name, measured.histogram(metric, 'ok')));
  return {
    date: facts.startedAt,
    endpoint_type: facts.api,
    backend: 'loadfleet',
    model_id: llm.models.join(','),
    tokenizer_id: null,
    num_prompts: accounting.scheduled,
    request_rate: facts.arrivals?.kind === 'all-at-once' ? 'inf' : facts.requestRate,
    burstiness: burstinessOf(facts.arrivals),
    max_concurrency: facts.arrivals?.kind === 'closed' ? facts.arrivals.concurrency : null,
    duration: measured.workNs === null ? null : measured.workNs / 1e9,
    completed: accounting.ok,
    // Its books know two fates: what was not completed has failed.
    failed: accounting.scheduled - accounting.ok,
    total_input_tokens: llm.inputTokens,
    total_output_tokens: llm.outputTokens,
    request_throughput: measured.perSecondOfWork(accounting.ok),
    request_goodput: facts.goodputPerSecond,
    output_throughput: llm.outputTokensPerSecond,
    total_token_throughput: llm.totalTokensPerSecond,
    ...Object.fromEntries(times),
  };
}

/** Shape of the gaps by its word: 1 is Poisson. Null for arrivals that it does not know. */
function burstinessOf(arrivals: ArrivalLaw | null): number | null {
  if (arrivals?.kind === 'gamma') return arrivals.burstiness;
  return arrivals?.kind === 'poisson' || arrivals?.kind === 'poisson-count' ? 1 : null;
}

function statisticsOf(name: string, histogram: Histogram): [string, number | null][] {
  const milliseconds = (ns: number | null): number | null => (ns === null ? null : ns / 1e6);
  return [
    [`mean_${name}_ms`, milliseconds(histogram.mean())],
    [`median_${name}_ms`, milliseconds(histogram.percentile(50))],
    [`std_${name}_ms`, milliseconds(deviationOf(histogram))],
    ...PERCENTILES.map((at): [string, number | null] => [`p${at}_${name}_ms`, milliseconds(histogram.percentile(at))]),
  ];
}
