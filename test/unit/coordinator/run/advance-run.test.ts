import { describe, expect, it } from 'vitest';
import { REPORT_MARGIN_NS, STOP_DRAIN_NS } from '../../../../coordinator/run/advance-run.ts';
import { deadlineOf } from '../../../../coordinator/run/run-state.ts';
import { FakeRun, SHAPE } from '../../../support/fake-run.ts';

describe('a run that goes well', () => {
  it('waits for its agents, arms them together, starts at one future instant, drains, ends', () => {
    const run = new FakeRun();
    run.happen({ kind: 'agents-ready', agents: ['a'] });
    expect(run.state.kind).toBe('planned');
    run.arming();
    expect(run.state.kind).toBe('arming');
    run.happen({ kind: 'armed', agent: 'a', startLeadNs: 0.5e9 });
    expect(run.kinds).toEqual(['arm-agents']);
    run.pass(3e9).happen({ kind: 'armed', agent: 'b', startLeadNs: 0.5e9 });
    expect(run.effects.at(-1)).toEqual({ kind: 'start-agents', t0Ns: run.nowNs + 0.5e9 });
    run.pass(61e9);
    expect(run.state).toMatchObject({ kind: 'draining', cause: { kind: 'plan-ended' } });
    run.happen({ kind: 'agent-done', agent: 'a' }).happen({ kind: 'agent-done', agent: 'b' });
    expect(run.end).toEqual({ kind: 'finished' });
    expect(deadlineOf(run.state)).toBeNull();
  });

  it('ends as soon as every final report is in, without waiting for the drain', () => {
    const run = new FakeRun().running().pass(10e9);
    run.happen({ kind: 'agent-done', agent: 'a' }).happen({ kind: 'agent-done', agent: 'b' });
    expect(run.end).toEqual({ kind: 'finished' });
  });

  it('takes no more agents than the plan asks for', () => {
    const run = new FakeRun().happen({ kind: 'agents-ready', agents: ['a', 'b', 'c'] });
    expect(run.effects).toEqual([{ kind: 'arm-agents', agents: ['a', 'b'] }]);
  });

  it('an agent that says armed twice does not stand for another one', () => {
    const run = new FakeRun().arming();
    run.happen({ kind: 'armed', agent: 'a', startLeadNs: 1 }).happen({ kind: 'armed', agent: 'a', startLeadNs: 1 });
    expect(run.state.kind).toBe('arming');
  });
});

describe('R102 every state has a deadline, and its end says what was missing', () => {
  it('planned: an agent that was to come is gone for good', () => {
    const missing = { kind: 'agent-missing', agent: 'a', reason: 'its process ended (SIGKILL)' } as const;
    const run = new FakeRun().happen(missing);
    expect(run.state).toMatchObject({ kind: 'failed', end: { reason: expect.stringContaining('SIGKILL') } });
    expect(new FakeRun().running().happen(missing).state).toMatchObject({ kind: 'running' });
  });

  it('planned: too few agents', () => {
    const run = new FakeRun().happen({ kind: 'agents-ready', agents: ['a'] }).pass(20e9);
    expect(run.end).toMatchObject({
      kind: 'failed',
      atNs: null,
      reason: expect.stringContaining('fewer than 2 agents'),
    });
  });

  it('arming: who is not armed', () => {
    const run = new FakeRun().arming().happen({ kind: 'armed', agent: 'a', startLeadNs: 1 }).pass(20e9);
    expect(run.end).toMatchObject({ kind: 'failed', atNs: null, reason: expect.stringContaining('agent b') });
  });

  it('draining: who has not reported is lost, the rest is reported', () => {
    const run = new FakeRun().running().happen({ kind: 'agent-done', agent: 'a' });
    run.pass(0.5e9 + SHAPE.releaseEndNs + SHAPE.drainNs + REPORT_MARGIN_NS);
    expect(run.effects.slice(-2)).toEqual([
      { kind: 'mark-lost', agents: ['b'], reason: 'no final report when the run ended' },
      { kind: 'end-run', end: { kind: 'finished' } },
    ]);
  });

  it('a deadline that comes early changes nothing', () => {
    const run = new FakeRun().running();
    const { state } = run;
    run.happen({ kind: 'deadline' });
    expect(run.state).toBe(state);
  });
});

