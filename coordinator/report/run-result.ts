/**
 * From the facts and the sums of a run to everything that is printed, stored and returned. Making the report never fails
 * because of what the run did: a run without one request, or whose books do not balance, gets a full report that says so.
 */
import { FleetError } from '../../shared/fleet-error.ts';
import type { RunMerge } from '../merge/run-merge.ts';
import type { RunRecord } from '../run/run-record.ts';
import type { RunOutcome } from './outcome-of-run.ts';
import type { ResultValue } from './result-value.ts';

/** A finished run as the outside sees it. Every text in it is already free of secrets (R106). */
export interface RunResult {
  /** The value of `result.json`. */
  readonly value: ResultValue;
  /** Which exit code, and why. */
  readonly outcome: RunOutcome;
  /** Console summary and `summary.txt`, ends in a newline. */
  readonly summary: string;
  /** Content of every file of the result folder by name; all plain UTF-8 text. May cross the wire to a distant CLI. */
  readonly files: ReadonlyMap<string, string>;
}

/** Makes the result of a run: balances the books, judges, writes every file in memory. */
export function buildRunResult(_record: RunRecord, _merge: RunMerge): RunResult {
  throw new FleetError('internal', 'buildRunResult is not built yet');
}
