/** The grammar of `load`: phases, arrival laws, rate shapes and traces. What the values mean together: `build-phases.ts`. */

import { FleetError } from '../fleet-error.ts';
import { knownNamesHint } from '../nearest-name.ts';
import {
  booleanField,
  durationField,
  type Field,
  integerField,
  listField,
  numberField,
  placed,
  readDecimal,
  scalarField,
  scalarOrElse,
  textField,
  valueError,
  wordField,
  fileNameField,
} from './plan-field.ts';
import { laneCountMax } from '../schedule/deal.ts';
import { LOAD_MODES } from './load-mode.ts';
import { PLAN_COUNTS, PLAN_TIMES } from './plan-limits.ts';
import { quoted } from './problem-list.ts';
import { rateField } from './rate.ts';
import { choiceField, optional, recordField, required, type ValueOf } from './record-field.ts';

/** An arrival law by name; gamma carries its burstiness, a closed loop its number of slots. */
export type ArrivalsWord =
  | { readonly kind: 'poisson' | 'even' | 'all-at-once' }
  | { readonly kind: 'gamma'; readonly burstiness: number }
  | { readonly kind: 'closed'; readonly value: ClosedText };

const LAWS = ['poisson', 'even', 'all-at-once', 'gamma:B', 'closed:C'];
const BURSTINESS_MIN = 0.001;
const BURSTINESS_MAX = 1e9;

/** Reads `poisson`, `even`, `all-at-once`, `gamma:0.5` or `closed:8`. @throws FleetError 'plan'. */
function parseArrivals(text: string): ArrivalsWord {
  if (text === 'poisson' || text === 'even' || text === 'all-at-once') return { kind: text };
  const slotsText = /^closed:(.*)$/s.exec(text)?.[1];
  if (slotsText !== undefined) return { kind: 'closed', value: { concurrency: parseSlots(slotsText), think: 0 } };
  const burstinessText = /^gamma:(.*)$/s.exec(text)?.[1];
  if (burstinessText === undefined) {
    throw valueError(`${quoted(text)} is not an arrival law${knownNamesHint(text.slice(0, 60), LAWS)}`);
  }
  const burstiness = readDecimal(burstinessText);
  if (burstiness === null || burstiness < BURSTINESS_MIN || burstiness > BURSTINESS_MAX) {
    throw new FleetError(
      'plan',
      `${quoted(text)}: burstiness must be a number in ${BURSTINESS_MIN}..${BURSTINESS_MAX}; 1 is Poisson, 0.5 burstier`,
    );
  }
  return { kind: 'gamma', burstiness };
}

function parseSlots(text: string): number {
  const slots = /^[0-9]{1,7}$/.test(text) ? Number(text) : 0;
  if (slots < 1 || slots > laneCountMax) {
    throw new FleetError(
      'plan',
      `closed:${quoted(text)}: the number of slots must be a whole number in 1..${laneCountMax}`,
    );
  }
  return slots;
}

const unitField = wordField(['s', 'ms', 'us', 'ns', 'date-time']);
const fileKey = required(fileNameField, 'File, from the folder of the plan.');

/** Keys of `arrivals: {trace: ...}`. */
export const traceKeys = {
  file: fileKey,
  format: optional(
    wordField(['csv', 'jsonl']),
    'How the file is written.',
    null,
    'jsonl for .jsonl and .ndjson, else csv',
  ),
  column: required(
    textField({ max: 1000, what: 'a column name' }),
    'Column (CSV) or top-level field (JSON lines) that holds the instants.',
  ),
  unit: required(unitField, 'Unit of the instants; never guessed.'),
  delimiter: optional(textField({ max: 1, what: 'one character' }), 'Between CSV columns.', ',', '","'),
  speed: optional(
    numberField({ min: 0, aboveMin: true, max: 1e9 }),
    'How many times faster than recorded; 0.5 is half as fast.',
    1,
    '1',
  ),
  origin: optional(
    wordField(['first-row', 'keep']),
    '`first-row`: the first arrival is at 0. `keep`: 0 in the file is the start of the phase.',
    'first-row',
    'first-row',
  ),
  order: optional(
    wordField(['ascending', 'sort']),
    'Whether rows out of order are refused or sorted.',
    'ascending',
    'ascending',
  ),
};

/** Keys of `arrivals: {dataset: ...}`: the instants recorded in the rows of `data.dataset`. */
export const datasetArrivalKeys = { speed: traceKeys.speed };

/** Keys of `arrivals: {closed: ...}`. */
export const closedKeys = {
  concurrency: required(
    integerField(1, laneCountMax),
    'Slots over the whole fleet. Each sends, waits for its answer, and sends again.',
  ),
  think: optional(
    durationField({ minNs: 0, maxNs: PLAN_TIMES.runNsMax }),
    'From the end of a request to the next of its slot.',
    0,
    '0s',
  ),
};

/** A closed loop as written. */
export type ClosedText = ValueOf<typeof closedKeys>;

