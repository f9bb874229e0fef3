/** The metrics of a request that become histograms (design §2, P2). Each has one unit; times are integer ns. */

/** Metrics of streamed LLM answers, in the order of the wire; `shared/llm/metric-registry.ts` says what each means. Append only. */
export const LLM_METRICS = [
  'ttft',
  'ttft_send',
  'firstChunk',
  'firstChunk_send',
  'timeToAnswer',
  'timeToAnswer_send',
  'ttst',
  'chunkGap',
  'itl',
  'tpot',
  'tpot_n1',
  'ntpot',
  'ntpot_send',
  'lastToken',
  'lastToken_send',
  'timePerEvent_send',
  'tokensPerChunk',
  'outputTokens',
  'inputTokens',
  'cachedTokens',
  'reasoningTokens',
  'outputTokenRate',
  'tpot_open',
  'ttft_firstTurn',
  'ttft_laterTurns',
] as const;

export type LlmMetricId = (typeof LLM_METRICS)[number];

/** Metric ids in the order of the wire. Append only. */
export const METRICS = [
  /** end - intended: what a user who came at the intended instant waited. */
  'response',
  /** end - send. */
  'service',
  /** send - intended = wakeLag + wait. */
  'lag',
  /** released - intended: ours, always >= 0. */
  'wakeLag',
  /** send - released, all parts. */
  'wait',
  /** Part of wait: above maxInFlight, or for a connection that others held. */
  'waitQueue',
  /** Part of wait: for a connection being made. */
  'waitConnect',
  /** Part of wait: for a stream of a multiplexed connection. */
  'waitStream',
  /** first byte - intended. */
  'firstByte',
  /** first byte - send. */
  'firstByteSend',
  /** Age of a request that was given up, at the end of the drain or of its phase: then - intended (a lower bound of its response). */
  'unfinishedAge',
  /** Time between turns of a worker's loop, one sample a turn; its share of time beyond a value bounds the receive delay (design §9). */
  'loopGap',
  ...LLM_METRICS,
] as const;

export type MetricId = (typeof METRICS)[number];

/** Unit of a metric's integer values. */
export type MetricUnit = 'ns' | 'tokens' | 'milli-tokens' | 'milli-tokens/s' | 'bytes';

/** Metrics that are no times. */
const UNITS: Partial<Readonly<Record<MetricId, MetricUnit>>> = {
  tokensPerChunk: 'milli-tokens',
  outputTokens: 'tokens',
  inputTokens: 'tokens',
  cachedTokens: 'tokens',
  reasoningTokens: 'tokens',
  outputTokenRate: 'milli-tokens/s',
};

/** The unit of `metric`. */
export function unitOf(metric: MetricId): MetricUnit {
  return UNITS[metric] ?? 'ns';
}

/** Whether `metric` belongs to LLM answers only: other requests have no such series. */
export function isLlmMetric(metric: MetricId): metric is LlmMetricId {
  return LLM_METRIC_SET.has(metric);
}

const LLM_METRIC_SET: ReadonlySet<string> = new Set(LLM_METRICS);

/** Which requests a series holds. Headline times are for `ok` and stand next to the failure share (R058). */
export type SeriesStatus = 'ok' | 'failed';
