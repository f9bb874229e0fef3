import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FleetError } from '../../../../shared/fleet-error.ts';
import { explainPlan } from '../../../../shared/plan/explain-plan.ts';
import { formatExplanation } from '../../../../shared/plan/format-explanation.ts';
import { planFromJson, planToJson } from '../../../../shared/plan/plan-json.ts';
import { planKeys, SECTIONS } from '../../../../shared/plan/plan-grammar.ts';
import { closedKeys, phaseKeys, RATE_SHAPE_KEYS, traceKeys } from '../../../../shared/plan/load-grammar.ts';
import { PLAN_FLAGS } from '../../../../shared/plan/plan-flags.ts';
import { formatYaml } from '../../../../shared/plan/yaml-document.ts';
import { planOfText } from '../../../support/plan-of-text.ts';

const keyNames = [
  ...Object.keys(planKeys),
  ...Object.values(SECTIONS).flatMap((keys) => Object.keys(keys)),
  ...Object.keys(phaseKeys),
  ...Object.values(RATE_SHAPE_KEYS).flatMap((keys) => Object.keys(keys)),
  ...Object.keys(traceKeys),
  ...Object.keys(closedKeys),
  ...['ramp', 'steps', 'spike', 'sine', 'points', 'trace', '<<', '__proto__', 'constructor', 'toString', ''],
];

const scalars = [
  ...[
    '1',
    '0',
    '-1',
    '1.5',
    '1e3',
    '1e308',
    '010',
    '1_000',
    '1:30',
    '.nan',
    '.inf',
    'true',
    'yes',
    '~',
    'null',
    '',
    ' ',
    '\u0000',
  ],
  ...[
    '1s',
    '30s',
    '0s',
    '1m30',
    '105d',
    '5',
    'http://h',
    'http://h/{{id}}',
    '/a b',
    'poisson',
    'gamma:0.5',
    'gamma:-1',
    'even',
  ],
  ...[
    '${A}',
    '${B}',
    '${',
    '$$',
    '${A:-x}',
    '${file:f}',
    '{{id}}',
    '{{x|y}}',
    '{{',
    'p99(response)<50ms',
    'share(x)<y',
    '2xx',
  ],
  ...[
    'all-at-once',
    'u.csv',
    't.csv',
    'id',
    'first-row',
    'sort',
    'csv',
    'ms',
    'never',
    'unix:/x',
    '\ud83d\ude00',
    'x'.repeat(300),
  ],
];

const scalar = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...scalars) }, { weight: 1, arbitrary: fc.string() });
const key = fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...keyNames) }, { weight: 1, arbitrary: fc.string() });
const tree = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 6 },
    { weight: 3, arbitrary: scalar },
    { weight: 3, arbitrary: fc.dictionary(key, tie('node'), { maxKeys: 6, noNullPrototype: false }) },
    { weight: 1, arbitrary: fc.array(tie('node'), { maxLength: 4 }) },
    { weight: 1, arbitrary: fc.oneof(fc.integer(), fc.double(), fc.boolean(), fc.constant(null)) },
  ),
})).node;

/** A tree that is often close to a plan: sections of their own kind, filled at random. */
const almostPlan = fc.record(
  {
    target: fc.oneof(tree, fc.record({ url: fc.oneof(fc.constant('http://h:1'), scalar) })),
    load: fc.array(fc.oneof(tree, fc.dictionary(fc.constantFrom(...Object.keys(phaseKeys)), fc.oneof(scalar, tree))), {
      maxLength: 3,
    }),
    workload: fc.array(fc.dictionary(fc.constantFrom(...Object.keys(SECTIONS['workload[]'])), fc.oneof(scalar, tree)), {
      maxLength: 2,
    }),
    limits: fc.dictionary(fc.constantFrom(...Object.keys(SECTIONS.limits)), scalar),
    data: fc.oneof(tree, fc.constant({ file: 'u.csv' })),
    seed: scalar,
    thresholds: fc.array(scalar, { maxLength: 2 }),
  },
  { requiredKeys: ['target', 'load'] },
);

