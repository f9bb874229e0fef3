import { describe, expect, it } from 'vitest';
import { planOfText, smallPlan } from '../../../support/plan-of-text.ts';

describe('the effective plan', () => {
  it.each([
    ['a small plan', smallPlan()],
    [
      'odd texts',
      smallPlan(
        'workload: [{headers: {X-A: "on", X-B: "010", X-C: "null", X-D: "~", X-E: "1_0", X-F: "", X-G: "a: b # c"}}]',
      ),
    ],
    ['dollar signs', smallPlan('workload: [{headers: {X-A: "$$", X-B: "$$$${A}", X-C: "$x", X-D: "a$$$$b"}}]')],
    ['bodies', smallPlan('workload: [{body: "line\\n  two\\n\\ttab \\u00e9 \\ud83d\\ude00\\n"}, {name: b, body: ""}]')],
    ['a name like a variable', smallPlan('name: "$${A}"')],
    [
      'numbers and words of a body',
      smallPlan(
        'workload: [{llm: {api: chat, extraBody: {a: "1", b: 1, c: "true", d: True, e: 1.0, f: 12345678901234567890, g: "0.5", h: ["2", 2], i: "null", j: ~, k: 1e3}}}]',
      ),
    ],
    ['seeds above 2^53', smallPlan('seed: 18446744073709551615')],
    [
      'every section',
      smallPlan(
        'name: x\nlimits: {idleTimeout: 1s, late: "drop-after:2s"}\nfleet: {startLead: 1s, workers: 3}\nslo: {response: 1s}\nthresholds: ["count(ok)>1"]\nfailOn: never\noutput: {dir: d}',
      ),
    ],
    [
      'shapes',
      smallPlan(
        '',
        '{rate: {sine: {mean: 1, amplitude: 0.5, period: 1m}}, duration: 90s}, {arrivals: "gamma:0.3", rate: 6000/min, duration: 1s}',
      ),
    ],
  ])('reads back to the same plan: %s', (_what, text) => {
    const { plan, effectiveYaml } = planOfText(text);
    expect(planOfText(effectiveYaml).plan).toEqual(plan);
  });

  it('holds what flags and environment changed, and every default', () => {
    const { effectiveYaml } = planOfText(smallPlan(), {
      flags: { rate: ['7'], 'max-in-flight': ['9'] },
      environment: { LOADFLEET_AGENTS: '4' },
    });
    expect(effectiveYaml).toMatch(/rate: 7\n/);
    expect(effectiveYaml).toMatch(/maxInFlight: 9\n/);
    expect(effectiveYaml).toMatch(/connections: 9\n/);
    expect(effectiveYaml).toMatch(/agents: 4\n/);
    expect(effectiveYaml).toMatch(/timeout: 30s\n/);
    expect(effectiveYaml).toMatch(/seed: 7\n/);
  });
});
