import { describe, expect, it } from 'vitest';
import type { Phase } from '../../../../shared/plan/plan.ts';
import { decodeInstants } from '../../../../shared/schedule/trace.ts';
import { planErrorOf, planOfText, smallPlan } from '../../../support/plan-of-text.ts';

const phaseOf = (load: string, files: Record<string, string> = {}): Phase => {
  const [phase] = planOfText(smallPlan('', load), { files }).plan.phases;
  if (phase === undefined) throw new Error('no phase');
  return phase;
};
const loadErrorOf = (load: string, files: Record<string, string> = {}): string =>
  planErrorOf(smallPlan('', load), { files });

describe('phases', () => {
  it.each([
    ['{rate: 100, duration: 10s}', 'poisson', 10e9],
    ['{rate: 100, count: 1000}', 'poisson-count', 10e9],
    ['{duration: 10s, count: 1000}', 'poisson-count', 10e9],
    ['{arrivals: even, rate: 100, duration: 10s}', 'even', 10e9],
    ['{arrivals: even, rate: 3, count: 10}', 'even', 3_333_333_334],
    ['{arrivals: even, duration: 10s, count: 30}', 'even', 10e9],
    ['{arrivals: "gamma:0.25", rate: 100, duration: 10s}', 'gamma', 10e9],
    ['{arrivals: all-at-once, count: 5}', 'all-at-once', 0],
    ['{rate: {ramp: {from: 0, to: 10}}, duration: 10s}', 'poisson', 10e9],
    ['{rate: {ramp: {from: 0, to: 10}}, duration: 10s, count: 7}', 'poisson-count', 10e9],
    ['{rate: {steps: [{rate: 1, duration: 4s}, {rate: 60/min, duration: 6s}]}}', 'poisson', 10e9],
    ['{rate: {spike: {base: 1, peak: 10, at: 4s, width: 1s}}, duration: 10s}', 'poisson', 10e9],
    ['{rate: {spike: {base: 1, peak: 10, at: 100ms, width: 200ms}}, duration: 300ms}', 'poisson', 0.3e9],
    ['{rate: {sine: {mean: 10, amplitude: 1, period: 5s}}, duration: 10s}', 'poisson', 10e9],
    ['{rate: {points: [{at: 0s, rate: 1}, {at: 10s, rate: 2}]}, duration: 10s}', 'poisson', 10e9],
    ['{rate: 0, duration: 10s}', 'poisson', 10e9],
    ['{rate: 0.1, duration: 10s}', 'poisson', 10e9],
    ['{rate: 1, duration: 30d}', 'poisson', 30 * 86_400e9],
  ])('%s', (load, kind, durationNs) => {
    expect(phaseOf(load)).toMatchObject({ durationNs, arrivals: { kind } });
  });

  it('R013 durations around and beyond 2^31 ms and 2^32 ms are kept to the ns', () => {
    for (const ms of [2 ** 31 - 2, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 5000]) {
      expect(phaseOf(`{rate: 1, duration: ${ms}ms}`).durationNs).toBe(ms * 1e6);
      const { plan } = planOfText(smallPlan(`limits: {timeout: ${ms}ms}`));
      expect(plan.limits.timeoutNs).toBe(ms * 1e6);
    }
  });

  it('R013 what is longer than the exact range is refused with the limit', () => {
    expect(loadErrorOf('{rate: 1, duration: 105d}')).toMatch(/limit of 104d/);
    expect(loadErrorOf('{rate: 1, duration: 60d}, {rate: 1, duration: 60d}')).toMatch(
      /all phases together are longer than 104d/,
    );
    expect(loadErrorOf('{rate: "1/h", count: 10000}')).toMatch(/take longer than 104d/);
  });

  it('start one after the other', () => {
    const { phases } = planOfText(
      smallPlan('', '{warmup: true, rate: 1, duration: 5s}, {rate: 1, duration: 7s}, {rate: 2, duration: 1s}'),
    ).plan;
    expect(phases.map(({ name, startNs, warmup }) => [name, startNs, warmup])).toEqual([
      ['warmup', 0, true],
      ['load-2', 5e9, false],
      ['load-3', 12e9, false],
    ]);
  });

  it.each([
    ['{rate: 100}', /load\[0\]: needs a duration or a count/],
    ['{duration: 10s}', /needs two of rate, duration and count/],
    ['{}', /needs two of/],
    ['{rate: 1, duration: 1s, count: 1}', /load\[0\]\.count: rate, duration and count are all given/],
    ['{rate: 0, count: 1}', /a rate of 0 never comes to a count/],
    ['{rate: {ramp: {from: 0, to: 0}}, duration: 1s, count: 1}', /a rate of 0 cannot place 1 arrivals/],
    ['{rate: {ramp: {from: 0, to: 1}}}', /a ramp needs a duration/],
    ['{rate: {rmp: {from: 0, to: 1}}, duration: 1s}', /unknown key "rmp", did you mean "ramp"/],
    ['{rate: {ramp: {from: 0, to: 1}, sine: {}}, duration: 1s}', /expected a mapping with one of the keys ramp/],
    [
      '{rate: {ramp: {form: 0, to: 1}}, duration: 1s}',
      /load\[0\]\.rate\.ramp\.from: is missing[^]*load\[0\]\.rate\.ramp\.form: unknown key "form", did you mean "from"/,
    ],
    ['{rate: {steps: [{rate: 1, duration: 1s}]}, duration: 2s}', /steps span 1s, but the duration is 2s/],
    ['{rate: {steps: []}}', /has 0 items, allowed are 1\.\./],
    ['{rate: {points: [{at: 1s, rate: 1}, {at: 2s, rate: 1}]}}', /the first is at 0/],
    ['{rate: {points: [{at: 0s, rate: 1}, {at: 0s, rate: 2}]}}', /would have no length/],
    ['{rate: {points: [{at: 0s, rate: 1}, {at: 2s, rate: 2}, {at: 1s, rate: 2}]}}', /out of order/],
    ['{rate: {spike: {base: 1, peak: 2, at: 9s, width: 2s}}, duration: 10s}', /is not inside a phase of 10 s/],
    [
      '{rate: {sine: {mean: 1, amplitude: 2, period: 1s}}, duration: 10s}',
      /amplitude: "2" is not a number >= 0 and <= 1/,
    ],
    ['{arrivals: even, rate: {ramp: {from: 1, to: 2}}, duration: 1s, count: 3}', /leave count out/],
    ['{arrivals: all-at-once}', /needs a count/],
    ['{arrivals: all-at-once, count: 1, rate: 5}', /load\[0\]\.rate: rate is not used with all-at-once/],
    ['{arrivals: "gamma:0", rate: 1, duration: 1s}', /burstiness must be a number in 0\.001/],
    ['{arrivals: "gamma:", rate: 1, duration: 1s}', /burstiness must be/],
    ['{arrivals: gamma, rate: 1, duration: 1s}', /not an arrival law/],
    ['{arrivals: "gamma:2", rate: 60000, duration: 1s}', /up to 50000\/s/],
    ['{arrivals: "gamma:2", rate: {ramp: {from: 1, to: 2}}, duration: 1s}', /need a constant rate/],
    ['{arrivals: poison, rate: 1, duration: 1s}', /did you mean "poisson"/],
    ['{rate: -1, duration: 1s}', /outside 0\.\.1000000000 per second/],
    ['{rate: 1, duration: 0s}', /outside 1ns/],
    ['{rate: 1, duration: 10}', /duration "10" has no unit; write for example 30s/],
    ['{rate: 1, duration: "10 s"}', /contains a space/],
    ['{rate: 1, duration: 1s, count: 1.5}', /not a whole number/],
    ['{rate: 1, duration: 1s, warmup: yes}', /"yes" is neither true nor false/],
    ['{name: a, rate: 1, duration: 1s}, {name: a, rate: 1, duration: 1s}', /another phase is named "a" too/],
    ['{rate: ~, duration: 1s}', /load\[0\]\.rate: is ~; expected/],
    ['{rate: , duration: 1s}', /load\[0\]\.rate: has no value; expected/],
    ['[1]', /is a single value|is a list/],
  ])('%s is refused', (load, message) => {
    expect(loadErrorOf(load)).toMatch(message);
  });

  it('R086 no timeout or other time takes a bare number or a wrong unit', () => {
    for (const value of ['5000', '2', '1e3ms', '5M', '-1s', '1h1h', '1m30', '""']) {
      expect(planErrorOf(smallPlan(`limits: {timeout: ${value}, drain: ${value}, phaseGrace: ${value}}`))).toMatch(
        /3 problems/,
      );
    }
  });
});

