/** Slots of closed loops that fall silent with an agent: none of their requests was scheduled, so none is lost, but the load is less. */
import type { Plan } from '../../shared/plan/plan.ts';

/** Worker slots of one agent, and how many the fleet has. */
export interface WorkerShare {
  readonly own: readonly number[];
  readonly all: number;
}

/** Slots of a loop of `concurrency` that belong to these worker slots: c mod W (design §5). */
export function closedSlotsOf(concurrency: number, { own, all }: WorkerShare): number {
  return own.reduce((sum, worker) => sum + Math.max(0, Math.ceil((concurrency - worker) / all)), 0);
}

/** `, and 3 of the 8 slots of phase load sent nothing more`, for phases that were not over at `atNs`; empty where there are none. */
export function closedSlotsText({ phases }: Pick<Plan, 'phases'>, atNs: number, share: WorkerShare): string {
  const texts = phases.flatMap(({ name, startNs, durationNs, arrivals }) => {
    if (arrivals.kind !== 'closed' || (durationNs > 0 && startNs + durationNs <= atNs)) return [];
    const slots = closedSlotsOf(arrivals.concurrency, share);
    return slots === 0 ? [] : [`${slots} of the ${arrivals.concurrency} slots of phase ${name}`];
  });
  return texts.length === 0 ? '' : `; ${texts.join(', ')} sent nothing more`;
}
