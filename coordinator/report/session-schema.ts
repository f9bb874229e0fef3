/** The part of the JSON Schema of `result.json` that describes sessions of several turns (`session-value.ts`). */

import { count, type JsonSchema, record, shape } from '../../shared/json-schema.ts';

/** `sessions`. */
export const sessionSchema: JsonSchema = shape({
  begun: count,
  completed: count,
  failed: count,
  cut: count,
  openAtEnd: count,
  followUpsPlanned: count,
  followUps: count,
  followUpsNotIssued: record(['failed', 'cut', 'openAtEnd'], count),
});
