import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  advanceSession,
  type SessionEvent,
  type SessionState,
  START_MARGIN_NS,
} from '../../../../agent/session/session-state.ts';

const run = { runId: 'run-1', trial: 0 };
const other = { runId: 'run-2', trial: 0 };
const idle: SessionState = { kind: 'idle' };
const armed: SessionState = { kind: 'armed', run, clientName: 'c', pacing: 'timer' };
const running: SessionState = { kind: 'running', run, t0Ns: 50e9, aheadNs: 1e9 };
const draining: SessionState = { kind: 'draining', run, reason: 'stopped' };
const reporting: SessionState = { kind: 'reporting', run, stopped: null };

/** Kinds of the effects that follow. */
function effectsOf(state: SessionState, event: SessionEvent): string[] {
  return advanceSession(state, event).effects.map((effect) => effect.kind);
}

/** Applies events one after the other. */
function follow(state: SessionState, ...events: SessionEvent[]): SessionState {
  return events.reduce((now, event) => advanceSession(now, event).state, state);
}

describe('a run from order to answer', () => {
  it('goes idle, arming, armed, running, reporting, idle when the plan ends by itself', () => {
    const steps: SessionEvent[] = [
      { kind: 'arm-ordered', run },
      { kind: 'crew-armed', clientName: 'undici http/1.1', pacing: 'timer' },
      { kind: 'start-ordered', run, t0Ns: 20e9, nowNs: 19.5e9 },
      { kind: 'crew-over' },
      { kind: 'all-answered' },
    ];
    const seen: string[] = [];
    const effects: string[] = [];
    let state: SessionState = idle;
    for (const step of steps) {
      const next = advanceSession(state, step);
      state = next.state;
      seen.push(state.kind);
      effects.push(...next.effects.map((effect) => effect.kind));
    }
    expect(seen).toEqual(['arming', 'armed', 'running', 'reporting', 'idle']);
    expect(effects).toEqual(['begin-arming', 'tell', 'start-workers', 'tell', 'report-final', 'forget']);
  });

  it('drains on stop, and a second stop cuts the drain short', () => {
    const first = advanceSession(running, { kind: 'stop-ordered', run, drainNs: 2e9, reason: 'SIGINT' });
    expect(first.state).toEqual({ kind: 'draining', run, reason: 'SIGINT' });
    expect(first.effects[0]).toEqual({ kind: 'stop-workers', drainNs: 2e9 });
    const second = advanceSession(first.state, { kind: 'stop-ordered', run, drainNs: 0, reason: 'SIGINT' });
    expect(second.effects).toEqual([{ kind: 'stop-workers', drainNs: 0 }]);
  });

  it('remembers, while its reports wait, why it ended before the plan was over', () => {
    expect(follow(draining, { kind: 'crew-over' })).toEqual({ kind: 'reporting', run, stopped: 'stopped' });
    expect(follow(running, { kind: 'crew-over' })).toEqual({ kind: 'reporting', run, stopped: null });
  });

  it('keeps its workers for the next run when all is answered, and replaces them when it was cut off', () => {
    expect(advanceSession(reporting, { kind: 'all-answered' }).effects).toEqual([{ kind: 'forget', crew: 'keep' }]);
    expect(advanceSession(reporting, { kind: 'release-ordered', run }).effects).toEqual([
      { kind: 'forget', crew: 'keep' },
    ]);
    for (const state of [armed, running, draining]) {
      expect(advanceSession(state, { kind: 'release-ordered', run }).effects).toEqual([
        { kind: 'forget', crew: 'dismiss' },
      ]);
    }
  });
});

describe('the start', () => {
  it('R078 is refused by an agent that would start late, never shifted', () => {
    const late = { kind: 'start-ordered', run, t0Ns: 20e9, nowNs: 20e9 - START_MARGIN_NS + 1 } as const;
    const { state, effects } = advanceSession(armed, late);
    expect(state).toMatchObject({ kind: 'refused', step: 'start' });
    expect(effects.map((effect) => effect.kind)).toEqual(['tell']);
    expect(follow(armed, { ...late, nowNs: 20e9 - START_MARGIN_NS }).kind).toBe('running');
  });

  it('repeated by a coordinator that missed the answer is answered again and starts nothing twice', () => {
    expect(effectsOf(running, { kind: 'start-ordered', run, t0Ns: 50e9, nowNs: 60e9 })).toEqual(['tell']);
  });
});

