/** The JSON Schema of `calibration.json`, published as `docs/calibration.schema.json` (a test holds the two together). Closed. */
import { CALIBRATION_SCHEMA } from './calibration.ts';

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer', minimum: 0 };
const rate: Schema = { type: 'number', exclusiveMinimum: 0 };
const nullable = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

function shape(members: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties: members, required: Object.keys(members), additionalProperties: false };
}

const spread = shape({
  p50: nullable({ type: 'number' }),
  p99: nullable({ type: 'number' }),
  p999: nullable({ type: 'number' }),
  max: nullable({ type: 'number' }),
});

const excess = nullable(shape({ bound: count, share: nullable({ type: 'number', minimum: 0, maximum: 1 }) }));

const rung = shape({
  ratePerSecond: rate,
  scheduled: count,
  sent: count,
  ok: count,
  wakeLag: spread,
  serviceError: spread,
  excess: shape({ '50': excess, '99': excess }),
  level: { enum: ['pass', 'warn', 'fail', 'not-measured'] },
});

/** The schema (draft 2020-12). */
export const calibrationSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://loadfleet.example/schema/calibration-v1.json',
  title: 'loadfleet calibration',
  description: 'What the workers of one machine can do. Times in ns; missing is null. See docs/trust.md.',
  ...shape({
    schema: { const: CALIBRATION_SCHEMA },
    createdAt: { type: 'string', pattern: '^[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$' },
    machine: shape({ cpuModel: text, cores: count, platform: text, nodeVersion: text, loadfleetVersion: text }),
    timerError: spread,
    floorResponse: spread,
    clients: {
      type: 'array',
      items: shape({
        client: text,
        protocol: text,
        pacing: nullable(text),
        workers: { type: 'integer', minimum: 1 },
        serviceNs: count,
        rungs: { type: 'array', items: rung, minItems: 1 },
        certifiedRatePerSecond: nullable(rate),
        limitedBy: { enum: ['excess', 'load', 'ladder'] },
      }),
    },
  }),
};
