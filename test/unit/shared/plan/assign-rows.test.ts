import { describe, expect, it } from 'vitest';
import { planErrorOf, planOfText } from '../../../support/plan-of-text.ts';
import { explainPlan } from '../../../../shared/plan/explain-plan.ts';
import type { ParsedPlan } from '../../../../shared/plan/parse-plan.ts';
import { drawPoissonCount } from '../../../../shared/schedule/count-arrivals.ts';
import { decodeInstants } from '../../../../shared/schedule/trace.ts';

const csvOf = (rows: number): string =>
  `id,name\n${Array.from({ length: rows }, (_, row) => `${row},n${row}`).join('\n')}\n`;
const planWith = (load: string, rows: string, rowCount: number): ParsedPlan =>
  planOfText(
    `seed: 42\ntarget: {url: "http://h"}\nworkload: [{url: "/{{id}}"}]\ndata: {file: u.csv, rows: ${rows}}\nload: [${load}]`,
    { files: { 'u.csv': csvOf(rowCount) } },
  );

describe('R092 phases with data rows', () => {
  it('R092 with cycle a Poisson phase gets its number by one draw from the seed, and is indexed', () => {
    const { plan } = planWith('{rate: 100, duration: 10s}', 'cycle', 7);
    const [phase] = plan.phases;
    if (phase?.arrivals.kind !== 'poisson-count') throw new Error('not indexed');
    const seed = { lo: 42, hi: 0 };
    expect(phase.arrivals.count).toBe(drawPoissonCount({ seed, laneCount: 4096 }, 0, phase.arrivals.knots, 10e9));
    // Poisson(1000), 5 sigma.
    expect(Math.abs(phase.arrivals.count - 1000)).toBeLessThan(160);
    expect(plan.data).toMatchObject({ columns: ['id', 'name'], rowCount: 7, rows: 'cycle' });
  });

  it('the numbers of two equal phases are two draws', () => {
    const { phases } = planWith('{rate: 1000, duration: 10s}, {rate: 1000, duration: 10s}', 'cycle', 7).plan;
    const counts = phases.map(({ arrivals }) => (arrivals.kind === 'poisson-count' ? arrivals.count : 0));
    expect(counts[0]).not.toBe(counts[1]);
  });

  it('cycle is the default', () => {
    const text = 'target: {url: "http://h"}\ndata: {file: u.csv}\nload: [{rate: 1, duration: 1s}]';
    expect(planOfText(text, { files: { 'u.csv': csvOf(2) } }).plan.data?.rows).toBe('cycle');
  });

  it('random stays on lanes', () => {
    expect(planWith('{rate: 100, duration: 10s}', 'random', 7).plan.phases[0]?.arrivals.kind).toBe('poisson');
  });

  it.each([
    ['poisson', '{rate: 100, duration: 10s}'],
    ['a count', '{rate: 100, count: 1000}'],
    ['even', '{arrivals: even, rate: 100, duration: 10s}'],
    ['a ramp', '{rate: {ramp: {from: 0, to: 200}}, duration: 10s}'],
    ['all-at-once', '{arrivals: all-at-once, count: 1000}'],
    ['gamma', '{arrivals: "gamma:0.5", rate: 100, duration: 10s}'],
  ])('R092 once with %s: the phase ends with the rows, at its own rate, and says so', (_law, load) => {
    const { plan, warnings } = planWith(`${load}, {rate: 1, duration: 1s}`, 'once', 100);
    const [phase] = plan.phases;
    expect(plan.phases).toHaveLength(1);
    expect(warnings.join('\n')).toMatch(
      /ends with the rows: it takes 100 of the \d+ arrivals[^]*are left out: all 100 rows/,
    );
    if (phase?.arrivals.kind === 'poisson-count' || phase?.arrivals.kind === 'all-at-once')
      expect(phase.arrivals.count).toBe(100);
    // 100 rows at about 100/s: about a second (the ramp reaches 100 arrivals after sqrt(10) s), far from the 10 s of the plan.
    expect(phase?.durationNs).toBeLessThan(4e9);
  });

  it('R092 once with bursts of one instant: a burst across the last row is cut in two, and no row is used again', () => {
    const parsed = planWith('{arrivals: "gamma:0.01", rate: 100, duration: 60s}', 'once', 1000);
    expect(parsed.warnings.join('\n')).toMatch(/it takes 1000 of the \d+ arrivals/);
    expect(explainPlan(parsed, { cores: 1 }).totalScheduled).toBe(1000);
  });

  it('once with even arrivals has as many as rows', () => {
    const parsed = planWith('{arrivals: even, rate: 100, duration: 10s}', 'once', 100);
    const [phase] = parsed.plan.phases;
    // 100 arrivals at 100/s, the last at 0.995 s.
    expect(phase?.durationNs).toBe(1e9);
    expect(explainPlan(parsed, { cores: 1 }).totalScheduled).toBe(100);
  });

  it('once with enough rows changes nothing', () => {
    const { plan, warnings } = planWith('{rate: 100, count: 50}, {rate: 100, count: 50}', 'once', 100);
    expect(plan.phases.map((phase) => phase.durationNs)).toEqual([0.5e9, 0.5e9]);
    expect(warnings).toEqual([]);
  });

  it('once over two phases: the second has what the first left', () => {
    const { plan } = planWith('{rate: 100, count: 60}, {rate: 100, count: 60}', 'once', 100);
    expect(plan.phases.map(({ arrivals }) => (arrivals.kind === 'poisson-count' ? arrivals.count : 0))).toEqual([
      60, 40,
    ]);
    expect(plan.phases[1]?.startNs).toBe(plan.phases[0]?.durationNs);
  });

  it('once cuts a trace to its first instants', () => {
    const files = { 'u.csv': csvOf(2), 't.csv': 't\n0\n1\n5\n9\n' };
    const text =
      'target: {url: "http://h"}\ndata: {file: u.csv, rows: once}\nload: [{arrivals: {trace: {file: t.csv, column: t, unit: s}}}]';
    const { plan, blobs } = planOfText(text, { files });
    const [phase] = plan.phases;
    if (phase?.arrivals.kind !== 'trace') throw new Error('no trace');
    const bytes = blobs.get(phase.arrivals.instants.sha256) ?? new Uint8Array();
    expect([...decodeInstants(bytes, 2)]).toEqual([0, 1e9]);
    expect(phase.durationNs).toBe(1e9 + 1);
  });
});