/** A right plan with many sections. */
const rightPlan = {
  seed: '5',
  target: { url: 'http://h:1', client: 'auto', identify: 'true', tls: { insecure: 'false' } },
  workload: [
    { name: 'a', weight: '2', url: '/{{id}}', headers: { 'X-A': ['1', '${A}'] }, expect: { status: ['200', '3xx'] } },
  ],
  data: { file: 'u.csv', rows: 'cycle' },
  load: [
    { warmup: 'true', rate: '5', duration: '1s' },
    { rate: { ramp: { from: '0', to: '10' } }, duration: '2s' },
    { arrivals: { trace: { file: 't.csv', column: 'at', unit: 's', speed: '2' } } },
  ],
  limits: { maxInFlight: '5', timeout: '1s', late: 'drop-after:1s' },
  slo: { response: '1s' },
  thresholds: ['p99(response)<50ms'],
};

/** `value` with the part that `steps` lead to replaced: each step picks one of the children left. */
function withReplacement(value: unknown, steps: readonly number[], replacement: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined || typeof value !== 'object' || value === null) return replacement;
  const keys = Object.keys(value);
  const key = keys[step % keys.length] as string;
  const changed = withReplacement((value as Record<string, unknown>)[key], rest, replacement);
  return Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
}

const nearlyRight = fc
  .tuple(fc.array(fc.nat(20), { minLength: 1, maxLength: 5 }), fc.oneof({ weight: 4, arbitrary: scalar }, tree))
  .map(([steps, replacement]) => withReplacement(rightPlan, steps, replacement));

const surroundings = {
  environment: { A: '1s', EMPTY: '' },
  files: { 'u.csv': 'id,name\n1,a\n2,b\n', 't.csv': 'at\n1\n2\n', f: 'file-secret\n' },
};

/** Parses; a plan that is accepted must be explainable and cross the wire. Anything but a FleetError of the user's kind is a defect. */
function survive(text: string | null, flags: Readonly<Record<string, readonly string[]>> = {}): 'accepted' | 'refused' {
  let parsed: ReturnType<typeof planOfText>;
  try {
    parsed = planOfText(text, { ...surroundings, flags });
  } catch (error) {
    if (error instanceof FleetError && (error.code === 'plan' || error.code === 'usage')) {
      expect(error.message.length).toBeGreaterThan(0);
      expect(error.message.length).toBeLessThan(50_000);
      return 'refused';
    }
    throw error;
  }
  expect(planFromJson(planToJson(parsed.plan))).toEqual(parsed.plan);
  formatExplanation(explainPlan(parsed, { cores: 2 }));
  return 'accepted';
}

// Seeded, so that a failure comes again; a fresh seed finds more (FUZZ_SEED=$RANDOM).
const settings = {
  seed: Number(process.env['FUZZ_SEED'] ?? 1),
  numRuns: Number(process.env['FUZZ_RUNS'] ?? 250),
  interruptAfterTimeLimit: 30_000,
};

describe('no plan text brings the parser down', () => {
  it('trees of keys and values', () => {
    fc.assert(
      fc.property(tree, (value) => void survive(formatYaml(value))),
      settings,
    );
  });

  it('trees that are almost a plan', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(almostPlan, (value) => void seen.add(survive(formatYaml(value)))),
      settings,
    );
    expect(seen).toContain('refused');
  });

  it('a right plan with one part replaced, which is right or is refused', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(nearlyRight, (value) => void seen.add(survive(formatYaml(value)))),
      settings,
    );
    expect([...seen].sort()).toEqual(['accepted', 'refused']);
  });

  it('JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => void survive(text)),
      settings,
    );
  });

  it('arbitrary text', () => {
    const piece = fc.constantFrom(
      'a',
      ': ',
      '- ',
      '\n',
      '  ',
      '{',
      '}',
      '[',
      ']',
      '&a ',
      '*a',
      '"',
      "'",
      '#',
      '|',
      '>',
      '!',
      '%',
      '?',
      ',',
      '\t',
      '---\n',
      '\\',
    );
    const text = fc.array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 3 })), { maxLength: 60 });
    fc.assert(
      fc.property(text, (pieces) => void survive(pieces.join(''))),
      settings,
    );
  });

  it('flags', () => {
    const flags = fc.dictionary(
      fc.constantFrom(...PLAN_FLAGS.map((flag) => flag.name)),
      fc.array(scalar, { minLength: 1, maxLength: 2 }),
    );
    const file = fc.oneof(
      fc.constant(null),
      almostPlan.map((value) => formatYaml(value)),
    );
    fc.assert(
      fc.property(file, flags, (text, values) => void survive(text, values)),
      settings,
    );
  });
});