describe('traces', () => {
  const csv = 'T,x\n2023-11-16 18:17:03.9799600,1\n2023-11-16 18:17:04.0319600,2\n2023-11-16 18:17:05.9799600,3\n';

  it('become instants from the first row, scaled, with the length of the trace', () => {
    const text = smallPlan('', '{arrivals: {trace: {file: t.csv, column: T, unit: date-time, speed: 2}}}');
    const { plan, blobs } = planOfText(text, { files: { 't.csv': csv } });
    const [phase] = plan.phases;
    if (phase?.arrivals.kind !== 'trace') throw new Error('no trace');
    expect(phase.durationNs).toBe(1e9 + 1);
    const bytes = blobs.get(phase.arrivals.instants.sha256);
    expect([...decodeInstants(bytes ?? new Uint8Array(), 3)]).toEqual([0, 26e6, 1e9]);
  });

  it('are cut to a given duration', () => {
    const phase = phaseOf('{arrivals: {trace: {file: t.csv, column: T, unit: date-time}}, duration: 1s}', {
      't.csv': csv,
    });
    expect(phase).toMatchObject({ durationNs: 1e9, arrivals: { count: 2 } });
  });

  it.each([
    ['1s', 'phase "load": its duration 1s takes 2 of 3 recorded arrivals over 2.00 s'],
    [
      '10s',
      'phase "load": its duration 10s goes on behind the last of 3 recorded arrivals over 2.00 s: nothing is sent after it',
    ],
  ])('R005 say what a duration of %s leaves out of them, or leaves empty', (duration, warning) => {
    const load = (given: string): string =>
      smallPlan('', `{arrivals: {trace: {file: t.csv, column: T, unit: date-time}}${given}}`);
    const files = { 't.csv': csv };
    expect(planOfText(load(`, duration: ${duration}`), { files }).warnings).toContain(warning);
    for (const given of ['', ', duration: 2.1s'])
      expect(planOfText(load(given), { files }).warnings.join()).not.toContain('recorded arrivals');
  });

  it.each(['a', 'a\nb'])('R005 say nothing of a duration that nobody gave, of rows of one instant', (rows) => {
    const at = '2023-11-16 18:15:46';
    const files = { 't.csv': `T\n${rows.replace(/[ab]/g, at)}\n` };
    const { plan, warnings } = planOfText(
      smallPlan('', '{arrivals: {trace: {file: t.csv, column: T, unit: date-time}}}'),
      { files },
    );
    expect(plan.phases).toMatchObject([{ durationNs: 1, arrivals: { kind: 'trace', count: rows.split('\n').length } }]);
    expect(warnings.join()).not.toContain('duration');
  });

  it('read JSON lines by their name', () => {
    const phase = phaseOf('{arrivals: {trace: {file: t.jsonl, column: at, unit: ms, origin: keep}}}', {
      't.jsonl': '{"at": 5}\n{"at": 7.5}\n',
    });
    expect(phase).toMatchObject({ durationNs: 7_500_001, arrivals: { kind: 'trace', count: 2 } });
  });

  it.each([
    ['{file: no.csv, column: T, unit: s}', /no\.csv cannot be read: no such file/],
    ['{file: t.csv, column: t, unit: date-time}', /has no column "t", did you mean "T"/],
    ['{file: t.csv, column: T, unit: s}', /line 2: .* is not a number of s/],
    ['{file: t.csv, column: T, unit: seconds}', /unit: "seconds" is not known/],
    ['{file: t.csv, column: T}', /unit: is missing/],
    ['{file: t.csv, column: T, unit: date-time, speed: 0}', /not a number > 0/],
  ])('%s is refused', (trace, message) => {
    expect(loadErrorOf(`{arrivals: {trace: ${trace}}}`, { 't.csv': csv })).toMatch(message);
  });

  it('rate points come from a file with line numbers in errors', () => {
    const load = '{rate: {file: {file: r.csv, time: t, unit: s, rate: r}}}';
    expect(phaseOf(load, { 'r.csv': 't,r\n0,5\n10,600/min\n' }).arrivals).toMatchObject({
      knots: [{ ratePerSecond: 5 }, { ratePerSecond: 10 }],
    });
    expect(loadErrorOf(load, { 'r.csv': 't,r\n0,5\n10,x\n' })).toMatch(/r\.csv: line 3: "x" is not a rate/);
    expect(loadErrorOf(load, { 'r.csv': 't,rr\n0,5\n10,5\n' })).toMatch(/has no column "r"/);
    // Points at one time are a jump, so their order says something: there is no key that would sort them.
    const unsorted = loadErrorOf(load, { 'r.csv': 't,r\n0,5\n10,5\n9,5\n' });
    expect(unsorted).toMatch(/r\.csv: line 4: "9" is earlier than the row before; sort the rows$/m);
  });
});
