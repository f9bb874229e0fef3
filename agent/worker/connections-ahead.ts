/** How many connections a worker opens before T0, so that the first arrivals do not pay for connecting (design §6, preheat). */

import { assertNever } from '../../shared/assert-never.ts';
import { peakRateOf } from '../../shared/plan/peak-rate.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import type { ArrivalLaw } from '../../shared/schedule/arrival-law.ts';

/** What is taken for granted before anything has been measured. */
interface Assumption {
  /** An answer needs a connection for so long, s: more are opened when they turn out to be needed. */
  readonly serviceSeconds: number;
  /** Most connections opened ahead per worker: a target should not meet thousands before it is asked anything. */
  readonly connectionsMax: number;
}

/** A connection that may not become older than this would mostly be too old before it is needed, ns. */
const AGE_MIN_NS = 1e9;

const ORDINARY: Assumption = { serviceSeconds: 0.01, connectionsMax: 64 };
/** The answer of an LLM takes seconds, and each holds a connection. */
const LLM: Assumption = { serviceSeconds: 1, connectionsMax: 256 };

/** Connections to open ahead for a worker with `share` (0..1) of the plan's arrivals: at least 1, never above the plan's limit. */
export function connectionsAhead(plan: Plan, share: number): number {
  const { connectionAgeNs } = plan.limits;
  if (connectionAgeNs !== null && connectionAgeNs < AGE_MIN_NS) return 1;
  const { serviceSeconds, connectionsMax } = plan.requests.some(({ llm }) => llm !== null) ? LLM : ORDINARY;
  const wanted = plan.phases.map(({ arrivals, durationNs }) => share * meanOpen(arrivals, durationNs, serviceSeconds));
  const most = Math.max(...plan.phases.map(({ arrivals }, index) => peakOpen(arrivals, wanted[index] as number)));
  return Math.min(plan.limits.connections, connectionsMax, Math.max(1, Math.ceil(most)));
}

/** The most that are open at once where `mean` are on average: at random, more than four standard deviations above it are rare. */
function peakOpen(law: ArrivalLaw, mean: number): number {
  return law.kind === 'closed' || law.kind === 'even' ? mean : mean + 4 * Math.sqrt(mean);
}

/**
 * Answers of `serviceSeconds` that are open on average at the highest rate of a law (of recorded instants the mean rate); unbounded for all
 * at once; of a closed loop one for each slot.
 */
function meanOpen(law: ArrivalLaw, durationNs: number, serviceSeconds: number): number {
  switch (law.kind) {
    case 'poisson':
    case 'poisson-count':
    case 'even':
    case 'trace':
    case 'gamma':
      return serviceSeconds * peakRateOf(law, durationNs);
    case 'all-at-once':
      return Infinity;
    case 'closed':
      return law.concurrency;
    default:
      return assertNever(law);
  }
}
