/**
 * The JSON Schema of `result.json`, published as `docs/result.schema.json` (a test holds the two together). It is closed: a field
 * that is not described here does not appear in an output. The meaning of each field is in `docs/results.md`.
 */
import {
  bigInteger,
  count,
  flag,
  integer,
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
  utcInstant,
} from '../../shared/json-schema.ts';
import { DROP_REASONS, FAILURE_CLASSES } from '../../shared/metrics/outcome.ts';
import { LOAD_MODES } from '../../shared/plan/load-mode.ts';
import { llmSchema } from './llm-schema.ts';
import { datasetSchema } from './dataset-schema.ts';
import { serverSchema } from './server-schema.ts';
import { sessionSchema } from './session-schema.ts';
import { PERCENTILES } from './metric-summary.ts';
import { STATISTICS_METRICS } from './percentile-statistics.ts';
import { RESULT_SCHEMA } from './result-value.ts';

const reference = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });

const accounting = {
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
const metrics = mapOf(reference('metric'));

const rate = shape({
  intendedPerSecond: nullable(number),
  sentPerSecond: nullable(number),
  okPerSecond: nullable(number),
});

const connections = ['connectionsTried', 'connectionsOpened', 'connectionsRetired'];
const traffic = record(['bytesSent', 'bytesReceived', ...connections, 'retries', 'redirects', 'overflow'], count);

const ends = { low: nullable(count), high: nullable(count) };

const definitions: Readonly<Record<string, JsonSchema>> = {
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

const outcome = shape({
  kind: oneOf(
    'ok',
    'threshold-failed',
    'threshold-no-data',
    'nothing-ok',
    'nothing-planned',
    'verdict-failed',
    'run-failed',
    'interrupted',
  ),
  exitCode: { enum: [0, 1, 3, 4, 130, 143] },
  reasons: listOf(text),
});

const run = shape({
  id: text,
  trial: count,
  startedAt: utcInstant,
  durationNs: count,
  seed: bigInteger,
  loadfleetVersion: text,
  command: text,
  plan: { type: 'object' },
  end: shape({
    kind: oneOf('finished', 'interrupted', 'failed'),
    atNs: nullable(integer),
    reason: nullable(text),
    abrupt: flag,
  }),
  outcome,
  workerSlots: count,
});

const threshold = shape({
  text,
  result: oneOf('pass', 'fail', 'no-data'),
  measured: nullable(number),
  comparison: oneOf('<', '<=', '>', '>='),
  bound: number,
  unit: oneOf('ns', 'tokens', 'milli-tokens', 'milli-tokens/s', 'bytes', 'share', 'count', '1/s'),
  samples: nullable(count),
  reason: nullable(text),
});

const slo = shape({
  bounds: listOf(shape({ metric: text, maxNs: count })),
  good: count,
  goodShare: nullable(share),
  goodputPerSecond: nullable(number),
});

const phase = shape({
  name: text,
  warmup: flag,
  startNs: count,
  durationNs: count,
  arrivals: text,
  mode: oneOf(...LOAD_MODES),
  notShown: nullable(text),
  closed: nullable(
    shape({
      concurrency: count,
      thinkNs: count,
      count: nullable(count),
      pauses: count,
      cyclesPerSecond: nullable(number),
    }),
  ),
  offline: nullable(shape({ lengthNs: nullable(count), okPerSecond: nullable(number) })),
  accounting: reference('accounting'),
  failureShare: nullable(share),
  rate: reference('rate'),
  metrics,
  metricsFailed: metrics,
  responseWithFailures: reference('withFailures'),
  statistics: reference('statistics'),
  slo: nullable(slo),
  verdict: reference('scopeVerdict'),
  fidelity: reference('fidelity'),
  backlog: {
    anyOf: [
      shape({
        kind: oneOf('stable', 'unstable'),
        slopePerSecond: number,
        growth: number,
        t: nullable(number),
        blocks: count,
      }),
      shape({ kind: { const: 'not-judged' }, reason: text }),
    ],
  },
  traffic: reference('traffic'),
});

const { attempted, sent, dropped, ok, failed, unfinished } = accounting;
const request = shape({
  name: text,
  weightShare: nullable(share),
  accounting: shape({ attempted, sent, dropped, ok, failed, unfinished }),
  failureShare: nullable(share),
  metrics,
  metricsFailed: metrics,
});

const agent = shape({
  id: text,
  incarnation: text,
  region: nullable(text),
  labels: mapOf(text),
  cores: count,
  nodeVersion: text,
  workerSlots: listOf(count),
  client: nullable(text),
  pacing: nullable(text),
  clock: nullable(shape({ offsetNs: number, boundNs: number, roundTripMinNs: number })),
  state: oneOf('finished', 'stopped', 'lost'),
  lostAtNs: nullable(integer),
  lostReason: nullable(text),
  reports: oneOf('complete', 'no-final', 'gap', 'differs'),
  undecidedFromNs: nullable(count),
  accounting: reference('accounting'),
  verdict: nullable(reference('scopeVerdict')),
  metrics,
});

const windowRow = shape({
  phase: text,
  startNs: count,
  lengthNs: count,
  scheduled: count,
  attempted: count,
  sent: count,
  dropped: count,
  cancelled: count,
  ok: count,
  failed: count,
  unfinished: count,
  bytesReceived: count,
  response: reference('windowTimes'),
  service: reference('windowTimes'),
  wakeLag: reference('windowTimes'),
  status: oneOf('valid', 'degraded', 'invalid', 'not-measured'),
  marks: listOf(text),
  fidelity: shape({
    fano1ms: nullable(number),
    fano10ms: nullable(number),
    workerBacklogMax: nullable(count),
    workerBehindShare: nullable(share),
  }),
});

const gauge = shape({
  agent: text,
  workerSlot: nullable(count),
  name: text,
  min: nullable(number),
  max: nullable(number),
  samples: count,
  unread: count,
});

/** The schema of `result.json`. */
export const resultSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://loadfleet.example/schema/result-v1.json',
  title: 'loadfleet result',
  description:
    'One run of loadfleet. Times are integer ns unless named otherwise; missing is null. See docs/results.md.',
  ...shape({
    schema: { const: RESULT_SCHEMA },
    run,
    verdict: shape({
      status: oneOf('valid', 'degraded', 'invalid'),
      reasons: listOf(text),
      gates: listOf(reference('gate')),
    }),
    accounting: reference('accounting'),
    measured: shape({ phases: listOf(text), lengthNs: count, accounting: reference('accounting') }),
    failureShare: nullable(share),
    rate: reference('rate'),
    metrics: {
      ...metrics,
      properties: Object.fromEntries(
        ['response', 'service', 'lag', 'wakeLag', 'wait'].map((name) => [name, reference('metric')]),
      ),
      required: ['response', 'service', 'lag', 'wakeLag', 'wait'],
    },
    metricsFailed: metrics,
    responseWithFailures: reference('withFailures'),
    statistics: reference('statistics'),
    slo: nullable(slo),
    llm: nullable(llmSchema),
    thresholds: listOf(threshold),
    fidelity: reference('fidelity'),
    traffic: reference('traffic'),
    phases: listOf(phase),
    workload: listOf(request),
    agents: listOf(agent),
    windows: listOf(windowRow),
    gauges: listOf(gauge),
    sessions: nullable(sessionSchema),
    dataset: nullable(datasetSchema),
    server: listOf(serverSchema),
    requests: nullable(shape({ file: text, limit: count, written: count, leftOut: count, problem: nullable(text) })),
    calibrationRecheck: nullable(
      shape({
        before: reference('calibrationCheck'),
        after: reference('calibrationCheck'),
        calibratedFloorP50Ns: nullable(number),
      }),
    ),
    failures: listOf(shape({ class: text, detail: text, count })),
    warnings: listOf(text),
  }),
  $defs: definitions,
};

/** Every word that the schema itself prescribes: never taken for a secret, whatever the secrets are. */
export const ownWords: ReadonlySet<string> = new Set(wordsOf(resultSchema));

function wordsOf(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(wordsOf);
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
    if (key === 'const') return typeof value === 'string' ? [value] : [];
    if (key === 'enum' && Array.isArray(value)) return value.filter((word) => typeof word === 'string');
    return wordsOf(value);
  });
}
