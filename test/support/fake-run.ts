/** A run's state machine with a clock of its own, for tests: events in by hand, deadlines as time passes. */
import { advanceRun } from '../../coordinator/run/advance-run.ts';
import {
  deadlineOf,
  plannedRun,
  type RunEffect,
  type RunHappening,
  type RunShape,
  type RunState,
} from '../../coordinator/run/run-state.ts';

/** Two agents, a minute of load. */
export const SHAPE: RunShape = {
  agents: 2,
  releaseEndNs: 60e9,
  drainNs: 30e9,
  armTimeoutNs: 20e9,
  onAgentLoss: 'continue',
};

export class FakeRun {
  nowNs = 1000e9;
  state: RunState;
  readonly effects: RunEffect[] = [];
  readonly shape: RunShape;

  constructor(change: Partial<RunShape> = {}) {
    this.shape = { ...SHAPE, ...change };
    this.state = plannedRun(this.shape, this.nowNs);
  }

  happen(happening: RunHappening): this {
    const { state, effects } = advanceRun(this.shape, this.state, { ...happening, nowNs: this.nowNs });
    this.state = state;
    this.effects.push(...effects);
    return this;
  }

  /** Moves the clock; the deadline acts if it passes. */
  pass(ns: number): this {
    const untilNs = this.nowNs + ns;
    for (let at = deadlineOf(this.state); at !== null && at <= untilNs; at = deadlineOf(this.state)) {
      this.nowNs = Math.max(this.nowNs, at);
      this.happen({ kind: 'deadline' });
    }
    this.nowNs = untilNs;
    return this;
  }

  arming(): this {
    return this.happen({ kind: 'agents-ready', agents: ['a', 'b'] });
  }

  /** Both armed; T0 half a second ahead. */
  running(): this {
    const startLeadNs = 0.5e9;
    return this.arming()
      .happen({ kind: 'armed', agent: 'a', startLeadNs })
      .happen({ kind: 'armed', agent: 'b', startLeadNs });
  }

  get kinds(): string[] {
    return this.effects.map((effect) => effect.kind);
  }

  get end(): unknown {
    return 'end' in this.state ? this.state.end : null;
  }
}
