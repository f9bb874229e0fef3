import { describe, expect, it } from 'vitest';
import { allLanes } from '../../../../shared/schedule/deal.ts';
import { indexedInstantsOf, openPhaseStream, phaseAt } from '../../../../shared/schedule/phase-stream.ts';
import { basisOf, drain, instantsOf, knotsOf, phasesOf, poisson } from '../../../support/schedule-of.ts';

const everything = { lanes: allLanes(16), fromNs: 0 };

describe('openPhaseStream', () => {
  it('draws each phase and each trial from counters of its own (R008)', () => {
    const law = poisson([0, 100], [10, 100]);
    const basis = basisOf(phasesOf([law, 10], [law, 10]));
    const first = drain(openPhaseStream(basis, 0, everything));
    const second = drain(openPhaseStream(basis, 1, everything));
    const nextTrial = drain(openPhaseStream({ ...basis, trial: 1 }, 0, everything));
    const relative = second.map((arrival) => arrival.intendedNs - 10e9);
    expect(relative).not.toEqual(instantsOf(first));
    expect(instantsOf(nextTrial)).not.toEqual(instantsOf(first));
    // Trial * 256 + phase: trial 1 of phase 0 is not phase 1 of trial 0 either.
    expect(instantsOf(nextTrial)).not.toEqual(relative);
  });

  it('opens any law', () => {
    const { law } = { law: { kind: 'gamma', ratePerSecond: 10, burstiness: 1 } as const };
    const basis = basisOf(
      phasesOf(
        [poisson([0, 10], [10, 10]), 10],
        [{ kind: 'poisson-count', knots: knotsOf([0, 1], [10, 1]), count: 77 }, 10],
        [{ kind: 'even', knots: knotsOf([0, 10], [10, 10]) }, 10],
        [{ kind: 'all-at-once', count: 5 }, 10],
        [law, 10],
      ),
    );
    const counts = basis.phases.map((_, phase) => drain(openPhaseStream(basis, phase, everything)).length);
    expect(counts.slice(1, 4)).toEqual([77, 100, 5]);
    expect(counts[0]).toBeGreaterThan(50);
    expect(counts[4]).toBeGreaterThan(50);
  });

  it('refuses a phase that is not there', () => {
    expect(() => phaseAt(basisOf([]), 0)).toThrow('phase 0 of a plan with 0 phases');
  });
});

describe('indexedInstantsOf', () => {
  it('gives count and instants of a law with random access', () => {
    const even = indexedInstantsOf({ kind: 'even', knots: knotsOf([0, 10], [10, 10]) }, 10e9, new Map());
    expect(even.count).toBe(100);
    expect(even.nsOf(99)).toBe(9.95e9);
  });
});
