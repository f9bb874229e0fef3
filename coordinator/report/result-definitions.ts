/**
 * Shapes that several parts of the JSON Schema of `result.json` refer to: books, rates, metrics and what is known of their percentiles, gates and
 * verdicts.
 */
import {
  count,
  flag,
  type JsonSchema,
  listOf,
  mapOf,
  nothing,
  nullable,
  number,
  oneOf,
  record,
  shape,
  share,
  text,
} from '../../shared/json-schema.ts';
import { DROP_REASONS, FAILURE_CLASSES } from '../../shared/metrics/outcome.ts';
import { PERCENTILES } from './metric-summary.ts';
import { STATISTICS_METRICS } from './percentile-statistics.ts';

/** A shape of `definitions`, by its name. */
export const reference = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });

/** The books of one scope. */
export const accounting = {
  scheduled: count,
  issued: count,
  followUps: count,
  attempted: count,
  sent: count,
  dropped: record(DROP_REASONS, count),
  cancelled: count,
  lost: count,
  ok: count,
  failed: record(FAILURE_CLASSES, count),
  unfinished: count,
};

const gateUnit = oneOf('ns', 'share', 'count');
/** Metrics by name. */
export const metrics: JsonSchema = mapOf(reference('metric'));

const rate = shape({
  intendedPerSecond: nullable(number),
  sentPerSecond: nullable(number),
  okPerSecond: nullable(number),
});

const connections = ['connectionsTried', 'connectionsOpened', 'connectionsRetired'];
const traffic = record(
  ['bytesSent', 'bytesReceived', 'bytesDecoded', ...connections, 'retries', 'redirects', 'overflow'],
  count,
);

const ends = { low: nullable(count), high: nullable(count) };

/** All of them, for `$defs`. */
export const definitions: Readonly<Record<string, JsonSchema>> = {
  fidelity: shape({
    fano1ms: nullable(number),
    fano10ms: nullable(number),
    fano100ms: nullable(number),
    fano1s: nullable(number),
    workerBacklogMax: nullable(count),
    fleetBacklogMax: nullable(count),
    workerBehindShare: nullable(share),
  }),
  accounting: shape(accounting),
  rate,
  traffic,
  percentiles: record(PERCENTILES, nullable(number)),
  metric: shape({
    unit: oneOf('ns', 'tokens', 'milli-tokens', 'milli-tokens/s', 'bytes'),
    count,
    min: nullable(count),
    max: nullable(count),
    mean: nullable(number),
    percentiles: reference('percentiles'),
    fewSamples: listOf(oneOf(...PERCENTILES)),
  }),
  withFailures: shape({
    unit: { const: 'ns' },
    count,
    percentiles: reference('percentiles'),
    lowerBounds: listOf(oneOf(...PERCENTILES)),
  }),
  interval: shape(ends),
  percentileStatistics: shape({
    value: count,
    enough: flag,
    interval: reference('interval'),
    iid: reference('interval'),
    blocks: nullable(
      shape({
        ...ends,
        count,
        varianceInflation: number,
        effectiveSamples: number,
        autocorrelation: nullable(number),
        dependent: flag,
      }),
    ),
    earlyStopping: shape({ overBoundAllowed: nullable(count), shownBound: nullable(count) }),
    excess: nullable(shape({ bound: count, share: nullable(share), alpha: nullable(number) })),
  }),
  statistics: shape({
    confidence: share,
    metrics: record(STATISTICS_METRICS, record(PERCENTILES, nullable(reference('percentileStatistics')))),
  }),
  gate: {
    anyOf: [
      shape({
        kind: oneOf('pass', 'warn', 'fail'),
        name: text,
        measured: number,
        limit: number,
        unit: gateUnit,
        reason: text,
      }),
      shape({
        kind: { const: 'not-measured' },
        name: text,
        measured: nothing,
        limit: nullable(number),
        unit: gateUnit,
        reason: text,
      }),
    ],
  },
  calibrationCheck: {
    anyOf: [
      shape({
        kind: { const: 'made' },
        ratePerSecond: number,
        workers: count,
        floorP50Ns: nullable(number),
        floorP99Ns: nullable(number),
        level: oneOf('pass', 'warn', 'fail', 'not-measured'),
        isCarried: flag,
      }),
      shape({ kind: { const: 'failed' }, reason: text }),
    ],
  },
  scopeVerdict: shape({
    status: oneOf('valid', 'degraded', 'invalid'),
    reasons: listOf(text),
    broken: listOf(text),
    notMeasured: listOf(text),
  }),
  windowTimes: shape({ count, p50: nullable(count), p99: nullable(count), max: nullable(count) }),
};