describe('R091 data files', () => {
  const errorOf = (csv: string, request = '{url: "/{{id}}"}'): string =>
    planErrorOf(
      `target: {url: "http://h"}\nworkload: [${request}]\ndata: {file: u.csv}\nload: [{rate: 1, duration: 1s}]`,
      {
        files: { 'u.csv': csv },
      },
    );

  it('R091 a byte-order mark and CRLF do not hide the first column', () => {
    const text =
      'target: {url: "http://h"}\nworkload: [{url: "/{{id}}"}]\ndata: {file: u.csv}\nload: [{rate: 1, duration: 1s}]';
    const { plan } = planOfText(text, { files: { 'u.csv': '\uFEFFid,name\r\n1,a\r\n2,b\r\n\r\n' } });
    expect(plan.data).toMatchObject({ columns: ['id', 'name'], rowCount: 2 });
  });

  it.each([
    ['id\n', '{url: "/{{id}}"}', /u\.csv: has a header but no row/],
    ['', '{url: "/{{id}}"}', /u\.csv: is empty/],
    ['id,name\n1\n', '{url: "/{{id}}"}', /u\.csv: line 2: 1 columns where the header has 2/],
    ['id,id\n1,2\n', '{url: "/{{id}}"}', /two columns "id"/],
    ['id,\n1,2\n', '{url: "/{{id}}"}', /column 2 has no name/],
    ['id, name\n1,2\n', '{url: "/{{id}}"}', /" name" has spaces around its name/],
    ['id\n1\n', '{url: "/{{ids}}"}', /workload\[0\]\.url: .*names no column of the data file, did you mean "id"/],
    ['id\n1\n', '{headers: {X-A: "{{x}}"}}', /workload\[0\]\.headers\.X-A: .*names no column/],
    ['id\n1\n', '{body: "{{id|urll}}"}', /unknown filter, did you mean "url"/],
    ['id\n1\na b\n', '{url: "/{{id}}"}', /with data row 2: the URL holds " ".*\{\{column\|url\}\} encodes/],
    ['id\n1\na#b\n', '{url: "/{{id}}"}', /with data row 2: the URL has a fragment \(#\).*\{\{column\|url\}\} encodes/],
    ['id\n1\n"a\nb"\n', '{headers: {X-A: "v{{id}}"}}', /with data row 2: the header value holds a line break/],
    ['id\n1\n', '{url: "http://{{id}}/"}', /not in the scheme, host or port/],
  ])('R091 %j with %s is an error before the run', (csv, request, message) => {
    expect(errorOf(csv, request)).toMatch(message);
  });

  it('values behind a filter may be anything', () => {
    const text =
      'target: {url: "http://h"}\nworkload: [{url: "/{{id|url}}"}]\ndata: {file: u.csv}\nload: [{rate: 1, duration: 1s}]';
    expect(planOfText(text, { files: { 'u.csv': 'id\n"a b\nc"\n' } }).plan.data?.rowCount).toBe(1);
  });

  it('a data file that no request uses is worth a word', () => {
    const text = 'target: {url: "http://h"}\ndata: {file: u.csv}\nload: [{rate: 1, duration: 1s}]';
    expect(planOfText(text, { files: { 'u.csv': csvOf(1) } }).warnings).toEqual(['no request uses a column of u.csv']);
  });
});
