/**
 * The grammar of a plan: every key with its kind, range, meaning and default. The parser, the JSON Schema for editors and the
 * reference page are made from this one table. What values mean together is decided in `parse-plan.ts`.
 */

import { parseSeed } from '../random/seed.ts';
import { laneCountMax } from '../schedule/deal.ts';
import { datasetField } from './dataset-grammar.ts';
import { llmKeys } from './llm-grammar.ts';
import { parseLatePolicy } from './late-policy.ts';
import { phaseField } from './load-grammar.ts';
import {
  booleanField,
  durationField,
  durationOrWordField,
  type Field,
  integerField,
  listField,
  placed,
  scalarField,
  textField,
  valueError,
  wordField,
  fileNameField,
} from './plan-field.ts';
import { PLAN_COUNTS } from './plan-limits.ts';
import { quoted } from './problem-list.ts';
import { optional, optionalSection, recordField, required, type ValueOf } from './record-field.ts';
import { perRequestField } from './per-request-field.ts';
import { expectKeys, requestField, requestKeys } from './request-grammar.ts';
import { scrapeField, scrapeKeys } from './scrape-grammar.ts';
import { sloField } from './slo-field.ts';
import { targetKeys, tlsKeys } from './target-grammar.ts';
import { parseThreshold } from './threshold.ts';

const dataKeys = {
  file: optional(
    fileNameField,
    'CSV file with a header row, from the folder of the plan. Needed unless `dataset` is given.',
    null,
    'none',
  ),
  dataset: optional(
    datasetField,
    'An LLM workload instead: its rows have the columns `prompt`, `input_tokens`, `output_tokens` and `session`. Requests with `llm` and no prompt take theirs from it.',
    null,
    'none',
  ),
  rows: optional(
    wordField(['cycle', 'once', 'random', 'in-order']),
    '`cycle`: each row once per pass over the whole fleet, again and again; `once`: the plan ends with the rows; `random`: drawn with replacement; `in-order`: as the file has them.',
    null,
    'cycle; in-order for a dataset with recorded instants',
  ),
};

const limitsKeys = {
  maxInFlight: optional(
    integerField(1, PLAN_COUNTS.inFlightMax),
    'Open requests per worker; arrivals above it queue or are dropped.',
    10_000,
    '10000',
  ),
  maxQueue: optional(
    integerField(0, PLAN_COUNTS.queueMax),
    'Arrivals per worker that may wait above `maxInFlight`.',
    null,
    '0; all of a phase whose arrivals are all-at-once',
  ),
  connections: optional(integerField(1, PLAN_COUNTS.inFlightMax), 'Connections per worker.', null, 'maxInFlight'),
  connectionAge: optional(
    durationOrWordField('none', 1_000_000),
    'Age at which a connection takes no further request, so that a name that has moved is followed; each lives between half of it and all of it.',
    null,
    'none',
  ),
  timeout: optional(durationField({ minNs: 1_000_000 }), 'From send to the last byte of the answer.', 30e9, '30s'),
  idleTimeout: optional(
    durationOrWordField('none', 1_000_000),
    'Longest silence inside an answer; none = only the timeout.',
    null,
    'none',
  ),
  drain: optional(
    durationField({ minNs: 0 }),
    'How long open requests may still end after the last phase, and after the last of a batch (all-at-once) has left.',
    null,
    'timeout',
  ),
  phaseGrace: optional(
    durationField({ minNs: 0 }),
    "How long after its phase's end an arrival may still be released, and, where another phase follows, be sent; later it is dropped, or given up as unfinished where a limit still holds it back. Not of arrivals all at once, which have no end.",
    1e9,
    '1s',
  ),
  late: optional(
    scalarField(
      'send or drop-after:DURATION',
      { anyOf: [{ const: 'send' }, { type: 'string', pattern: '^drop-after:' }] },
      parseLatePolicy,
    ),
    'What happens to an arrival that comes late: `send` (at once, and the wait is charged) or `drop-after:2s`. Late is what the worker itself releases late; to wait above maxInFlight, or for a connection, is not.',
    { kind: 'send' } as const,
    'send',
  ),
};

const fleetKeys = {
  agents: optional(integerField(1, PLAN_COUNTS.agentsMax), 'Agents that take part.', 1, '1'),
  workers: optional(
    integerField(1, PLAN_COUNTS.workersMax),
    'Worker threads per agent.',
    null,
    'cores - 1, at least 1',
  ),
  pacing: optional(
    wordField(['auto', 'hybrid', 'spin', 'timer']),
    'How workers wait for the next instant; `auto` is hybrid where that leaves cores to others: where there are more of them than workers, or where the rate is so low that the workers spin for a quarter of them at most.',
    'auto',
    'auto',
  ),
  lease: optional(
    durationField({ minNs: 1e9, maxNs: 3600e9 }),
    'An agent that hears nothing for this long stops by itself.',
    10e9,
    '10s',
  ),
  onAgentLoss: optional(
    wordField(['abort', 'continue', 'redeal']),
    'What happens when an agent is lost: `abort` the run, or `continue` without its share. `redeal` (its share to the others) is refused: this version has it not.',
    'continue',
    'continue',
  ),
  startLead: optional(
    durationField({ minNs: 0, maxNs: 3600e9 }),
    'From the end of arming to the start.',
    null,
    '0.5s on loopback, 5s over a network',
  ),
  armTimeout: optional(
    durationField({ minNs: 1e6, maxNs: 86_400e9 }),
    'How long agents may take to join and to arm.',
    60e9,
    '60s',
  ),
};

