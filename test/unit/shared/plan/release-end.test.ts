import { describe, expect, it } from 'vitest';
import { releaseEndNs } from '../../../../shared/plan/release-end.ts';
import { planOfText, smallPlan } from '../../../support/plan-of-text.ts';

const endOf = (load: string): number => releaseEndNs(planOfText(smallPlan('limits: {phaseGrace: 2s}', load)).plan);

describe('the end of all releases', () => {
  it('is that of the last phase and the grace', () => {
    expect(endOf('{rate: 100, duration: 10s}, {rate: 5, duration: 3s}')).toBe(15e9);
  });

  it('R014 leaves arrivals all at once the time that it takes to send them', () => {
    // 10,000 long prompts take seconds to make.
    expect(endOf('{arrivals: all-at-once, count: 10000}')).toBeGreaterThanOrEqual(10e9);
    expect(endOf('{arrivals: all-at-once, count: 1}')).toBeLessThan(70e9);
  });

  it('R059 leaves a batch the time that its turns take within the limits', () => {
    const batch = '{arrivals: all-at-once, count: 1000}';
    const of = (limits: string): number => releaseEndNs(planOfText(smallPlan(`limits: {${limits}}`, batch)).plan);
    expect(of('maxInFlight: 100, timeout: 20s')).toBeGreaterThanOrEqual(10 * 20e9);
    expect(of('connections: 10, timeout: 20s')).toBeGreaterThanOrEqual(100 * 20e9);
    expect(endOf(`${batch}, ${batch}`)).toBeGreaterThan(2 * endOf(batch) - 3e9);
  });
});
