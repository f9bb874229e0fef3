import { describe, expect, it } from 'vitest';
import { planOfText } from '../../../support/plan-of-text.ts';

/** The plan of these lines for a target on loopback. */
function planOf(load: string, more = '') {
  return planOfText(`target: {url: "http://127.0.0.1:9"}\nload: [${load}]\n${more}`).plan;
}

const STEADY = '{arrivals: poisson, rate: 10, duration: 1s}';

describe('defaults that follow from other sections', () => {
  it('connections from maxInFlight, drain from timeout, the name from what is run', () => {
    const { limits, name } = planOf(STEADY, 'limits: {maxInFlight: 7, timeout: 3s}');
    expect([limits.connections, limits.drainNs, name]).toEqual([7, 3e9, 'plan']);
    const given = planOf(STEADY, 'limits: {maxInFlight: 7, timeout: 3s, connections: 2, drain: 1s}\nname: mine');
    expect([given.limits.connections, given.limits.drainNs, given.name]).toEqual([2, 1e9, 'mine']);
  });

  it('no queue for the whole plan from a phase that comes all at once: it is that phase that may wait', () => {
    const mixed = `{arrivals: all-at-once, count: 50}, ${STEADY}`;
    expect(planOf(mixed).limits.maxQueue).toBeNull();
    expect(planOf(mixed, 'limits: {maxQueue: 5}').limits.maxQueue).toBe(5);
  });
});
