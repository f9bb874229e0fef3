/** Phases of plans for trials in virtual time, and how much such a plan asks for. */
import { countArrivals } from '../../shared/schedule/count-arrivals.ts';
import { allLanes } from '../../shared/schedule/deal.ts';
import type { ArrivalLaw } from '../../shared/schedule/arrival-law.ts';
import type { Phase, Plan } from '../../shared/plan/plan.ts';
import { basisOf } from './trial-simulation.ts';

/** Arrivals at equal distances for `seconds`. */
export function even(ratePerSecond: number, seconds: number): ArrivalLaw {
  return {
    kind: 'even',
    knots: [
      { tSeconds: 0, ratePerSecond },
      { tSeconds: seconds, ratePerSecond },
    ],
  };
}

/** A phase that is measured. */
export function phase(name: string, startNs: number, durationNs: number, arrivals: ArrivalLaw): Phase {
  return { name, warmup: false, startNs, durationNs, arrivals };
}

/** Arrivals of all phases of a plan. */
export function scheduled(plan: Plan): number {
  const basis = basisOf(plan);
  return plan.phases.reduce(
    (sum, _phase, index) => sum + countArrivals(basis, { phase: index, lanes: allLanes(plan.laneCount) }),
    0,
  );
}
