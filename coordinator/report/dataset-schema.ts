/** The part of the JSON Schema of `result.json` that describes the LLM workload (`dataset-value.ts`). */

type JsonSchema = Readonly<Record<string, unknown>>;

const text: JsonSchema = { type: 'string' };
const count: JsonSchema = { type: 'integer', minimum: 0 };
const share: JsonSchema = { type: 'number', minimum: 0, maximum: 1 };
const nullable = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });
const shape = (members: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties: members,
  required: Object.keys(members),
  additionalProperties: false,
});
const lengths = shape({ mean: { type: 'number' }, min: count, p50: count, p90: count, p99: count, max: count });

/** `dataset`. */
export const datasetSchema: JsonSchema = shape({
  kind: text,
  source: text,
  parameters: {
    type: 'object',
    additionalProperties: { anyOf: [text, { type: 'number' }, { type: 'boolean' }, { type: 'null' }] },
  },
  leftOut: { type: 'object', additionalProperties: count },
  rows: count,
  dealt: { enum: ['cycle', 'once', 'random', 'in-order'] },
  sessions: count,
  inputTokens: lengths,
  outputTokens: nullable(lengths),
  prefixReuse: share,
  uniquePrompts: count,
  uniquePromptShare: nullable(share),
});
