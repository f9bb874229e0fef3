/** The same plan with more or less of the same load: every rate times a factor, lengths and requests as they are. */

import { assertNever } from '../assert-never.ts';
import { FleetError } from '../fleet-error.ts';
import type { ArrivalLaw } from '../schedule/arrival-law.ts';
import type { Plan } from './plan.ts';

/** `plan` with `factor` (> 0) times the load. @throws FleetError 'plan' for a trace and for a closed loop, which have no rate to change. */
export function scaleLoad(plan: Plan, factor: number): Plan {
  return { ...plan, phases: plan.phases.map((phase) => ({ ...phase, arrivals: scaleLaw(phase.arrivals, factor) })) };
}

function scaleLaw(law: ArrivalLaw, factor: number): ArrivalLaw {
  switch (law.kind) {
    case 'poisson':
    case 'even':
      return { ...law, knots: scaleKnots(law.knots, factor) };
    case 'poisson-count':
      return { ...law, knots: scaleKnots(law.knots, factor), count: Math.max(1, Math.round(law.count * factor)) };
    case 'all-at-once':
      return { ...law, count: Math.max(1, Math.round(law.count * factor)) };
    case 'gamma':
      return { ...law, ratePerSecond: law.ratePerSecond * factor };
    case 'trace':
      throw new FleetError('plan', 'arrivals: the load of a trace cannot be scaled');
    case 'closed':
      throw new FleetError('plan', 'arrivals: a closed loop has no rate that could be scaled');
    default:
      return assertNever(law);
  }
}

function scaleKnots<Knot extends { readonly ratePerSecond: number }>(knots: readonly Knot[], factor: number): Knot[] {
  return knots.map((knot) => ({ ...knot, ratePerSecond: knot.ratePerSecond * factor }));
}
