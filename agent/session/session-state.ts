/**
 * What an agent is doing for its coordinator, as a pure state machine: events in, the next state and effects out. The link may
 * break and come back at any time without an event here; only an order, a worker, the lease or an answer moves the session.
 */
import { assertNever } from '../../shared/assert-never.ts';
import { durationText } from '../../shared/time/duration-text.ts';
import { isSameRun, type RunKey, runText } from '../../shared/rpc/control-message.ts';

/** A start that leaves the workers less than this before T0 is refused: it could not be kept by all of them, ns. */
export const START_MARGIN_NS = 10_000_000;

/** Where the session is. Every state but `idle` belongs to one run. */
export type SessionState =
  | { readonly kind: 'idle' }
  /** Files are being fetched and workers get ready. */
  | { readonly kind: 'arming'; readonly run: RunKey }
  | { readonly kind: 'armed'; readonly run: RunKey; readonly clientName: string; readonly pacing: string }
  /** Workers know T0 and release on their own. */
  | { readonly kind: 'running'; readonly run: RunKey; readonly t0Ns: number; readonly aheadNs: number }
  /** Nothing more is released; open requests may still end. */
  | { readonly kind: 'draining'; readonly run: RunKey; readonly reason: string }
  /** All workers are done; reports wait for their answers. `stopped`: why that was before the plan was over; null = it was over. */
  | { readonly kind: 'reporting'; readonly run: RunKey; readonly stopped: string | null }
  /** It could not be armed or started; the coordinator has been told. */
  | { readonly kind: 'refused'; readonly run: RunKey; readonly step: 'arm' | 'start'; readonly reason: string };

/** What can happen. */
export type SessionEvent =
  | { readonly kind: 'arm-ordered'; readonly run: RunKey }
  | { readonly kind: 'crew-armed'; readonly clientName: string; readonly pacing: string }
  | { readonly kind: 'arming-failed'; readonly reason: string }
  | { readonly kind: 'start-ordered'; readonly run: RunKey; readonly t0Ns: number; readonly nowNs: number }
  | { readonly kind: 'stop-ordered'; readonly run: RunKey; readonly drainNs: number; readonly reason: string }
  | { readonly kind: 'lease-lapsed'; readonly drainNs: number }
  /** Every worker has finished or is lost. */
  | { readonly kind: 'crew-over' }
  /** Every report, the final one included, has been answered. */
  | { readonly kind: 'all-answered' }
  | { readonly kind: 'release-ordered'; readonly run: RunKey }
  /** The coordinator has welcomed the agent (again): tell it where the session is. */
  | { readonly kind: 'welcomed' };

/** What is to be done. */
export type SessionEffect =
  | { readonly kind: 'begin-arming' }
  | { readonly kind: 'tell'; readonly state: SessionState }
  | { readonly kind: 'refuse-arm'; readonly run: RunKey; readonly reason: string }
  | { readonly kind: 'start-workers'; readonly t0Ns: number }
  | { readonly kind: 'stop-workers'; readonly drainNs: number }
  | { readonly kind: 'report-final' }
  /** Keep nothing of the run. `crew`: whether the workers can serve another one as they are. */
  | { readonly kind: 'forget'; readonly crew: 'keep' | 'dismiss' };

