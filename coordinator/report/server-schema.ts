/** The part of the JSON Schema of `result.json` that describes the server's own numbers (`server-value.ts`). */

import { SERVER_ROLES } from '../scrape/server-roles.ts';
import { SERVER_QUANTILES } from './server-value.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

const text: JsonSchema = { type: 'string' };
const number: JsonSchema = { type: 'number' };
const count: JsonSchema = { type: 'integer', minimum: 0 };
const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const nullable = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });
const shape = (members: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties: members,
  required: Object.keys(members),
  additionalProperties: false,
});

const role = nullable({ enum: SERVER_ROLES });
const quantile = nullable(shape({ value: nullable(number), low: number, high: nullable(number) }));

const phase = shape({
  phase: text,
  fromNs: nullable({ type: 'integer' }),
  toNs: nullable({ type: 'integer' }),
  gauges: listOf(shape({ series: text, role, min: number, max: number, mean: number, last: number, samples: count })),
  counters: listOf(shape({ series: text, role, delta: number, resets: count })),
  histograms: listOf(
    shape({
      series: text,
      role,
      count: number,
      mean: nullable(number),
      resets: count,
      quantiles: shape(Object.fromEntries(SERVER_QUANTILES.map((key) => [key, quantile]))),
    }),
  ),
});

/** One page of `server`. */
export const serverSchema: JsonSchema = shape({
  name: text,
  url: text,
  intervalNs: count,
  pages: count,
  failed: count,
  reasons: listOf(text),
  unreadable: count,
  seriesLeftOut: count,
  phases: listOf(phase),
});
