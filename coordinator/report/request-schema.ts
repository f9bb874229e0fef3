/** The JSON Schema of a line of `requests.jsonl`, published as `docs/requests.schema.json` (a test holds the two together). Closed. */
import { count, flag, type JsonSchema, nothing, nullable, oneOf, shape, text } from '../../shared/json-schema.ts';
import { FAILURE_CLASSES } from '../../shared/metrics/outcome.ts';
import { RECORD_TOKEN_SOURCES } from '../../shared/metrics/request-record.ts';

/** No number of these lines is below 0. */
const amount: JsonSchema = { type: 'number', minimum: 0 };

const metric = (unit: string): JsonSchema => shape({ value: amount, unit: { const: unit } });

const METRICS: Readonly<Record<string, JsonSchema>> = {
  request_latency: metric('ms'),
  time_to_first_token: metric('ms'),
  time_to_second_token: metric('ms'),
  inter_token_latency: metric('ms'),
  input_sequence_length: metric('tokens'),
  output_sequence_length: metric('tokens'),
  output_token_count: metric('tokens'),
  reasoning_token_count: metric('tokens'),
  output_token_throughput_per_user: metric('tokens/sec/user'),
};

const llm = shape({
  ttftNs: nullable(count),
  ttftSendNs: nullable(count),
  timeToAnswerNs: nullable(count),
  lastTokenNs: nullable(count),
  tpotNs: nullable(count),
  inputTokens: nullable(count),
  outputTokens: nullable(count),
  tokenSource: { enum: [...RECORD_TOKEN_SOURCES, null] },
  cachedTokens: nullable(count),
  reasoningTokens: nullable(count),
  events: nullable(count),
  chunks: nullable(count),
  chunkGapNs: shape({
    count: nullable(count),
    min: nullable(count),
    mean: nullable(amount),
    max: nullable(count),
  }),
});

/** The schema of one line. */
export const requestSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://loadfleet.example/schema/requests-v1.json',
  title: 'a line of requests.jsonl',
  description: 'One attempted request. Times are integer ns of run time; missing is null. See docs/results.md.',
  ...shape({
    metadata: shape({
      session_num: count,
      x_request_id: text,
      x_correlation_id: nothing,
      conversation_id: nullable(text),
      turn_index: count,
      request_start_ns: nullable(count),
      request_ack_ns: nullable(count),
      request_end_ns: count,
      worker_id: text,
      record_processor_id: text,
      benchmark_phase: oneOf('warmup', 'profiling'),
      was_cancelled: flag,
      cancellation_time_ns: nullable(count),
    }),
    metrics: { type: 'object', properties: METRICS, additionalProperties: false },
    error: nullable(shape({ code: nullable(count), type: text, message: text })),
    loadfleet: shape({
      identity: text,
      agent: text,
      workerSlot: count,
      phase: text,
      request: text,
      outcome: oneOf('ok', 'unfinished', ...FAILURE_CLASSES),
      status: nullable(count),
      intendedNs: count,
      releasedNs: count,
      sendNs: nullable(count),
      firstByteNs: nullable(count),
      endNs: count,
      waitQueueNs: count,
      waitConnectNs: count,
      waitStreamNs: count,
      bodyBytes: count,
      llm: nullable(llm),
    }),
  }),
};
