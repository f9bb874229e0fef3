import { describe, expect, it } from 'vitest';
import { planErrorOf, planOfText, smallPlan } from '../../../support/plan-of-text.ts';

describe('R098 goodput', () => {
  it.each(['rate(goodput)>=90', 'share(goodput)>90%'])('R098 %s without an slo is an error', (threshold) => {
    expect(planErrorOf(smallPlan(`thresholds: ["${threshold}"]`))).toMatch(
      /thresholds: .* needs an slo: goodput is what meets it/,
    );
    expect(planOfText(smallPlan(`thresholds: ["${threshold}"]\nslo: {response: 1s}`)).plan.thresholds).toHaveLength(1);
  });
});

describe('R098 a bound on a metric that no request of the plan has', () => {
  const llm = '{llm: {api: chat, model: m, prompt: hello}}';
  const bounds =
    'slo: {response: 1s, ttft: 500ms}\nthresholds: ["p99(itl)<50ms", "p99(response)<1s", "share(failed)<1%"]\n';

  it('R098 is an error that names it, before anything is sent', () => {
    const text = planErrorOf(smallPlan(bounds));
    expect(text).toMatch(/slo\.ttft: only LLM requests have it, and no request of the plan is one/);
    expect(text).toMatch(/thresholds: p99\(itl\)<50ms: itl: only LLM requests have it/);
    expect(text).not.toMatch(/slo\.response|p99\(response\)|share\(failed\)/);
  });

  it('is a bound like any other where requests have it, and a word of warning where some have not', () => {
    expect(planOfText(smallPlan(`${bounds}workload: [${llm}]`)).warnings.join()).not.toContain('slo.ttft');
    const mixed = planOfText(smallPlan(`${bounds}workload: [${llm}, {name: page, url: /page}]`));
    expect(mixed.plan.slo).toHaveLength(2);
    expect(mixed.warnings).toContain('slo.ttft: requests without llm never meet it, so they count as missed: "page"');
  });
});
