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
  nullable,
  number,
  oneOf,
  shape,
  share,
  text,
  utcInstant,
} from '../../shared/json-schema.ts';
import { LOAD_MODES } from '../../shared/plan/load-mode.ts';
import { llmSchema } from './llm-schema.ts';
import { datasetSchema } from './dataset-schema.ts';
import { serverSchema } from './server-schema.ts';
import { sessionSchema } from './session-schema.ts';
import { accounting, definitions, metrics, reference } from './result-definitions.ts';
import { RESULT_SCHEMA } from './result-value.ts';

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
  phaseNs: nullable(count),
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
    measured: shape({ phases: listOf(text), lengthNs: count, ranNs: count, accounting: reference('accounting') }),
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