describe('R078 a missing agent at the barrier means refusal', () => {
  it('lost while arming', () => {
    const run = new FakeRun().arming().happen({ kind: 'armed', agent: 'a', startLeadNs: 1 });
    run.happen({ kind: 'agent-lost', agent: 'a', reason: 'its process ended' });
    expect(run.end).toMatchObject({ kind: 'failed', atNs: null, reason: expect.stringContaining('its process ended') });
    // The report must not say of it that it finished.
    expect(run.effects.at(-2)).toEqual({ kind: 'mark-lost', agents: ['a'], reason: 'its process ended' });
  });

  it('cannot be armed', () => {
    const run = new FakeRun().arming().happen({ kind: 'refused', agent: 'b', step: 'arm', reason: 'no such file' });
    expect(run.end).toMatchObject({ kind: 'failed', reason: 'agent b refused to arm: no such file' });
  });

  it('would start late: all the others are stopped', () => {
    const run = new FakeRun().running().happen({ kind: 'refused', agent: 'b', step: 'start', reason: 'late' });
    expect(run.state).toMatchObject({ kind: 'draining', cause: { kind: 'failed' } });
    expect(run.effects.at(-1)).toMatchObject({ kind: 'stop-agents' });
    run.happen({ kind: 'agent-done', agent: 'a' }).pass(60e9);
    expect(run.end).toMatchObject({ kind: 'failed', reason: 'agent b refused to start: late' });
  });

  it('the loss of an agent that was never needed changes nothing', () => {
    const run = new FakeRun().running();
    const { state } = run;
    run.happen({ kind: 'agent-lost', agent: 'z', reason: 'gone' });
    expect(run.state).toBe(state);
  });
});

describe('R074 an agent is lost while running', () => {
  it('continue: goes on short, and knows it', () => {
    const run = new FakeRun().running().pass(10e9);
    run.happen({ kind: 'agent-lost', agent: 'a', reason: 'lease' });
    expect(run.state).toMatchObject({ kind: 'running', active: new Set(['b']) });
    expect(run.effects.at(-1)).toEqual({ kind: 'mark-lost', agents: ['a'], reason: 'lease' });
    run.happen({ kind: 'agent-done', agent: 'b' });
    expect(run.end).toEqual({ kind: 'finished' });
  });

  it('abort: stops the others with a short drain and fails', () => {
    const run = new FakeRun({ onAgentLoss: 'abort' }).running().pass(10.5e9);
    run.happen({ kind: 'agent-lost', agent: 'a', reason: 'lease' });
    expect(run.effects.slice(-2)).toEqual([
      { kind: 'mark-lost', agents: ['a'], reason: 'lease' },
      { kind: 'stop-agents', drainNs: STOP_DRAIN_NS, reason: 'agent a was lost: lease' },
    ]);
    run.happen({ kind: 'agent-done', agent: 'b' });
    expect(run.end).toEqual({ kind: 'failed', atNs: 10e9, reason: 'agent a was lost: lease' });
  });

  it.each(['continue', 'abort'] as const)('%s: the last one ends the run at once', (onAgentLoss) => {
    const run = new FakeRun({ agents: 1, onAgentLoss }).happen({ kind: 'agents-ready', agents: ['a'] });
    run.happen({ kind: 'armed', agent: 'a', startLeadNs: 0 }).pass(5e9);
    run.happen({ kind: 'agent-lost', agent: 'a', reason: 'lease' });
    expect(run.end).toMatchObject({ kind: 'failed', atNs: 5e9, reason: expect.stringContaining('no agent is left') });
  });

  it('lost while draining: its final report is no longer waited for', () => {
    const run = new FakeRun().running().pass(62e9).happen({ kind: 'agent-done', agent: 'b' });
    run.happen({ kind: 'agent-lost', agent: 'a', reason: 'lease' });
    expect(run.end).toEqual({ kind: 'finished' });
  });
});

