/**
 * The reports of one run: decoded, summed once each, and the rows of its requests put into their file. It knows neither where the run
 * is nor who is still alive; whether a report belongs to the run at all is asked before.
 */
import { InvariantError } from '../../shared/fleet-error.ts';
import { createRedactor } from '../../shared/plan/redact-secrets.ts';
import type { RunKey } from '../../shared/rpc/control-message.ts';
import { decodeReport } from '../../shared/rpc/report-codec.ts';
import type { ReportMessage } from '../../shared/rpc/report-message.ts';
import { toFleetError } from '../../shared/rpc/rpc-status.ts';
import { ProbePartSums } from '../merge/probe-parts.ts';
import { type ApplyOutcome, createRunMerge, type RunMerge, type SlotOwner } from '../merge/run-merge.ts';
import { RequestFile, type RequestFileRecord } from '../report/request-file.ts';
import { RequestLines } from '../report/request-line.ts';
import type { RunRequest } from './run-request.ts';

/** What became of a report. */
export interface TakenReport {
  /** `broken`: as `rejected`, and the books cannot be believed any more. */
  readonly outcome: ApplyOutcome | { readonly kind: 'broken'; readonly reason: string };
  /** The agent's last one. */
  readonly isFinal: boolean;
}

export class RunReports {
  readonly #run: RunKey;
  readonly #request: RunRequest;
  readonly #requestFile: RequestFile | null;
  #merge: RunMerge;
  #parts: ProbePartSums | null = null;

  /** @throws FleetError `io` when the file of requests, where the plan wants one, cannot be made. */
  constructor(run: RunKey, request: RunRequest) {
    const { plan, secrets } = request.bundle;
    const limit = plan.output.perRequestLimit;
    this.#run = run;
    this.#request = request;
    this.#merge = createRunMerge({ ...run, plan, slots: [] });
    this.#requestFile =
      limit === null ? null : new RequestFile(new RequestLines(plan, run.trial, createRedactor(secrets)), limit);
  }

  /** The sum of all that was taken. */
  get merge(): RunMerge {
    return this.#merge;
  }

  /** The sums of the probe and of the others apart; null without a probe. */
  get parts(): ProbePartSums | null {
    return this.#parts;
  }

  /** The run was dealt to `slots`: the sums begin. */
  begin(slots: readonly SlotOwner[]): void {
    const { bundle, probe } = this.#request;
    const { plan } = bundle;
    this.#merge = createRunMerge({
      ...this.#run,
      plan,
      slots,
      onRequests: (source, rows, leftOut) => this.#requestFile?.add(source, rows, leftOut),
    });
    if (probe !== undefined) this.#parts = new ProbePartSums({ ...this.#run, plan }, slots, probe.agentId);
  }

  /** Takes a report of this run. Never throws for a bad one. */
  take(message: ReportMessage): TakenReport {
    try {
      const report = decodeReport(message);
      const outcome = this.#merge.apply(report);
      if (outcome.kind === 'applied') this.#parts?.apply(report);
      return { outcome, isFinal: report.final !== null };
    } catch (thrown) {
      const { message: reason } = toFleetError(thrown);
      return { outcome: { kind: thrown instanceof InvariantError ? 'broken' : 'rejected', reason }, isFinal: false };
    }
  }

  /** Ends the file of requests; null where the plan wants none. */
  async endRequestFile(): Promise<RequestFileRecord | null> {
    return (await this.#requestFile?.end()) ?? null;
  }
}
