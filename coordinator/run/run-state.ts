/**
 * The life of one run as a pure state machine (design §8): planned -> arming -> running -> draining -> finished | failed |
 * interrupted. Events in, the next state and effects out; the time is in the events, and every state that waits has a deadline.
 */
import { assertNever } from '../../shared/assert-never.ts';
import { durationText } from '../../shared/time/duration-text.ts';
import type { RunEnd } from './run-record.ts';

/** How long after the end of its drain an agent's final report may come, ns. */
export const REPORT_MARGIN_NS = 10_000_000_000;
/** The longest drain after a stop: long enough for quick answers, short enough for a human who waits, ns. */
export const STOP_DRAIN_NS = 2_000_000_000;
/** How long after a stop's drain the final reports may come, ns: a starved agent is not a lost one; a second signal cuts it short. */
const STOP_MARGIN_NS = 8_000_000_000;

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

/** What is to be done. */
export type RunEffect =
  | { readonly kind: 'arm-agents'; readonly agents: readonly string[] }
  | { readonly kind: 'start-agents'; readonly t0Ns: number }
  | { readonly kind: 'stop-agents'; readonly drainNs: number; readonly reason: string }
  /** These never finished. */
  | { readonly kind: 'mark-lost'; readonly agents: readonly string[]; readonly reason: string }
  | { readonly kind: 'end-run'; readonly end: RunEnd };

/** The next state and what follows from an event. */
export interface RunAdvance {
  readonly state: RunState;
  readonly effects: readonly RunEffect[];
}

/** The state of a run that was just accepted. */
export function plannedRun(shape: RunShape, nowNs: number): RunState {
  return { kind: 'planned', deadlineNs: nowNs + shape.armTimeoutNs };
}

/** The instant by which the state must have changed; null once the run is over. */
export function deadlineOf(state: RunState): number | null {
  return 'deadlineNs' in state ? state.deadlineNs : null;
}

/** The next state and what follows from `event`. An event that does not concern the state changes nothing. */
export function advanceRun(shape: RunShape, state: RunState, event: RunEvent): RunAdvance {
  switch (event.kind) {
    case 'agents-ready':
      return onReady(shape, state, event);
    case 'armed':
      return onArmed(shape, state, event);
    case 'refused':
      return onRefused(shape, state, event);
    case 'agent-done':
      return onDone(state, event.agent);
    case 'agent-lost':
      return onLost(shape, state, event);
    case 'agent-missing':
      if (state.kind !== 'planned') return unchanged(state);
      return ended({ kind: 'failed', atNs: null, reason: `agent ${event.agent} never took part: ${event.reason}` });
    case 'stop':
      return onStop(shape, state, event);
    case 'broken':
      return isOver(state)
        ? unchanged(state)
        : ended({ kind: 'failed', atNs: runTime(state, event), reason: event.reason });
    case 'deadline':
      return onDeadline(shape, state, event);
    default:
      return assertNever(event);
  }
}

type EventOf<Kind extends RunEvent['kind']> = Extract<RunEvent, { readonly kind: Kind }>;
type Live<Kind extends RunState['kind']> = Extract<RunState, { readonly kind: Kind }>;

function onReady(shape: RunShape, state: RunState, event: EventOf<'agents-ready'>): RunAdvance {
  if (state.kind !== 'planned' || event.agents.length < shape.agents) return unchanged(state);
  const agents = event.agents.slice(0, shape.agents);
  return {
    state: { kind: 'arming', deadlineNs: event.nowNs + shape.armTimeoutNs, agents, unarmed: new Set(agents) },
    effects: [{ kind: 'arm-agents', agents }],
  };
}

/** The barrier: the last agent to be armed fixes T0 for all (R078). */
function onArmed(shape: RunShape, state: RunState, event: EventOf<'armed'>): RunAdvance {
  if (state.kind !== 'arming' || !state.unarmed.has(event.agent)) return unchanged(state);
  const unarmed = without(state.unarmed, event.agent);
  if (unarmed.size > 0) return { state: { ...state, unarmed }, effects: [] };
  const t0Ns = event.nowNs + event.startLeadNs;
  return {
    state: { kind: 'running', deadlineNs: t0Ns + shape.releaseEndNs, t0Ns, active: new Set(state.agents) },
    effects: [{ kind: 'start-agents', t0Ns }],
  };
}

function onRefused(shape: RunShape, state: RunState, event: EventOf<'refused'>): RunAdvance {
  const reason = `agent ${event.agent} refused to ${event.step}: ${event.reason}`;
  if (state.kind === 'arming') return ended({ kind: 'failed', atNs: null, reason });
  if (state.kind === 'running' && state.active.has(event.agent)) return drain(shape, state, event, reason);
  return unchanged(state);
}

function onDone(state: RunState, agent: string): RunAdvance {
  if (state.kind !== 'running' && state.kind !== 'draining') return unchanged(state);
  const active = without(state.active, agent);
  if (active.size > 0) return { state: { ...state, active }, effects: [] };
  return ended(state.kind === 'running' ? { kind: 'finished' } : endOf(state.cause, false));
}

function onLost(shape: RunShape, state: RunState, event: EventOf<'agent-lost'>): RunAdvance {
  const reason = `agent ${event.agent} was lost: ${event.reason}`;
  const lost: RunEffect = { kind: 'mark-lost', agents: [event.agent], reason: event.reason };
  switch (state.kind) {
    case 'arming': {
      if (!state.agents.includes(event.agent)) return unchanged(state);
      // A share without an agent would make another load than the plan's: refused, not re-split (R078).
      const next = ended({ kind: 'failed', atNs: null, reason: `${reason} while arming` });
      return { state: next.state, effects: [lost, ...next.effects] };
    }
    case 'running':
    case 'draining': {
      if (!state.active.has(event.agent)) return unchanged(state);
      const active = without(state.active, event.agent);
      const rest = { ...state, active };
      const next = lossFollows(shape, rest, event, reason);
      return { state: next.state, effects: [lost, ...next.effects] };
    }
    case 'planned':
    case 'finished':
    case 'failed':
    case 'interrupted':
      return unchanged(state);
    default:
      return assertNever(state);
  }
}

