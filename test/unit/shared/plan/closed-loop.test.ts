import { describe, expect, it } from 'vitest';
import { explainPlan } from '../../../../shared/plan/explain-plan.ts';
import { formatExplanation } from '../../../../shared/plan/format-explanation.ts';
import { modeOf } from '../../../../shared/plan/load-mode.ts';
import { planFromJson, planToJson } from '../../../../shared/plan/plan-json.ts';
import type { Phase } from '../../../../shared/plan/plan.ts';
import { releaseEndNs } from '../../../../shared/plan/release-end.ts';
import { parseYaml } from '../../../../shared/plan/yaml-document.ts';
import { planErrorOf, planOfText } from '../../../support/plan-of-text.ts';

const TARGET = 'target: { url: "http://127.0.0.1:1" }\n';

function phasesOf(load: string, more = ''): readonly Phase[] {
  return planOfText(`${TARGET}load: ${load}\n${more}`).plan.phases;
}

function errorOf(load: string, more = ''): string {
  return planErrorOf(`${TARGET}load: ${load}\n${more}`);
}

describe('a closed loop in a plan', () => {
  it('is a word with its slots, or a mapping with a think time', () => {
    expect(phasesOf('[{ arrivals: closed:8, duration: 2s }]')[0]).toMatchObject({
      durationNs: 2e9,
      arrivals: { kind: 'closed', concurrency: 8, thinkNs: 0, count: null },
    });
    const [phase] = phasesOf('[{ arrivals: { closed: { concurrency: 2, think: 50ms } }, duration: 1s, count: 30 }]');
    expect(phase?.arrivals).toEqual({ kind: 'closed', concurrency: 2, thinkNs: 50e6, count: 30 });
  });

  it('survives the wire', () => {
    const { plan } = planOfText(`${TARGET}load: [{ arrivals: closed:3, count: 7 }]`);
    expect(planFromJson(planToJson(plan))).toEqual(plan);
  });

  it('reads back from the effective plan', () => {
    const { plan, effectiveYaml } = planOfText(
      `${TARGET}load: [{ mode: closed-loop, arrivals: { closed: { concurrency: 3, think: 1ms } }, duration: 1s }]`,
    );
    expect(() => parseYaml(new TextEncoder().encode(effectiveYaml), 'plan.effective.yaml')).not.toThrow();
    expect(planOfText(effectiveYaml).plan).toEqual(plan);
  });

  it.each([
    ['[{ arrivals: closed:0, duration: 1s }]', /number of slots must be a whole number in 1\.\./],
    ['[{ arrivals: closed:1.5, duration: 1s }]', /number of slots/],
    ['[{ arrivals: closed, duration: 1s }]', /not an arrival law.*closed:C/],
    ['[{ arrivals: closed:2, duration: 1s, rate: 5 }]', /rate is not used with a closed loop/],
    ['[{ arrivals: closed:2 }]', /needs a duration, a count or both/],
    ['[{ arrivals: { closed: { think: 1s } }, duration: 1s }]', /concurrency: is missing/],
    ['[{ arrivals: closed:5000, duration: 1s }]', /5000 slots are more than 4096 lanes; lanes: 8192 would do/],
    ['[{ arrivals: closed:2, count: 5 }, { rate: 1, duration: 1s }]', /must be the last phase/],
    ['[{ mode: server, arrivals: closed:2, duration: 1s }]', /mode server does not go with .* closed-loop/],
    ['[{ mode: single-stream, arrivals: closed:2, duration: 1s }]', /mode single-stream does not go with/],
    ['[{ mode: offline, rate: 5, duration: 1s }]', /rate is not used with all-at-once/],
    ['[{ mode: closed-loop, duration: 1s }]', /needs its slots, e\.g\. arrivals: closed:8/],
    ['[{ mode: batch, duration: 1s }]', /"batch" is not known/],
  ])('%s is refused', (load, message) => {
    expect(errorOf(load)).toMatch(message);
  });

  it('follows from the mode where arrivals are left out', () => {
    expect(phasesOf('[{ mode: single-stream, duration: 1s }]')[0]?.arrivals).toMatchObject({
      kind: 'closed',
      concurrency: 1,
    });
    expect(phasesOf('[{ mode: offline, count: 9 }]')[0]?.arrivals).toEqual({ kind: 'all-at-once', count: 9 });
    expect(phasesOf('[{ mode: server, rate: 9, duration: 1s }]')[0]?.arrivals.kind).toBe('poisson');
    expect(phasesOf('[{ mode: server, arrivals: even, rate: 9, duration: 1s }]')[0]?.arrivals.kind).toBe('even');
  });

  it('warms up as it loads, by a flag', () => {
    const { plan } = planOfText(null, {
      flags: { url: ['http://127.0.0.1:1/'], arrivals: ['closed:4'], duration: ['5s'], warmup: ['1s'] },
    });
    expect(plan.phases.map(({ warmup, durationNs, arrivals }) => [warmup, durationNs, modeOf(arrivals)])).toEqual([
      [true, 1e9, 'closed-loop'],
      [false, 5e9, 'closed-loop'],
    ]);
  });

  it('ends a data file that is used once by a count', () => {
    const { plan, warnings } = planOfText(
      `${TARGET}workload: [{ url: "/{{a}}" }]\ndata: { file: rows.csv, rows: once }\nload: [{ arrivals: closed:2, duration: 1s }, { rate: 5, duration: 1s }]`,
      { files: { 'rows.csv': 'a\n1\n2\n3\n' } },
    );
    expect(plan.phases.map(({ arrivals }) => arrivals)).toMatchObject([{ kind: 'closed', count: 3 }]);
    expect(warnings.join('\n')).toMatch(/sends 3 requests at most/);
  });

  it('has an end to reckon with even when only its count ends it', () => {
    const { plan } = planOfText(`${TARGET}limits: { timeout: 10s }\nload: [{ arrivals: closed:4, count: 10 }]`);
    // Three requests of the slot that has most.
    expect(releaseEndNs(plan)).toBeGreaterThanOrEqual(3 * 10e9);
    expect(releaseEndNs(plan)).toBeLessThan(1e12);
  });

  it('evalscope#1641 reckons with the request and the think time that a slot brings along from the loop before', () => {
    const { plan } = planOfText(
      `${TARGET}limits: { timeout: 10s }\nload: [{ arrivals: { closed: { concurrency: 4, think: 1h } }, duration: 1s }, { arrivals: closed:4, count: 4 }]`,
    );
    expect(releaseEndNs(plan)).toBeGreaterThanOrEqual(1e9 + 10e9 + 3600e9 + 10e9);
  });

  it('is explained with its slots, and with what it does not show', () => {
    const parsed = planOfText(
      `${TARGET}load: [{ arrivals: closed:8, duration: 2s }, { rate: 5, duration: 1s }, { mode: single-stream, count: 20 }]`,
    );
    const explained = explainPlan(parsed, { cores: 4 });
    expect(explained.phases.map(({ mode, scheduled, expected }) => [mode, scheduled, expected === null])).toEqual([
      ['closed-loop', null, true],
      ['server', explained.totalScheduled, false],
      ['single-stream', null, true],
    ]);
    const text = formatExplanation(explained);
    expect(text).toMatch(/closed-loop \(does not show queueing/);
    expect(text).toMatch(/slots +8 over the fleet, each 0s after its answer; no arrival is scheduled/);
    expect(text).toMatch(/single-stream .*\n +slots +1 .*20 requests at most/);
    expect(text).toMatch(/until its count is sent/);
  });
});
