/** P3: the union of all workers' arrivals is one list, whatever the number of workers. */
import { describe, expect, it } from 'vitest';
import { digestArrivals, digestInstants } from '../../../shared/schedule/schedule-digest.ts';
import { basisOf, instantsOf, phasesOf, poisson, sha256, unionOf } from '../../support/schedule-of.ts';

const phases = phasesOf([poisson([0, 100], [20, 700]), 20], [poisson([0, 900], [5, 900]), 5]);

describe.each([16, 64, 256, 4096])('P3 with %d lanes', (laneCount) => {
  const basis = basisOf(phases, { laneCount });
  const whole = unionOf(basis, 1);

  it.each([2, 3, 4, 7, 100])('%d workers send the same list as one', (workerSlots) => {
    const union = unionOf(basis, workerSlots);
    expect(digestArrivals(union, sha256)).toBe(digestArrivals(whole, sha256));
    expect(digestInstants(instantsOf(union), sha256)).toBe(digestInstants(instantsOf(whole), sha256));
    expect(whole.length).toBeGreaterThan(11_000);
  });
});
