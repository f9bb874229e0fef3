/**
 * The coordinator's exact sum of all reports of one trial. A report counts once, whole or not at all, in any order, however
 * often it is sent (P5, P6). Reads are made when the run is over; `latest` serves the progress line while it runs.
 * Not a judge: it neither balances the books (books.ts) nor evaluates gates (verdict/).
 */
import { FleetError } from '../../shared/fleet-error.ts';
import type { AgentReport } from '../../shared/metrics/agent-report.ts';
import type { Plan } from '../../shared/plan/plan.ts';

/** Which agent process owns a global worker slot. */
export interface SlotOwner {
  /** Global worker slot 0..W-1. */
  readonly slot: number;
  readonly agentId: string;
  readonly incarnation: string;
}

/** What became of one received report. Acknowledge `applied` and `duplicate`; never `rejected`. */
export type ApplyOutcome =
  | { readonly kind: 'applied' }
  | { readonly kind: 'duplicate' }
  /** Nothing of it was applied. The reason names the agent, the field and the limit; the run will be incomplete (R070). */
  | { readonly kind: 'rejected'; readonly reason: string };

/** Whether all that an agent counted has arrived. */
export type Completeness =
  | { readonly kind: 'complete' }
  /** Its last report of the trial, the one with its own sums, has not come. */
  | { readonly kind: 'no-final' }
  /** Reports below its highest number are missing. */
  | { readonly kind: 'gap'; readonly missing: readonly number[] }
  /** Its own sums differ from ours. */
  | {
      readonly kind: 'differs';
      readonly counters: readonly { readonly name: string; readonly received: number; readonly sent: number }[];
    };

/** What the fleet did in its newest windows, for the progress line. Null times = no sample. */
export interface LatestWindow {
  /** Index of the newest window that every live agent has reported, null before the first. */
  readonly window: number | null;
  readonly scheduled: number;
  readonly sent: number;
  readonly ok: number;
  readonly failed: number;
  readonly dropped: number;
  readonly wakeLagP99Ns: number | null;
  readonly responseP50Ns: number | null;
  readonly responseP99Ns: number | null;
  /** Since T0: attempted - ok - failed - unfinished, as far as reported. */
  readonly inFlight: number;
  readonly failedSoFar: number;
  readonly droppedSoFar: number;
}

/** The sum of one trial's reports. */
export interface RunMerge {
  /** Takes one report; cheap enough for a hundred agents a second. Never throws for a bad report. */
  apply(report: AgentReport): ApplyOutcome;
  /** Highest `decidedThroughNs` of a worker slot, 0 before its first report. */
  decidedThroughNs(slot: number): number;
  /** Whether everything of this agent process has arrived; ask it before ending a run. */
  completenessOf(agentId: string, incarnation: string): Completeness;
  /** The newest complete window, for the progress line. */
  latest(): LatestWindow;
}

/** An empty sum for trial `trial` of run `runId` of `plan`, dealt to `slots`. */
export function createRunMerge(_options: {
  readonly runId: string;
  readonly trial: number;
  readonly plan: Plan;
  readonly slots: readonly SlotOwner[];
}): RunMerge {
  throw new FleetError('internal', 'createRunMerge is not built yet');
}
