/** Which exit code a run ends with and why (design §10). */

/** Why a run ends with its exit code. */
export type RunOutcomeKind =
  | 'ok'
  | 'threshold-failed'
  | 'threshold-no-data'
  | 'nothing-ok'
  | 'nothing-planned'
  | 'verdict-failed'
  | 'run-failed'
  | 'interrupted';

/** The end of a run as a process sees it. */
export interface RunOutcome {
  readonly kind: RunOutcomeKind;
  /** 0, 1, 3, 4, 130 or 143 (2 is the CLI's own). */
  readonly exitCode: number;
  /** All that was found wrong, most important first; empty when ok. */
  readonly reasons: readonly string[];
}