/** The next state and what follows from `event`. An event that does not concern the state changes nothing. */
export function advanceSession(
  state: SessionState,
  event: SessionEvent,
): { readonly state: SessionState; readonly effects: readonly SessionEffect[] } {
  switch (event.kind) {
    case 'arm-ordered':
      return onArm(state, event.run);
    case 'crew-armed': {
      if (state.kind !== 'arming') return unchanged(state);
      const { clientName, pacing } = event;
      return told({ kind: 'armed', run: state.run, clientName, pacing });
    }
    case 'arming-failed':
      if (state.kind !== 'arming') return unchanged(state);
      return told({ kind: 'refused', run: state.run, step: 'arm', reason: event.reason });
    case 'start-ordered':
      return onStart(state, event);
    case 'stop-ordered':
      if (state.kind === 'idle' || !isSameRun(state.run, event.run)) return unchanged(state);
      return onStop(state, event.drainNs, event.reason);
    case 'lease-lapsed':
      return state.kind === 'running' ? onStop(state, event.drainNs, 'the lease lapsed') : unchanged(state);
    case 'crew-over':
      if (state.kind !== 'running' && state.kind !== 'draining') return unchanged(state);
      return {
        state: { kind: 'reporting', run: state.run, stopped: state.kind === 'draining' ? state.reason : null },
        effects: [{ kind: 'report-final' }],
      };
    case 'all-answered':
      return state.kind === 'reporting'
        ? { state: { kind: 'idle' }, effects: [{ kind: 'forget', crew: 'keep' }] }
        : unchanged(state);
    case 'release-ordered':
      if (state.kind === 'idle' || !isSameRun(state.run, event.run)) return unchanged(state);
      return { state: { kind: 'idle' }, effects: [{ kind: 'forget', crew: crewAfterRelease(state) }] };
    case 'welcomed':
      return { state, effects: [{ kind: 'tell', state }] };
    default:
      return assertNever(event);
  }
}

type Advance = ReturnType<typeof advanceSession>;

function onArm(state: SessionState, run: RunKey): Advance {
  if (state.kind === 'idle') return { state: { kind: 'arming', run }, effects: [{ kind: 'begin-arming' }] };
  // The order was repeated because the answer to it was lost.
  if (isSameRun(state.run, run)) return { state, effects: [{ kind: 'tell', state }] };
  const reason = `busy with ${runText(state.run)} (${state.kind})`;
  return { state, effects: [{ kind: 'refuse-arm', run, reason }] };
}

function onStart(state: SessionState, order: { run: RunKey; t0Ns: number; nowNs: number }): Advance {
  if (state.kind === 'idle' || !isSameRun(state.run, order.run)) return unchanged(state);
  if (state.kind !== 'armed') return { state, effects: [{ kind: 'tell', state }] };
  const aheadNs = order.t0Ns - order.nowNs;
  if (aheadNs < START_MARGIN_NS) {
    const reason = `the start order came ${durationText(aheadNs)} before T0, at least ${durationText(START_MARGIN_NS)} are needed`;
    return told({ kind: 'refused', run: state.run, step: 'start', reason });
  }
  const running: SessionState = { kind: 'running', run: state.run, t0Ns: order.t0Ns, aheadNs };
  return {
    state: running,
    effects: [
      { kind: 'start-workers', t0Ns: order.t0Ns },
      { kind: 'tell', state: running },
    ],
  };
}

function onStop(state: Exclude<SessionState, { kind: 'idle' }>, drainNs: number, reason: string): Advance {
  switch (state.kind) {
    case 'running': {
      const draining: SessionState = { kind: 'draining', run: state.run, reason };
      return {
        state: draining,
        effects: [
          { kind: 'stop-workers', drainNs },
          { kind: 'tell', state: draining },
        ],
      };
    }
    case 'draining':
      // A second order cuts the drain short.
      return { state, effects: [{ kind: 'stop-workers', drainNs }] };
    case 'arming':
    case 'armed':
    case 'refused':
      // Nothing was sent; the release that follows clears it away.
      return told({ kind: 'refused', run: state.run, step: 'start', reason });
    case 'reporting':
      return unchanged(state);
    default:
      return assertNever(state);
  }
}

/** Workers that are in the middle of something are replaced; those of a finished run can serve the next. */
function crewAfterRelease(state: SessionState): 'keep' | 'dismiss' {
  return state.kind === 'reporting' ? 'keep' : 'dismiss';
}

function unchanged(state: SessionState): Advance {
  return { state, effects: [] };
}

function told(state: SessionState): Advance {
  return { state, effects: [{ kind: 'tell', state }] };
}