/** What the loss of one agent means for the others: `state` is without it already. */
function lossFollows(
  shape: RunShape,
  state: Live<'running'> | Live<'draining'>,
  event: RunEvent,
  reason: string,
): RunAdvance {
  if (state.kind === 'draining') {
    return state.active.size > 0 ? unchanged(state) : ended(endOf(state.cause, false));
  }
  if (state.active.size === 0) {
    return ended({ kind: 'failed', atNs: runTime(state, event), reason: `${reason}; no agent is left` });
  }
  return shape.onAgentLoss === 'abort' ? drain(shape, state, event, reason) : unchanged(state);
}

function onStop(shape: RunShape, state: RunState, event: EventOf<'stop'>): RunAdvance {
  const { signal, abrupt } = event;
  switch (state.kind) {
    case 'planned':
    case 'arming':
      return ended({ kind: 'interrupted', atNs: 0, signal, abrupt });
    case 'running':
    case 'draining': {
      const isSecond = state.kind === 'draining' && state.cause.kind === 'interrupted';
      const atNs = isSecond ? state.cause.atNs : Math.max(0, event.nowNs - state.t0Ns);
      if (isSecond || abrupt) return cutShort(state, { kind: 'interrupted', atNs, signal, abrupt: true });
      return stopping(shape, state, event, { kind: 'interrupted', atNs, signal }, `stopped by ${signal}`);
    }
    case 'finished':
    case 'failed':
    case 'interrupted':
      return unchanged(state);
    default:
      return assertNever(state);
  }
}

function onDeadline(shape: RunShape, state: RunState, event: RunEvent): RunAdvance {
  const deadlineNs = deadlineOf(state);
  if (deadlineNs === null || event.nowNs < deadlineNs) return unchanged(state);
  switch (state.kind) {
    case 'planned':
      return ended({
        kind: 'failed',
        atNs: null,
        reason: `fewer than ${shape.agents} agents joined within ${durationText(shape.armTimeoutNs)}`,
      });
    case 'arming': {
      const missing = [...state.unarmed].join(', ');
      return ended({
        kind: 'failed',
        atNs: null,
        reason: `not armed within ${durationText(shape.armTimeoutNs)}: agent ${missing}`,
      });
    }
    case 'running':
      return unchanged({
        kind: 'draining',
        deadlineNs: deadlineNs + shape.drainNs + REPORT_MARGIN_NS,
        t0Ns: state.t0Ns,
        active: state.active,
        cause: { kind: 'plan-ended' },
      });
    case 'draining':
      return cutShort(state, endOf(state.cause, false));
    case 'finished':
    case 'failed':
    case 'interrupted':
      return unchanged(state);
    default:
      return assertNever(state);
  }
}

/** Ends a run whose plan cannot be carried out, with what it has so far. */
function drain(shape: RunShape, state: Live<'running'>, event: RunEvent, reason: string): RunAdvance {
  return stopping(shape, state, event, { kind: 'failed', atNs: runTime(state, event) ?? 0, reason }, reason);
}

function stopping(
  shape: RunShape,
  state: Live<'running'> | Live<'draining'>,
  event: RunEvent,
  cause: DrainCause,
  reason: string,
): RunAdvance {
  const drainNs = Math.min(shape.drainNs, STOP_DRAIN_NS);
  return {
    state: {
      kind: 'draining',
      deadlineNs: event.nowNs + drainNs + STOP_MARGIN_NS,
      t0Ns: state.t0Ns,
      active: state.active,
      cause,
    },
    effects: [{ kind: 'stop-agents', drainNs, reason }],
  };
}

/** Ends the run now, with what has come; who has not finished is lost. */
function cutShort(state: Live<'running'> | Live<'draining'>, end: RunEnd): RunAdvance {
  const lost: RunEffect = {
    kind: 'mark-lost',
    agents: [...state.active],
    reason: 'no final report when the run ended',
  };
  const next = ended(end);
  return { state: next.state, effects: state.active.size > 0 ? [lost, ...next.effects] : next.effects };
}

function endOf(cause: DrainCause, abrupt: boolean): RunEnd {
  switch (cause.kind) {
    case 'plan-ended':
      return { kind: 'finished' };
    case 'interrupted':
      return { kind: 'interrupted', atNs: cause.atNs, signal: cause.signal, abrupt };
    case 'failed':
      return { kind: 'failed', atNs: cause.atNs, reason: cause.reason };
    default:
      return assertNever(cause);
  }
}

function ended(end: RunEnd): RunAdvance {
  return { state: { kind: end.kind, end }, effects: [{ kind: 'end-run', end }] };
}

function unchanged(state: RunState): RunAdvance {
  return { state, effects: [] };
}

function isOver(state: RunState): boolean {
  return deadlineOf(state) === null;
}

/** Run time at the event; null before T0 is known. */
function runTime(state: RunState, event: RunEvent): number | null {
  return 't0Ns' in state ? Math.max(0, event.nowNs - state.t0Ns) : null;
}

function without(agents: ReadonlySet<string>, agent: string): ReadonlySet<string> {
  const rest = new Set(agents);
  rest.delete(agent);
  return rest;
}
