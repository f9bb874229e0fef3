/** The part of the JSON Schema of `result.json` that describes the server's own numbers (`server-value.ts`). */

import {
  count,
  integer,
  type JsonSchema,
  listOf,
  nullable,
  number,
  oneOf,
  record,
  shape,
  text,
} from '../../shared/json-schema.ts';
import { SERVER_ROLES } from '../scrape/server-roles.ts';
import { SERVER_QUANTILES } from './server-value.ts';

const role = nullable(oneOf(...SERVER_ROLES));
const quantile = nullable(shape({ value: nullable(number), low: number, high: nullable(number) }));

const phase = shape({
  phase: text,
  fromNs: nullable(integer),
  toNs: nullable(integer),
  gauges: listOf(shape({ series: text, role, min: number, max: number, mean: number, last: number, samples: count })),
  counters: listOf(shape({ series: text, role, delta: number, resets: count })),
  histograms: listOf(
    shape({
      series: text,
      role,
      count: number,
      mean: nullable(number),
      resets: count,
      quantiles: record(SERVER_QUANTILES, quantile),
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
