/** How many connections a worker opens before T0, so that the first arrivals do not pay for connecting (design §6, preheat). */

import { assertNever } from '../../shared/assert-never.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import type { ArrivalLaw } from '../../shared/schedule/arrival-law.ts';

/** An answer is taken to need a connection for this long, s: more are opened when they turn out to be needed. */
const ASSUMED_SERVICE_SECONDS = 0.01;

/** Most connections opened ahead per worker: a target should not meet thousands before it is asked anything. */
const AHEAD_MAX = 64;

/** Connections to open ahead for a worker with `share` (0..1) of the plan's arrivals: at least 1, never above the plan's limit. */
export function connectionsAhead(plan: Plan, share: number): number {
  const peakPerSecond = Math.max(...plan.phases.map((phase) => peakRatePerSecond(phase.arrivals, phase.durationNs)));
  const wanted = Math.ceil(peakPerSecond * share * ASSUMED_SERVICE_SECONDS);
  return Math.min(plan.limits.connections, AHEAD_MAX, Math.max(1, wanted));
}

/** The highest rate of a law; of recorded instants the mean rate; unbounded for all at once; of a closed loop what makes a connection for each slot. */
function peakRatePerSecond(law: ArrivalLaw, durationNs: number): number {
  switch (law.kind) {
    case 'poisson':
    case 'poisson-count':
    case 'even':
      return Math.max(0, ...law.knots.map((knot) => knot.ratePerSecond));
    case 'trace':
      return durationNs === 0 ? 0 : law.count / (durationNs / 1e9);
    case 'all-at-once':
      return Infinity;
    case 'gamma':
      return law.ratePerSecond;
    case 'closed':
      return law.concurrency / ASSUMED_SERVICE_SECONDS;
    default:
      return assertNever(law);
  }
}
