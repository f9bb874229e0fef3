/** The highest rate that a plan asks for: what workers must be able to keep up with. */

import { assertNever } from '../assert-never.ts';
import type { ArrivalLaw, Knot } from '../schedule/arrival-law.ts';
import { compileRateCurve } from '../schedule/rate-curve.ts';
import type { Plan } from './plan.ts';
import { rateLengthNs } from './rate-length.ts';

/** Arrivals per second at the plan's highest point; of a trace its mean rate; all-at-once, a trace of one instant and closed loops have none and count as 0. */
export function peakRatePerSecond(plan: Pick<Plan, 'phases'>): number {
  return Math.max(0, ...plan.phases.map(({ arrivals, durationNs }) => peakRateOf(arrivals, durationNs)));
}

/** The same of one law over a phase of `durationNs`. */
export function peakRateOf(law: ArrivalLaw, durationNs: number): number {
  const seconds = rateLengthNs({ arrivals: law, durationNs }) / 1e9;
  switch (law.kind) {
    case 'poisson':
    case 'even':
      return highestOf(law.knots);
    case 'poisson-count': {
      // The curve says where the arrivals lie, the count how many there are.
      const { totalMass } = compileRateCurve(law.knots, durationNs);
      return totalMass === 0 ? 0 : highestOf(law.knots) * (law.count / totalMass);
    }
    case 'gamma':
      return law.ratePerSecond;
    case 'trace':
      return seconds > 0 ? law.count / seconds : 0;
    case 'all-at-once':
    case 'closed':
      return 0;
    default:
      return assertNever(law);
  }
}

function highestOf(knots: readonly Knot[]): number {
  return Math.max(0, ...knots.map((knot) => knot.ratePerSecond));
}
