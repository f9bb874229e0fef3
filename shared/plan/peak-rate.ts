/** The highest rate that a plan asks for: what workers must be able to keep up with. */

import { assertNever } from '../assert-never.ts';
import type { ArrivalLaw } from '../schedule/arrival-law.ts';
import type { Plan } from './plan.ts';

/** Arrivals per second at the plan's highest point; of a trace its mean rate; all-at-once and closed loops have none and count as 0. */
export function peakRatePerSecond(plan: Pick<Plan, 'phases'>): number {
  return Math.max(0, ...plan.phases.map(({ arrivals, durationNs }) => peakOf(arrivals, durationNs / 1e9)));
}

function peakOf(law: ArrivalLaw, seconds: number): number {
  switch (law.kind) {
    case 'poisson':
    case 'even':
    case 'poisson-count':
      return Math.max(0, ...law.knots.map((knot) => knot.ratePerSecond));
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