const arrivalsField = scalarOrElse(
  scalarField(
    'poisson, even, all-at-once, gamma:BURSTINESS or closed:SLOTS',
    { anyOf: [{ enum: ['poisson', 'even', 'all-at-once'] }, { type: 'string', pattern: '^(gamma|closed):' }] },
    (text): ArrivalsWord => parseArrivals(text),
  ),
  choiceField(
    {
      trace: recordField(traceKeys, 'a trace'),
      dataset: recordField(datasetArrivalKeys, 'the instants of the dataset'),
      closed: recordField(closedKeys, 'a closed loop'),
    },
    'a mapping with the key trace, dataset or closed',
  ),
);

const time = durationField({ minNs: 0 });
const positiveTime = durationField({ minNs: 1 });
const stepKeys = {
  rate: required(rateField, 'Rate of the step.'),
  duration: required(positiveTime, 'Length of the step.'),
};
const pointKeys = {
  at: required(time, 'Time from the start of the phase.'),
  rate: required(
    rateField,
    'Rate at that time; straight lines lie between points, and two points at one time are a jump.',
  ),
};
const rampKeys = {
  from: required(rateField, 'Rate at the start.'),
  to: required(rateField, 'Rate at the end.'),
};
const spikeKeys = {
  base: required(rateField, 'Rate outside the spike.'),
  peak: required(rateField, 'Rate in the spike.'),
  at: required(time, 'Start of the spike, from the start of the phase.'),
  width: required(positiveTime, 'Length of the spike.'),
};
const sineKeys = {
  mean: required(rateField, 'Mean rate.'),
  amplitude: required(numberField({ min: 0, max: 1 }), 'Swing as a share of the mean.'),
  period: required(positiveTime, 'Length of one wave.'),
};
const rateFileKeys = {
  file: fileKey,
  time: required(textField({ max: 1000, what: 'a column name' }), 'Column with the time from the start of the phase.'),
  unit: required(wordField(['s', 'ms', 'us', 'ns']), 'Unit of the time column.'),
  rate: required(textField({ max: 1000, what: 'a column name' }), 'Column with the rate per second.'),
};

/** Keys of each rate shape, for the reference page; of a list, those of its items. */
export const RATE_SHAPE_KEYS = {
  ramp: rampKeys,
  'steps[]': stepKeys,
  spike: spikeKeys,
  sine: sineKeys,
  'points[]': pointKeys,
  file: rateFileKeys,
};

const rateShapes = {
  ramp: recordField(rampKeys, 'a ramp'),
  steps: listField(recordField(stepKeys, 'each with rate and duration'), { min: 1, max: 8000 }),
  spike: recordField(spikeKeys, 'a spike'),
  sine: recordField(sineKeys, 'a sine'),
  points: listField(recordField(pointKeys, 'each with at and rate'), { min: 2, max: 16_000 }),
  file: recordField(rateFileKeys, 'a file of points'),
};

const shapeField = choiceField(rateShapes, `a mapping with one of ${Object.keys(rateShapes).join(', ')}`);

/** A rate curve as written. */
export type RateShape =
  | { readonly kind: 'constant'; readonly ratePerSecond: number }
  | (typeof shapeField extends Field<infer T> ? T : never);

const constantField: Field<RateShape> = {
  ...rateField,
  read: (node, path, problems) => {
    const ratePerSecond = rateField.read(node, path, problems);
    return typeof ratePerSecond === 'number' ? { kind: 'constant', ratePerSecond } : ratePerSecond;
  },
};

/** Keys of one phase. */
export const phaseKeys = {
  name: optional(
    textField({ max: 100, what: 'a name' }),
    'Name in the report; must differ from the other phases.',
    null,
    'warmup or load, with a number',
  ),
  warmup: optional(booleanField(), 'Keeps the phase out of the measured results.', false, 'false'),
  arrivals: optional(
    placed(arrivalsField),
    'The law of the arrivals: `poisson`, `even`, `all-at-once`, `gamma:BURSTINESS` (SCV of the gaps is 1 / BURSTINESS) a recorded `trace`, the instants of the `dataset`, or no arrivals but `closed:SLOTS`, where a request follows the answer to the one before.',
    null,
    'poisson',
  ),
  mode: optional(
    placed(wordField(LOAD_MODES)),
    'What the phase asks; it must agree with `arrivals`, and stands for it where that is left out: `single-stream` (one request at a time: closed:1), `closed-loop`, `server` (arrivals that wait for nobody: poisson), `offline` (everything at once: all-at-once).',
    null,
    'as arrivals say',
  ),
  rate: optional(
    placed(scalarOrElse<RateShape, RateShape>(constantField, shapeField)),
    'Arrivals per second over the whole fleet: a constant, or a shape.',
    null,
    'none; needed for most laws',
  ),
  duration: optional(
    placed(durationField({ minNs: 1, maxNs: PLAN_TIMES.runNsMax })),
    'Scheduled length of the phase.',
    null,
    'from the shape, the trace, or count / rate',
  ),
  count: optional(
    placed(integerField(0, PLAN_COUNTS.countMax)),
    'Exactly this many arrivals over the whole fleet; in a closed loop at most so many requests, dealt to its slots.',
    null,
    'as many as the law gives',
  ),
};

export type PhaseText = ValueOf<typeof phaseKeys>;
/** A trace as written. */
export type TraceText = ValueOf<typeof traceKeys>;
/** A file of rate points as written. */
export type RateFileText = ValueOf<typeof rateFileKeys>;

export const phaseField = placed(recordField(phaseKeys, 'phases'));
