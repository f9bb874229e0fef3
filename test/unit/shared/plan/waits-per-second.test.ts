import { describe, expect, it } from 'vitest';
import type { LlmRequest } from '../../../../shared/plan/plan.ts';
import { waitsPerSecond } from '../../../../shared/plan/waits-per-second.ts';
import { planOfText, smallPlan } from '../../../support/plan-of-text.ts';

const waitsOf = (load: string): number => waitsPerSecond(planOfText(smallPlan('', load)).plan);

describe('how many instants a plan makes workers wait for', () => {
  it.each([
    ['{rate: 100, duration: 10s}', 100],
    ['{rate: 5, duration: 1s}, {rate: 7, duration: 1s}', 7],
    ['{arrivals: all-at-once, count: 9}', 0],
    // Without thinking a request follows the end of another.
    ['{arrivals: "closed:8", duration: 10s}', 0],
    ['{arrivals: {closed: {concurrency: 8, think: 2s}}, duration: 10s}', 4],
  ])('%s', (load, waits) => {
    expect(waitsOf(load)).toBeCloseTo(waits, 9);
  });

  it.each([
    [null, 1],
    [{ tokensMember: null }, Infinity],
  ])('with the sessions %o: %d', (session, waits) => {
    const { plan } = planOfText(smallPlan('', '{rate: 1, duration: 1s}'));
    const llm: LlmRequest = {
      api: 'chat',
      model: 'm',
      stream: true,
      strictEnd: true,
      exactTokens: null,
      tokenizer: null,
      session,
    };
    expect(waitsPerSecond({ ...plan, requests: plan.requests.map((request) => ({ ...request, llm })) })).toBe(waits);
  });
});
