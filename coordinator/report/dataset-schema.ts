/** The part of the JSON Schema of `result.json` that describes the LLM workload (`dataset-value.ts`). */

import {
  count,
  flag,
  type JsonSchema,
  mapOf,
  nothing,
  nullable,
  number,
  oneOf,
  shape,
  share,
  text,
} from '../../shared/json-schema.ts';

const lengths = shape({ mean: number, min: count, p50: count, p90: count, p99: count, max: count });

/** `dataset`. */
export const datasetSchema: JsonSchema = shape({
  kind: text,
  source: text,
  parameters: mapOf({ anyOf: [text, number, flag, nothing] }),
  leftOut: mapOf(count),
  rows: count,
  dealt: oneOf('cycle', 'once', 'random', 'in-order'),
  sessions: count,
  inputTokens: lengths,
  outputTokens: nullable(lengths),
  prefixReuse: share,
  uniquePrompts: count,
  uniquePromptShare: nullable(share),
});
