/**
 * The life of one run as a pure state machine (design §8). Events in, the next state and effects out; the time is in the events, and
 * every state that waits has a deadline. It does nothing itself: the effects are carried out by `run-driver.ts`.
 */
import { assertNever } from '../../shared/assert-never.ts';
import { durationText } from '../../shared/time/duration-text.ts';
import type { RunEnd } from './run-record.ts';
import {
  deadlineOf,
  type DrainCause,
  type RunEffect,
  type RunEvent,
  type RunShape,
  type RunState,
} from './run-state.ts';

/** How long after the end of its drain an agent's final report may come, ns. */
export const REPORT_MARGIN_NS = 10_000_000_000;
/** The longest drain after a stop: long enough for quick answers, short enough for a human who waits, ns. */
export const STOP_DRAIN_NS = 2_000_000_000;
/** How long after a stop's drain the final reports may come, ns: a starved agent is not a lost one; a second signal cuts it short. */
const STOP_MARGIN_NS = 8_000_000_000;

/** The next state and what follows from an event. */
export interface RunAdvance {
  readonly state: RunState;
  readonly effects: readonly RunEffect[];
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
