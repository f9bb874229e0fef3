/**
 * When a trial's end is reached on a worker (design §6, R059): after the plan's last phase, or after a stop, requests that are open
 * may still end until nothing is open or the drain time is over. Pure: it is told the time.
 */

/** How a trial stands with its end. */
export type DrainState =
  /** Arrivals are still released. */
  | { readonly kind: 'releasing' }
  /** Nothing more is released; open requests have until `untilNs`, and the trial does not end before `notBeforeNs`. */
  | { readonly kind: 'draining'; readonly notBeforeNs: number; readonly untilNs: number };

/** The state that a trial begins in. */
export const releasing: DrainState = { kind: 'releasing' };

/** The drain after all arrivals were decided: to the end of the plan at least, and `drainNs` beyond it at most. */
export function drainAfterPlan(planEndNs: number, nowNs: number, drainNs: number): DrainState {
  return { kind: 'draining', notBeforeNs: planEndNs, untilNs: Math.max(planEndNs, nowNs) + drainNs };
}

/** The drain after a stop at `nowNs`. A second stop can only shorten it. */
export function drainAfterStop(before: DrainState, nowNs: number, drainNs: number): DrainState {
  const untilNs = nowNs + drainNs;
  return {
    kind: 'draining',
    notBeforeNs: nowNs,
    untilNs: before.kind === 'draining' ? Math.min(before.untilNs, untilNs) : untilNs,
  };
}

/** Whether the drain is over at `nowNs` with `openCount` requests open. */
export function isDrained(state: DrainState, nowNs: number, openCount: number): boolean {
  if (state.kind === 'releasing') return false;
  return nowNs >= state.untilNs || (openCount === 0 && nowNs >= state.notBeforeNs);
}

/** The next instant at which the drain must be looked at even if no request ends; Infinity while releasing. */
export function drainChoreNs(state: DrainState, nowNs: number): number {
  if (state.kind === 'releasing') return Infinity;
  return nowNs < state.notBeforeNs ? state.notBeforeNs : state.untilNs;
}
