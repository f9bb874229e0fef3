/** The planned extent of a run. */
import type { Plan } from '../../shared/plan/plan.ts';

/** Run time at which the last phase ends, ns from T0. */
export function plannedEndNs(plan: Plan): number {
  return plan.phases.reduce((end, phase) => Math.max(end, phase.startNs + phase.durationNs), 0);
}
