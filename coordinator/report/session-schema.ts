/** The part of the JSON Schema of `result.json` that describes sessions of several turns (`session-value.ts`). */

type JsonSchema = Readonly<Record<string, unknown>>;

const count: JsonSchema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const counts = (names: readonly string[], more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema => ({
  type: 'object',
  properties: { ...Object.fromEntries(names.map((name) => [name, count])), ...more },
  required: [...names, ...Object.keys(more)],
  additionalProperties: false,
});

/** `sessions`. */
export const sessionSchema: JsonSchema = counts(
  ['begun', 'completed', 'failed', 'cut', 'openAtEnd', 'followUpsPlanned', 'followUps'],
  { followUpsNotIssued: counts(['failed', 'cut', 'openAtEnd']) },
);
