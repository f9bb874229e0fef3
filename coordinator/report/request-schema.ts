/** The JSON Schema of a line of `requests.jsonl`, published as `docs/requests.schema.json` (a test holds the two together). Closed. */
import { FAILURE_CLASSES } from '../../shared/metrics/outcome.ts';
import { RECORD_TOKEN_SOURCES } from '../../shared/metrics/request-record.ts';
import type { JsonSchema } from './result-schema.ts';

const text: JsonSchema = { type: 'string' };
const count: JsonSchema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const number: JsonSchema = { type: 'number', minimum: 0 };
const nothing: JsonSchema = { type: 'null' };
const nullable = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, nothing] });

function shape(members: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties: members, required: Object.keys(members), additionalProperties: false };
}

const metric = (unit: string): JsonSchema => shape({ value: number, unit: { const: unit } });

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
    mean: nullable(number),
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
      conversation_id: { anyOf: [text, nothing] },
      turn_index: count,
      request_start_ns: nullable(count),
      request_ack_ns: nullable(count),
      request_end_ns: count,
      worker_id: text,
      record_processor_id: text,
      benchmark_phase: { enum: ['warmup', 'profiling'] },
      was_cancelled: { type: 'boolean' },
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
      outcome: { enum: ['ok', 'unfinished', ...FAILURE_CLASSES] },
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
