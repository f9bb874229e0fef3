/** What the coordinator tells an agent of its run, by the run's state. Every order may be said again: a link that was away may have lost it. */
import { createHash } from 'node:crypto';
import { assertNever } from '../../shared/assert-never.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { planToJson } from '../../shared/plan/plan-json.ts';
import type { Arm, CoordinatorMessage, RunKey } from '../../shared/rpc/control-message.ts';
import type { Member } from '../fleet/member.ts';
import type { RunRoster } from './run-roster.ts';
import type { RunState } from './run-state.ts';

export class RunOrders {
  readonly #run: RunKey;
  readonly #arm: Omit<Arm, 'grants' | 'workerSlots'>;
  readonly #roster: RunRoster;

  /** `roster` says what each agent was given. */
  constructor(run: RunKey, plan: Plan, roster: RunRoster) {
    const planJson = planToJson(plan);
    const planSha256 = createHash('sha256').update(planJson).digest('hex');
    this.#run = run;
    this.#arm = { kind: 'arm', run, planJson, planSha256, laneCount: plan.laneCount };
    this.#roster = roster;
  }

  /** Get ready. Only once all agents are in the roster. */
  arm(member: Member): Arm {
    const grants = this.#roster.grantsOf(member.identity.agentId);
    return { ...this.#arm, grants, workerSlots: this.#roster.workerSlots };
  }

  /** T0 on the member's own clock. The clock is known: only ready members are armed. */
  start(member: Member, t0Ns: number): CoordinatorMessage {
    const offsetNs = this.#roster.startOffsetNs(member.identity.agentId);
    return { kind: 'start', run: this.#run, t0AgentClockNs: Math.round(t0Ns + offsetNs) };
  }

  /** The run is over. */
  release({ kind }: Extract<RunState, { readonly end: unknown }>): CoordinatorMessage {
    return { kind: 'release', run: this.#run, reason: `the run is ${kind}` };
  }

  /** The order that a member must have got by now; null when there is none. */
  last(member: Member, state: RunState): CoordinatorMessage | null {
    switch (state.kind) {
      case 'arming':
        return this.arm(member);
      case 'running':
        return this.start(member, state.t0Ns);
      case 'draining':
        if (state.cause.kind === 'plan-ended') return null;
        return { kind: 'stop', run: this.#run, drainNs: 0, reason: 'the run was stopped while the link was away' };
      case 'planned':
        return null;
      case 'finished':
      case 'failed':
      case 'interrupted':
        return this.release(state);
      default:
        return assertNever(state);
    }
  }
}
