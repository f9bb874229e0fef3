/** What a coordinator is asked to run, and the shape of it that the run's state machine needs. */
import { FleetError } from '../../shared/fleet-error.ts';
import type { PlanBundle } from '../../shared/plan/plan.ts';
import type { RunShape } from './run-state.ts';

/** A plan with its files, and how it was asked for. */
export interface RunRequest {
  readonly bundle: PlanBundle;
  /** The command line, for the report. */
  readonly command: string;
}

/** The shape of the plan. @throws FleetError `plan` for what this build cannot do yet. */
export function runShapeOf({ bundle: { plan } }: RunRequest): RunShape {
  const { onAgentLoss, agents, armTimeoutNs } = plan.fleet;
  if (onAgentLoss === 'redeal') {
    throw new FleetError('plan', 'fleet.onAgentLoss: redeal is not available in this version; use continue or abort');
  }
  return {
    agents,
    releaseEndNs: planEndNs(plan) + plan.limits.phaseGraceNs,
    drainNs: plan.limits.drainNs,
    armTimeoutNs,
    onAgentLoss,
  };
}

/** Scheduled length of all phases, ns. */
export function planEndNs(plan: PlanBundle['plan']): number {
  return plan.phases.reduce((endNs, phase) => Math.max(endNs, phase.startNs + phase.durationNs), 0);
}
