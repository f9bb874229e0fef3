/** Deals worker slots to agents and lanes to slots (design §5): slot k of W gets the lanes l with l mod W = k. Pure. */
import type { Grant } from '../../shared/rpc/control-message.ts';
import { lanesOfSlot, type ProbeDeal } from '../../shared/schedule/deal.ts';

/** An agent that takes part, with the worker threads it offers. */
export interface Candidate {
  readonly agentId: string;
  readonly workers: number;
}

/** What each agent is given. */
export interface Deal {
  /** W, over the whole fleet. */
  readonly workerSlots: number;
  /** The probe, where one was asked for and takes part. */
  readonly probe: ProbeDeal | null;
  /** The grants of each agent by its id, one per worker thread. */
  readonly grants: ReadonlyMap<string, readonly Grant[]>;
}

/** An agent that is to be the probe: one worker slot with few lanes (M§9.3). */
export interface ProbeRequest {
  readonly agentId: string;
  /** 1..S - 1. */
  readonly lanes: number;
}

/**
 * Slots are numbered agent by agent in the order given. `workersEach` limits the threads used of each agent; null uses all
 * that are offered. The order of agents changes who sends what, never what is sent (P3).
 */
export function dealSlots(
  candidates: readonly Candidate[],
  laneCount: number,
  workersEach: number | null,
  asked?: ProbeRequest,
): Deal {
  const threads = candidates.map(({ agentId, workers }) =>
    agentId === asked?.agentId ? 1 : Math.min(workers, workersEach ?? workers),
  );
  const workerSlots = threads.reduce((sum, count) => sum + count, 0);
  const probe = probeDealOf(candidates, threads, asked);
  const grants = new Map<string, readonly Grant[]>();
  let next = 0;
  for (const [index, candidate] of candidates.entries()) {
    const first = next;
    next += threads[index] ?? 0;
    grants.set(
      candidate.agentId,
      Array.from({ length: next - first }, (_, i): Grant => {
        const slot = first + i;
        return { slot, lanes: lanesOfSlot({ laneCount, workerSlots, probe }, slot), epoch: 0, fromNs: 0 };
      }),
    );
  }
  return { workerSlots, probe, grants };
}

function probeDealOf(
  candidates: readonly Candidate[],
  threads: readonly number[],
  asked: ProbeRequest | undefined,
): ProbeDeal | null {
  const place = candidates.findIndex(({ agentId }) => agentId === asked?.agentId);
  if (asked === undefined || place < 0) return null;
  return { slot: threads.slice(0, place).reduce((sum, count) => sum + count, 0), lanes: asked.lanes };
}
