import { describe, expect, it } from 'vitest';
import { peakRatePerSecond } from '../../../../shared/plan/peak-rate.ts';
import type { Phase } from '../../../../shared/plan/plan.ts';
import { scaleLoad } from '../../../../shared/plan/scale-load.ts';
import type { ArrivalLaw } from '../../../../shared/schedule/arrival-law.ts';
import { fleetErrorOf } from '../../../support/fleet-error-of.ts';
import { createPlan } from '../../../support/plan-fixture.ts';

const knots = [
  { tSeconds: 0, ratePerSecond: 10 },
  { tSeconds: 10, ratePerSecond: 200 },
];
const trace: ArrivalLaw = { kind: 'trace', instants: { name: 't', sha256: 'a', sizeBytes: 400 }, count: 50 };

function planWith(...laws: readonly ArrivalLaw[]) {
  const phases = laws.map((arrivals, index): Phase => {
    return { name: `p${index}`, warmup: false, startNs: index * 10e9, durationNs: 10e9, arrivals };
  });
  return createPlan({ overrides: { phases } });
}

describe('peak rate', () => {
  it.each([
    [{ kind: 'poisson', knots }, 200],
    [{ kind: 'even', knots }, 200],
    [{ kind: 'poisson-count', knots, count: 2100 }, 400],
    [{ kind: 'gamma', ratePerSecond: 30, burstiness: 2 }, 30],
    [trace, 5],
    [{ kind: 'all-at-once', count: 1000 }, 0],
  ] as const)('of %j is %d', (law, rate) => {
    expect(peakRatePerSecond(planWith(law))).toBe(rate);
  });

  it('is that of the highest phase', () => {
    expect(
      peakRatePerSecond(planWith({ kind: 'poisson', knots }, { kind: 'gamma', ratePerSecond: 900, burstiness: 1 })),
    ).toBe(900);
  });
});

describe('scaled load', () => {
  it('scales rates and counts and leaves lengths, seed and requests alone', () => {
    const plan = planWith(
      { kind: 'poisson', knots },
      { kind: 'poisson-count', knots, count: 9 },
      { kind: 'all-at-once', count: 1 },
    );
    const half = scaleLoad(plan, 0.5);
    expect(half.phases.map((phase) => phase.arrivals)).toEqual([
      {
        kind: 'poisson',
        knots: [
          { tSeconds: 0, ratePerSecond: 5 },
          { tSeconds: 10, ratePerSecond: 100 },
        ],
      },
      {
        kind: 'poisson-count',
        knots: [
          { tSeconds: 0, ratePerSecond: 5 },
          { tSeconds: 10, ratePerSecond: 100 },
        ],
        count: 5,
      },
      { kind: 'all-at-once', count: 1 },
    ]);
    expect({ ...half, phases: [] }).toEqual({ ...plan, phases: [] });
    expect(peakRatePerSecond(scaleLoad(planWith({ kind: 'gamma', ratePerSecond: 30, burstiness: 2 }), 3))).toBe(90);
  });

  it('refuses a trace, which has no rate', () => {
    expect(fleetErrorOf(() => scaleLoad(planWith(trace), 0.5))?.message).toContain(
      'the load of a trace cannot be scaled',
    );
  });
});