const outputKeys = {
  dir: optional(fileNameField, 'Folder for the results, from the working directory.', null, 'loadfleet-results/RUN'),
  quiet: optional(booleanField(), 'No progress line.', false, 'false'),
  perRequest: optional(
    perRequestField,
    'Write `requests.jsonl`, a line per request: `true` for at most 100000 requests, or `{limit: N}`. Further ones are counted.',
    null,
    'false',
  ),
};

/** Top-level keys. */
export const planKeys = {
  name: optional(textField({ max: 100, what: 'a name' }), 'Name of the plan in the report.', null, 'the file name'),
  seed: optional(
    scalarField(
      'a whole number of 64 bits, decimal or 0x…',
      { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }] },
      parseSeed,
    ),
    'Fixes everything random. Printed when chosen by the tool.',
    null,
    'chosen and printed',
  ),
  lanes: optional(laneCountField(), 'Number of fixed lanes that the schedule is dealt in.', 4096, '4096'),
  target: required(placed(recordField(targetKeys, 'a mapping')), 'Where requests go.'),
  workload: optional(
    listField(requestField, { min: 1, max: PLAN_COUNTS.requestsMax }),
    'What is sent: named requests with weights.',
    null,
    'one GET of target.url',
  ),
  data: optional(placed(recordField(dataKeys, 'a mapping')), 'Rows that fill `{{column}}`.', null, 'none'),
  load: required(
    listField(phaseField, { min: 1, max: PLAN_COUNTS.phasesMax }),
    'When it is sent: phases, one after the other.',
  ),
  limits: optionalSection(recordField(limitsKeys, 'a mapping'), 'Bounds per worker; each is counted when it acts.'),
  fleet: optionalSection(recordField(fleetKeys, 'a mapping'), 'How many agents and workers.'),
  slo: optional(sloField, 'Bounds per request; goodput counts the requests that meet all of them.', [], 'none'),
  thresholds: optional(
    listField(scalarField('a threshold such as p99(response)<50ms', { type: 'string' }, parseThreshold), {
      min: 0,
      max: PLAN_COUNTS.thresholdsMax,
    }),
    'Bounds for the whole run; a missed one, or one without data, makes the exit code 1.',
    [],
    'none',
  ),
  failOn: optional(
    wordField(['invalid', 'degraded', 'never']),
    'Which verdicts on the harness make the exit code 3.',
    'invalid',
    'invalid',
  ),
  scrape: optional(
    scrapeField,
    "Pages of the server's own numbers (Prometheus text format), read while the run lasts and shown beside the results.",
    [],
    'none',
  ),
  output: optionalSection(recordField(outputKeys, 'a mapping'), 'What is written where.'),
};

export const planField = recordField(planKeys, 'a plan');

/** A plan as written, each value read but not yet put together. */
export type PlanText = ValueOf<typeof planKeys>;

/** The sections that are mappings of keys, for the reference page and for keys at a wrong level. */
export const SECTIONS = {
  target: targetKeys,
  'target.tls': tlsKeys,
  'workload[]': requestKeys,
  'workload[].expect': expectKeys,
  'workload[].llm': llmKeys,
  data: dataKeys,
  limits: limitsKeys,
  fleet: fleetKeys,
  'scrape[]': scrapeKeys,
  output: outputKeys,
} as const;

/** Where each key of the grammar belongs. Keys of several sections name none. */
export function pathsOfKeys(): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  const several = new Set<string>();
  const add = (key: string, path: string): void => {
    if (paths.has(key)) several.add(key);
    paths.set(key, path);
  };
  for (const key of Object.keys(planKeys)) add(key, key);
  for (const [section, keys] of Object.entries(SECTIONS))
    for (const key of Object.keys(keys)) add(key, `${section}.${key}`);
  for (const key of several) paths.delete(key);
  return paths;
}

function laneCountField(): Field<number> {
  const words = `a power of two in 1..${laneCountMax}`;
  const powers = Array.from({ length: Math.log2(laneCountMax) + 1 }, (_, exponent) => 2 ** exponent);
  return scalarField(words, { enum: powers }, (text) => {
    const found = powers.find((power) => String(power) === text);
    if (found === undefined) throw valueError(`${quoted(text)} is not ${words}`);
    return found;
  });
}