describe('R100 signals', () => {
  it.each(['planned', 'arming'] as const)('while %s: ends at once, nothing was sent', (kind) => {
    const run = new FakeRun();
    if (kind === 'arming') run.arming();
    run.happen({ kind: 'stop', signal: 'SIGTERM', abrupt: false });
    expect(run.end).toEqual({ kind: 'interrupted', atNs: 0, signal: 'SIGTERM', abrupt: false });
  });

  it('the first one while running: arrivals stop, short drain, full report that says when', () => {
    const run = new FakeRun().running().pass(7.5e9);
    run.happen({ kind: 'stop', signal: 'SIGINT', abrupt: false });
    expect(run.effects.at(-1)).toEqual({ kind: 'stop-agents', drainNs: 2e9, reason: 'stopped by SIGINT' });
    run.pass(1e9).happen({ kind: 'agent-done', agent: 'a' }).happen({ kind: 'agent-done', agent: 'b' });
    expect(run.end).toEqual({ kind: 'interrupted', atNs: 7e9, signal: 'SIGINT', abrupt: false });
  });

  it('a plan with a shorter drain keeps it', () => {
    const run = new FakeRun({ drainNs: 0.1e9 }).running().happen({ kind: 'stop', signal: 'SIGINT', abrupt: false });
    expect(run.effects.at(-1)).toMatchObject({ drainNs: 0.1e9 });
  });

  it('during the drain: the drain is cut to the short one and the run is interrupted', () => {
    const run = new FakeRun().running().pass(62e9);
    run.happen({ kind: 'stop', signal: 'SIGINT', abrupt: false });
    expect(run.effects.at(-1)).toMatchObject({ kind: 'stop-agents', drainNs: 2e9 });
    run.happen({ kind: 'agent-done', agent: 'a' }).happen({ kind: 'agent-done', agent: 'b' });
    expect(run.end).toMatchObject({ kind: 'interrupted', signal: 'SIGINT' });
  });

  it('the second one: reports what exists, now; the instant is that of the first', () => {
    const run = new FakeRun().running().pass(7.5e9).happen({ kind: 'stop', signal: 'SIGINT', abrupt: false });
    run.pass(0.2e9).happen({ kind: 'stop', signal: 'SIGINT', abrupt: false });
    expect(run.effects.slice(-2)).toEqual([
      { kind: 'mark-lost', agents: ['a', 'b'], reason: 'no final report when the run ended' },
      { kind: 'end-run', end: { kind: 'interrupted', atNs: 7e9, signal: 'SIGINT', abrupt: true } },
    ]);
  });

  it('agents that do not answer a stop are given up within seconds', () => {
    const run = new FakeRun().running().pass(7.5e9).happen({ kind: 'stop', signal: 'SIGINT', abrupt: false });
    run.pass(11e9);
    expect(run.end).toMatchObject({ kind: 'interrupted', abrupt: false });
  });

  it('before T0 means run time 0', () => {
    const run = new FakeRun().running().happen({ kind: 'stop', signal: 'stop', abrupt: false }).pass(60e9);
    expect(run.end).toMatchObject({ kind: 'interrupted', atNs: 0 });
  });
});

describe('a broken invariant', () => {
  it('ends the run as failed, once', () => {
    const run = new FakeRun().running().pass(1.5e9).happen({ kind: 'broken', reason: 'sums differ' });
    expect(run.end).toEqual({ kind: 'failed', atNs: 1e9, reason: 'sums differ' });
    run.happen({ kind: 'broken', reason: 'again' });
    expect(run.kinds.filter((kind) => kind === 'end-run')).toHaveLength(1);
  });
});
