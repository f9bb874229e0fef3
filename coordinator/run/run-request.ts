/** What a coordinator is asked to run, and the shape of it that the run's state machine needs. */
import { FleetError } from '../../shared/fleet-error.ts';
import type { Plan, PlanBundle } from '../../shared/plan/plan.ts';
import { releaseEndNs } from '../../shared/plan/release-end.ts';
import type { ProbeRequest } from '../fleet/deal-slots.ts';
import type { RunShape } from './run-state.ts';

/** A plan with its files, and how it was asked for. */
export interface RunRequest {
  readonly bundle: PlanBundle;
  /** The command line, for the report. */
  readonly command: string;
  /** An agent beside those of the plan that sends a few lanes of it and is otherwise idle (M§9.3). */
  readonly probe?: ProbeRequest;
}

/** What the plan says of a lost agent. @throws FleetError `plan` for what this build cannot do yet. */
export function agentLossPolicyOf({ fleet: { onAgentLoss } }: Plan): RunShape['onAgentLoss'] {
  if (onAgentLoss !== 'redeal') return onAgentLoss;
  throw new FleetError('plan', 'fleet.onAgentLoss: redeal is not available in this version; use continue or abort');
}

/** The shape of the plan. @throws FleetError `plan` for what this build cannot do yet. */
export function runShapeOf({ bundle: { plan }, probe }: RunRequest): RunShape {
  const { agents, armTimeoutNs } = plan.fleet;
  const onAgentLoss = agentLossPolicyOf(plan);
  return {
    agents: agents + (probe === undefined ? 0 : 1),
    releaseEndNs: releaseEndNs(plan),
    drainNs: plan.limits.drainNs,
    armTimeoutNs,
    onAgentLoss,
  };
}
