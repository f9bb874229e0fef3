/**
 * The reports of a run apart: those of its probe and those of the loaded agents, each summed as a run of its own. What both saw of
 * the same target is compared; the run itself is the sum of all and is kept elsewhere.
 */
import type { AgentReport } from '../../shared/metrics/agent-report.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { createRunMerge, type RunMerge, type SlotOwner } from './run-merge.ts';

/** The two parts. */
export interface ProbeParts {
  readonly probe: RunMerge;
  readonly loaded: RunMerge;
}

/** Parts that are being summed. */
export class ProbePartSums implements ProbeParts {
  readonly probe: RunMerge;
  readonly loaded: RunMerge;
  readonly #probeId: string;

  /** `slots` are those of the whole run; `probeId` is the agent that is the probe. */
  constructor(
    run: { readonly runId: string; readonly trial: number; readonly plan: Plan },
    slots: readonly SlotOwner[],
    probeId: string,
  ) {
    this.#probeId = probeId;
    this.probe = createRunMerge({ ...run, slots: slots.filter(({ agentId }) => agentId === probeId) });
    this.loaded = createRunMerge({ ...run, slots: slots.filter(({ agentId }) => agentId !== probeId) });
  }

  /** Takes a report that the run has taken. */
  apply(report: AgentReport): void {
    (report.key.agentId === this.#probeId ? this.probe : this.loaded).apply(report);
  }
}
