import { describe, expect, it } from 'vitest';
import { planErrorOf, planOfText, smallPlan } from '../../../support/plan-of-text.ts';

describe('output.perRequest', () => {
  it.each([
    ['true', 100_000],
    ['false', null],
    ['{limit: 7}', 7],
    ['{}', 100_000],
  ])('%s allows %s lines', (text, limit) => {
    expect(planOfText(smallPlan(`output: {perRequest: ${text}}`)).plan.output.perRequestLimit).toBe(limit);
  });

  it('is off without it', () => {
    expect(planOfText(smallPlan('')).plan.output.perRequestLimit).toBeNull();
  });

  it.each([
    ['5', /output\.perRequest: .*neither true nor false/],
    ['{limit: 0}', /output\.perRequest\.limit: .*outside 1\.\.10000000/],
    ['{limits: 5}', /limits.*did you mean/],
  ])('%s is refused', (text, reason) => {
    expect(planErrorOf(smallPlan(`output: {perRequest: ${text}}`))).toMatch(reason);
  });
});
