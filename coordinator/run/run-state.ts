/**
 * Where a run can be (design §8): planned -> arming -> running -> draining -> finished | failed | interrupted, what can happen to it,
 * and what then is to be done. Types and questions only; which event leads where is in `advance-run.ts`.
 */
import type { RunEnd } from './run-record.ts';

/** What the machine has to know of the plan. */
export interface RunShape {
  /** Agents that must take part. */
  readonly agents: number;
  /** From T0 to the last instant at which an arrival may be released, ns. */
  readonly releaseEndNs: number;
  readonly drainNs: number;
  /** How long agents may take to join, and again to get ready, ns. */
  readonly armTimeoutNs: number;
  readonly onAgentLoss: 'abort' | 'continue';
}

/** Why a run drains. */
export type DrainCause =
  | { readonly kind: 'plan-ended' }
  | { readonly kind: 'interrupted'; readonly atNs: number; readonly signal: 'SIGINT' | 'SIGTERM' | 'stop' }
  | { readonly kind: 'failed'; readonly atNs: number; readonly reason: string };

/** Where the run is. Instants are on the coordinator's clock, ns. Agents are named by id. */
export type RunState =
  /** Waiting for enough agents. */
  | { readonly kind: 'planned'; readonly deadlineNs: number }
  | {
      readonly kind: 'arming';
      readonly deadlineNs: number;
      readonly agents: readonly string[];
      readonly unarmed: ReadonlySet<string>;
    }
  /** T0 is given out; it may still lie ahead. */
  | {
      readonly kind: 'running';
      readonly deadlineNs: number;
      readonly t0Ns: number;
      readonly active: ReadonlySet<string>;
    }
  /** Nothing more is released; final reports come in. */
  | {
      readonly kind: 'draining';
      readonly deadlineNs: number;
      readonly t0Ns: number;
      readonly active: ReadonlySet<string>;
      readonly cause: DrainCause;
    }
  | { readonly kind: 'finished' | 'failed' | 'interrupted'; readonly end: RunEnd };

/** Whether nobody was told to stop before the plan is over: an agent that stops now does so by itself, and owes the rest. */
export function goesByPlan(state: RunState): boolean {
  return state.kind === 'running' || (state.kind === 'draining' && state.cause.kind === 'plan-ended');
}

/** What can happen. */
export type RunEvent = { readonly nowNs: number } & (
  | { readonly kind: 'agents-ready'; readonly agents: readonly string[] }
  /** `startLeadNs`: from now to T0, should this be the last one. */
  | { readonly kind: 'armed'; readonly agent: string; readonly startLeadNs: number }
  /** An agent cannot be armed or started in time. */
  | { readonly kind: 'refused'; readonly agent: string; readonly step: 'arm' | 'start'; readonly reason: string }
  /** An agent's final report has come and nothing of it is missing. */
  | { readonly kind: 'agent-done'; readonly agent: string }
  | { readonly kind: 'agent-lost'; readonly agent: string; readonly reason: string }
  /** An agent that the run was to have will not come, and nobody else in its place. */
  | { readonly kind: 'agent-missing'; readonly agent: string; readonly reason: string }
  | { readonly kind: 'stop'; readonly signal: 'SIGINT' | 'SIGTERM' | 'stop'; readonly abrupt: boolean }
  /** The books cannot be believed any more. */
  | { readonly kind: 'broken'; readonly reason: string }
  | { readonly kind: 'deadline' }
);

/** An event without its time. */
export type RunHappening = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'nowNs'> : never) : never;

/** What is to be done. */
export type RunEffect =
  | { readonly kind: 'arm-agents'; readonly agents: readonly string[] }
  | { readonly kind: 'start-agents'; readonly t0Ns: number }
  | { readonly kind: 'stop-agents'; readonly drainNs: number; readonly reason: string }
  /** These never finished. */
  | { readonly kind: 'mark-lost'; readonly agents: readonly string[]; readonly reason: string }
  | { readonly kind: 'end-run'; readonly end: RunEnd };

/** The state of a run that was just accepted. */
export function plannedRun(shape: RunShape, nowNs: number): RunState {
  return { kind: 'planned', deadlineNs: nowNs + shape.armTimeoutNs };
}

/** The instant by which the state must have changed; null once the run is over. */
export function deadlineOf(state: RunState): number | null {
  return 'deadlineNs' in state ? state.deadlineNs : null;
}
