/** Deals worker slots to agents and lanes to slots (design §5): slot k of W gets the lanes l with l mod W = k. Pure. */
import type { Grant } from '../../shared/rpc/control-message.ts';
import { dealLanes } from '../../shared/schedule/deal.ts';

/** An agent that takes part, with the worker threads it offers. */
export interface Candidate {
  readonly agentId: string;
  readonly workers: number;
}

/** What each agent is given. */
export interface Deal {
  /** W, over the whole fleet. */
  readonly workerSlots: number;
  /** The grants of each agent by its id, one per worker thread. */
  readonly grants: ReadonlyMap<string, readonly Grant[]>;
}

/**
 * Slots are numbered agent by agent in the order given. `workersEach` limits the threads used of each agent; null uses all
 * that are offered. The order of agents changes who sends what, never what is sent (P3).
 */
export function dealSlots(candidates: readonly Candidate[], laneCount: number, workersEach: number | null): Deal {
  const threads = candidates.map((candidate) => Math.min(candidate.workers, workersEach ?? candidate.workers));
  const workerSlots = threads.reduce((sum, count) => sum + count, 0);
  const grants = new Map<string, readonly Grant[]>();
  let next = 0;
  for (const [index, candidate] of candidates.entries()) {
    const first = next;
    next += threads[index] ?? 0;
    grants.set(
      candidate.agentId,
      Array.from({ length: next - first }, (_, i): Grant => {
        const slot = first + i;
        return { slot, lanes: dealLanes(laneCount, workerSlots, slot), epoch: 0, fromNs: 0 };
      }),
    );
  }
  return { workerSlots, grants };
}
