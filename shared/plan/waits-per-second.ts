/** How often workers have to wait for an instant: what pacing costs follows from it. */
import type { Phase, Plan } from './plan.ts';
import { peakRateOf } from './peak-rate.ts';

/**
 * Instants a second that the workers of a fleet wait for together, at the plan's highest point: arrivals of an open load (of a trace on
 * average), ends of thinking in a closed one. Infinity where rows may be sessions, whose later turns nobody has counted.
 */
export function waitsPerSecond({ phases, requests }: Pick<Plan, 'phases' | 'requests'>): number {
  if (requests.some(({ llm }) => llm !== null && llm.session !== null)) return Infinity;
  return Math.max(0, ...phases.map(waitsOfPhase));
}

function waitsOfPhase({ arrivals, durationNs }: Phase): number {
  if (arrivals.kind !== 'closed') return peakRateOf(arrivals, durationNs);
  // Without thinking, a slot's next request follows the end of its last one, which no timer waits for.
  return arrivals.thinkNs === 0 ? 0 : arrivals.concurrency / (arrivals.thinkNs / 1e9);
}
