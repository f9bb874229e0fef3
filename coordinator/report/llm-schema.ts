/** The part of the result's JSON Schema about `llm`; a closed shape like all others. */
import {
  bigInteger,
  count,
  type JsonSchema,
  listOf,
  nullable,
  number,
  record,
  shape,
  text,
} from '../../shared/json-schema.ts';
import { COMPAT_PERCENTILES } from './llm-compat.ts';
import { LLM_COUNTS } from './llm-counts.ts';

const numberOrNull = nullable(number);
const bigIntegerOrNull = nullable(bigInteger);

const compatRow = shape({
  tool: text,
  name: text,
  formula: text,
  metric: text,
  unit: { const: 'ns' },
  count,
  mean: numberOrNull,
  percentiles: record(COMPAT_PERCENTILES, numberOrNull),
  note: nullable(text),
});

/** Schema of `LlmValue`. */
export const llmSchema: JsonSchema = shape({
  models: listOf(text),
  tokenSources: shape({ usage: count, chunks: count }),
  tokenizer: nullable(
    shape({
      name: text,
      answers: count,
      leftOut: count,
      outputTokens: count,
      otherwise: count,
      outputTokensPerSecond: numberOrNull,
    }),
  ),
  outputTokens: bigInteger,
  inputTokens: bigIntegerOrNull,
  cachedTokens: bigIntegerOrNull,
  reasoningTokens: bigIntegerOrNull,
  outputTokensPerSecond: numberOrNull,
  totalTokensPerSecond: numberOrNull,
  tokensPerChunk: numberOrNull,
  counts: record(Object.keys(LLM_COUNTS), count),
  notes: listOf(text),
  compat: listOf(compatRow),
});
