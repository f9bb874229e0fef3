/** The part of the result's JSON Schema about `llm`; a closed shape like all others. */
import { COMPAT_PERCENTILES } from './llm-compat.ts';
import { LLM_COUNTS } from './llm-value.ts';

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const numberOrNull: Schema = { anyOf: [{ type: 'number' }, { type: 'null' }] };
const bigInteger: Schema = { anyOf: [count, { type: 'string', pattern: '^[0-9]+$' }] };
const bigIntegerOrNull: Schema = { anyOf: [bigInteger, { type: 'null' }] };

function closed(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const compatRow = closed({
  tool: text,
  name: text,
  formula: text,
  metric: text,
  unit: { const: 'ns' },
  count,
  mean: numberOrNull,
  percentiles: closed(Object.fromEntries(COMPAT_PERCENTILES.map((key) => [key, numberOrNull]))),
  note: { anyOf: [text, { type: 'null' }] },
});

/** Schema of `LlmValue`. */
export const llmSchema: Schema = closed({
  models: { type: 'array', items: text },
  tokenSources: closed({ usage: count, chunks: count }),
  tokenizer: {
    anyOf: [
      closed({
        name: text,
        answers: count,
        leftOut: count,
        outputTokens: count,
        otherwise: count,
        outputTokensPerSecond: numberOrNull,
      }),
      { type: 'null' },
    ],
  },
  outputTokens: bigInteger,
  inputTokens: bigIntegerOrNull,
  cachedTokens: bigIntegerOrNull,
  reasoningTokens: bigIntegerOrNull,
  outputTokensPerSecond: numberOrNull,
  totalTokensPerSecond: numberOrNull,
  tokensPerChunk: numberOrNull,
  counts: closed(Object.fromEntries(Object.keys(LLM_COUNTS).map((name) => [name, count]))),
  notes: { type: 'array', items: text },
  compat: { type: 'array', items: compatRow },
});
