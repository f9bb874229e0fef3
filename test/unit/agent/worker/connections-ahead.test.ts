import { describe, expect, it } from 'vitest';
import { connectionsAhead } from '../../../../agent/worker/connections-ahead.ts';
import type { ArrivalLaw } from '../../../../shared/schedule/arrival-law.ts';
import type { Plan } from '../../../../shared/plan/plan.ts';
import { createLlmRequest, createPlan } from '../../../support/plan-fixture.ts';

function planWith(arrivals: ArrivalLaw, connections: number): Plan {
  const base = createPlan();
  return { ...base, limits: { ...base.limits, connections }, phases: [{ ...base.phases[0]!, arrivals }] };
}

describe('connectionsAhead', () => {
  const poisson = (ratePerSecond: number): ArrivalLaw => ({
    kind: 'poisson',
    knots: [
      { tSeconds: 0, ratePerSecond: 0 },
      { tSeconds: 1, ratePerSecond },
    ],
  });

  it('opens for 10 ms of the worker share of the peak rate and four standard deviations more, at least one', () => {
    expect(connectionsAhead(planWith(poisson(1800), 1000), 0.5)).toBe(9 + 4 * 3);
    expect(connectionsAhead(planWith(poisson(0.1), 1000), 1)).toBe(1);
  });

  it('opens for a second of an LLM plan, at most 256', () => {
    const llmPlan = (rate: number): Plan => {
      const plan = planWith(poisson(rate), 1000);
      return { ...plan, requests: [{ ...plan.requests[0]!, llm: createLlmRequest() }] };
    };
    expect(connectionsAhead(llmPlan(144), 1)).toBe(144 + 4 * 12);
    expect(connectionsAhead(llmPlan(128), 0.5)).toBe(64 + 4 * 8);
    expect(connectionsAhead(llmPlan(1e4), 1)).toBe(256);
  });

  it('opens one only where connections would be too old before they are needed', () => {
    const plan = planWith(poisson(1800), 1000);
    expect(connectionsAhead({ ...plan, limits: { ...plan.limits, connectionAgeNs: 1e6 } }, 1)).toBe(1);
    expect(connectionsAhead({ ...plan, limits: { ...plan.limits, connectionAgeNs: 60e9 } }, 0.5)).toBe(21);
  });

  it('opens one for each slot of a closed loop', () => {
    const closed: ArrivalLaw = { kind: 'closed', concurrency: 30, thinkNs: 0, count: null };
    expect(connectionsAhead(planWith(closed, 1000), 1)).toBe(30);
    expect(connectionsAhead(planWith(closed, 1000), 0.5)).toBe(15);
  });

  it('never opens more than the plan allows, nor more than 64', () => {
    expect(connectionsAhead(planWith(poisson(1e6), 3), 1)).toBe(3);
    expect(connectionsAhead(planWith({ kind: 'all-at-once', count: 10 }, 1000), 1)).toBe(64);
  });
});
