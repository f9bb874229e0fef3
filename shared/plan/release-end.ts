/** Until when a plan may release requests: what whoever waits for its end has to reckon with. */

import type { Phase, Plan } from './plan.ts';

/** More than the longest pause of a closed loop's slot after a request that did not reach the target, ns. */
const PAUSE_RESERVE_NS = 2_000_000_000;

/** More than a worker takes to make and send one request of those that are asked for all at once, ns. */
const SEND_RESERVE_NS = 1_000_000;

/** Whether only a count ends the phase: a closed loop without a length. Such a phase is the last. */
export function isOpenEnded({ arrivals, durationNs }: Pick<Phase, 'arrivals' | 'durationNs'>): boolean {
  return arrivals.kind === 'closed' && durationNs === 0;
}

/** Scheduled length of all phases, ns: run time at which the last one ends; of an open-ended one, at which it begins. */
export function planEndNs(plan: Pick<Plan, 'phases'>): number {
  return plan.phases.reduce((endNs, phase) => Math.max(endNs, phase.startNs + phase.durationNs), 0);
}

/**
 * Run time after which nothing is released, ns. Arrivals all at once take as long as it takes to send them, so many at a time as the limits
 * let go, on one worker at worst, each with a connection of its own, whose making may take a timeout. A closed loop that ends with its count
 * takes at most a timeout, its think time and a pause for each request of a slot, and for the one that a slot may bring along from the loop before.
 */
export function releaseEndNs({ phases, limits }: Pick<Plan, 'phases' | 'limits'>): number {
  let thinkMaxNs = 0;
  // One batch may still be on its way when the next comes.
  let batchesNs = 0;
  const ends = phases.map((phase) => {
    const { arrivals, startNs, durationNs } = phase;
    if (arrivals.kind === 'all-at-once') {
      const waves = Math.ceil(arrivals.count / Math.min(limits.maxInFlight, limits.connections));
      batchesNs += arrivals.count * SEND_RESERVE_NS + waves * (2 * limits.timeoutNs + PAUSE_RESERVE_NS);
      return startNs + batchesNs;
    }
    if (arrivals.kind !== 'closed') return startNs + durationNs;
    const broughtNs = limits.timeoutNs + thinkMaxNs + PAUSE_RESERVE_NS;
    thinkMaxNs = Math.max(thinkMaxNs, arrivals.thinkNs);
    if (!isOpenEnded(phase)) return startNs + durationNs;
    const requestsOfSlot = Math.ceil((arrivals.count ?? 0) / arrivals.concurrency);
    return startNs + requestsOfSlot * (limits.timeoutNs + arrivals.thinkNs + PAUSE_RESERVE_NS) + broughtNs;
  });
  return Math.max(0, ...ends) + limits.phaseGraceNs;
}