describe('orders that do not fit', () => {
  it('another run while busy is refused and harms nothing', () => {
    const { state, effects } = advanceSession(running, { kind: 'arm-ordered', run: other });
    expect(state).toBe(running);
    expect(effects).toEqual([{ kind: 'refuse-arm', run: other, reason: 'busy with run run-1 (running)' }]);
  });

  it('a repeated arm order is answered with where the session stands', () => {
    expect(effectsOf(armed, { kind: 'arm-ordered', run })).toEqual(['tell']);
  });

  it.each([idle, armed, running, draining, reporting])('orders for another run change nothing in $kind', (state) => {
    for (const event of [
      { kind: 'start-ordered', run: other, t0Ns: 99e9, nowNs: 0 },
      { kind: 'stop-ordered', run: other, drainNs: 0, reason: 'x' },
      { kind: 'release-ordered', run: other },
    ] as const) {
      expect(advanceSession(state, event)).toEqual({ state, effects: [] });
    }
  });

  it('a stop before the start means that nothing will be sent', () => {
    const stopped = follow(armed, { kind: 'stop-ordered', run, drainNs: 2e9, reason: 'SIGINT' });
    expect(stopped).toMatchObject({ kind: 'refused', step: 'start', reason: 'SIGINT' });
    expect(follow(stopped, { kind: 'start-ordered', run, t0Ns: 99e9, nowNs: 0 }).kind).toBe('refused');
  });
});

describe('the lease', () => {
  it('R075 lapsed ends a running share, and only that', () => {
    expect(effectsOf(running, { kind: 'lease-lapsed', drainNs: 1e9 })).toEqual(['stop-workers', 'tell']);
    for (const state of [idle, armed, draining, reporting]) {
      expect(advanceSession(state, { kind: 'lease-lapsed', drainNs: 1e9 })).toEqual({ state, effects: [] });
    }
  });
});

describe('whatever comes in whatever order', () => {
  const anyRun = fc.constantFrom(run, other);
  const event: fc.Arbitrary<SessionEvent> = fc.oneof(
    fc.record({ kind: fc.constant('arm-ordered' as const), run: anyRun }),
    fc.constant({ kind: 'crew-armed' as const, clientName: 'c', pacing: 'p' }),
    fc.constant({ kind: 'arming-failed' as const, reason: 'r' }),
    fc.record({ kind: fc.constant('start-ordered' as const), run: anyRun, t0Ns: fc.nat(1e9), nowNs: fc.nat(1e9) }),
    fc.record({ kind: fc.constant('stop-ordered' as const), run: anyRun, drainNs: fc.nat(), reason: fc.constant('s') }),
    fc.constant({ kind: 'lease-lapsed' as const, drainNs: 1 }),
    fc.constant({ kind: 'crew-over' as const }),
    fc.constant({ kind: 'all-answered' as const }),
    fc.record({ kind: fc.constant('release-ordered' as const), run: anyRun }),
    fc.constant({ kind: 'welcomed' as const }),
  );

  it('workers are started only when armed and at most once a run; the final report comes at most once a run', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let state: SessionState = idle;
        let started = false;
        let reported = false;
        for (const each of events) {
          const before = state;
          const { state: next, effects } = advanceSession(state, each);
          for (const effect of effects) {
            if (effect.kind === 'begin-arming') {
              expect(before.kind).toBe('idle');
              started = false;
              reported = false;
            }
            if (effect.kind === 'start-workers') {
              expect(before.kind).toBe('armed');
              expect(started).toBe(false);
              started = true;
            }
            if (effect.kind === 'report-final') {
              expect(started).toBe(true);
              expect(reported).toBe(false);
              reported = true;
            }
          }
          state = next;
        }
        // A release always frees the agent.
        if ('run' in state) expect(follow(state, { kind: 'release-ordered', run: state.run })).toEqual(idle);
      }),
      { numRuns: 1000 },
    );
  });
});
