/** The files of a fixed synthetic run, kept as they are meant to be read. `vitest run -u test/golden` writes them anew. */
import { describe, expect, it } from 'vitest';
import { requestSchema } from '../../../coordinator/report/request-schema.ts';
import { resultSchema } from '../../../coordinator/report/result-schema.ts';
import { createPlan, createRequestTemplate } from '../../support/plan-fixture.ts';
import { resultOf } from '../../support/result-of.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { type Fate, steadyFate, syntheticRun } from '../../support/synthetic-run.ts';

const url = 'http://127.0.0.1:9';

function knots(seconds: number, ratePerSecond: number) {
  return [
    { tSeconds: 0, ratePerSecond },
    { tSeconds: seconds, ratePerSecond },
  ];
}

const plan = createPlan({
  overrides: {
    name: 'golden',
    seed: 0x0123456789abcdefn,
    phases: [
      { name: 'warm', warmup: true, startNs: 0, durationNs: 1e9, arrivals: { kind: 'poisson', knots: knots(1, 50) } },
      {
        name: 'load',
        warmup: false,
        startNs: 1e9,
        durationNs: 3e9,
        arrivals: { kind: 'poisson', knots: knots(3, 400) },
      },
    ],
    requests: [
      createRequestTemplate({ name: 'read', url: `${url}/read`, weight: 3 }),
      createRequestTemplate({ name: '=write', url: `${url}/write` }),
    ],
    slo: [{ metric: 'response', maxNs: 20_000_000 }],
    thresholds: [
      {
        text: 'p99(response)<50ms',
        statistic: { kind: 'percentile', percentile: 99, metric: 'response' },
        comparison: '<',
        bound: 50_000_000,
      },
      {
        text: 'share(failure)<1%',
        statistic: { kind: 'share', book: 'failure' },
        comparison: '<',
        bound: 0.01,
      },
    ],
  },
});

function fate(arrival: Parameters<typeof steadyFate>[0], random: SeededRandom): Fate {
  const draw = random.below(100);
  const wakeLagNs = 10_000 + random.below(90_000);
  if (draw < 2) return { kind: 'failed', class: 'http-status', detail: '503', wakeLagNs, serviceNs: 700_000 };
  if (draw < 3) return { kind: 'failed', class: 'reset', detail: 'read ECONNRESET', wakeLagNs, serviceNs: 400_000 };
  if (draw < 4) return { kind: 'unfinished', wakeLagNs };
  return steadyFate(arrival, random);
}

const run = syntheticRun({ plan, agents: 2, fate, template: ({ rank }) => (rank % 4 === 0 ? 1 : 0) });

describe('the files of a run', () => {
  const { files } = resultOf(run, { record: { warnings: ['an example of a warning'] } });

  it.each(['result.json', 'summary.txt', 'windows.csv'])('%s is as it was', async (name) => {
    await expect(files.get(name)).toMatchFileSnapshot(`files/${name}`);
  });

  it('holds all files of a result', () => {
    expect([...files.keys()].sort()).toEqual([
      'lag.hlog',
      'plan.effective.yaml',
      'response.hlog',
      'result.json',
      'service.hlog',
      'summary.txt',
      'wait.hlog',
      'wakeLag.hlog',
      'windows.csv',
    ]);
  });
});

describe('docs/result.schema.json', () => {
  it('is the schema that the outputs are checked against', async () => {
    await expect(`${JSON.stringify(resultSchema, null, 2)}\n`).toMatchFileSnapshot('../../../docs/result.schema.json');
  });
});

describe('docs/requests.schema.json', () => {
  it('is the schema of a line of requests.jsonl', async () => {
    await expect(`${JSON.stringify(requestSchema, null, 2)}\n`).toMatchFileSnapshot(
      '../../../docs/requests.schema.json',
    );
  });
});
