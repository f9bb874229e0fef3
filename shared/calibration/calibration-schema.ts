/** The JSON Schema of `calibration.json`, published as `docs/calibration.schema.json` (a test holds the two together). Closed. */
import {
  count,
  type JsonSchema,
  listOf,
  nullable,
  number,
  oneOf,
  shape,
  share,
  text,
  utcInstant,
} from '../json-schema.ts';
import { CALIBRATION_SCHEMA } from './calibration.ts';

const rate: JsonSchema = { type: 'number', exclusiveMinimum: 0 };

const spread = shape({
  p50: nullable(number),
  p99: nullable(number),
  p999: nullable(number),
  max: nullable(number),
});

const excess = nullable(shape({ bound: count, share: nullable(share) }));

const rung = shape({
  ratePerSecond: rate,
  scheduled: count,
  sent: count,
  ok: count,
  wakeLag: spread,
  serviceError: spread,
  excess: shape({ '50': excess, '99': excess }),
  level: oneOf('pass', 'warn', 'fail', 'not-measured'),
});

/** The schema (draft 2020-12). */
export const calibrationSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://loadfleet.example/schema/calibration-v1.json',
  title: 'loadfleet calibration',
  description: 'What the workers of one machine can do. Times in ns; missing is null. See docs/trust.md.',
  ...shape({
    schema: { const: CALIBRATION_SCHEMA },
    createdAt: utcInstant,
    machine: shape({ cpuModel: text, cores: count, platform: text, nodeVersion: text, loadfleetVersion: text }),
    timerError: spread,
    floorResponse: spread,
    clients: listOf(
      shape({
        client: text,
        protocol: text,
        pacing: nullable(text),
        workers: { type: 'integer', minimum: 1 },
        serviceNs: count,
        rungs: { type: 'array', items: rung, minItems: 1 },
        certifiedRatePerSecond: nullable(rate),
        limitedBy: oneOf('excess', 'load', 'ladder'),
      }),
    ),
  }),
};
