/** What the command line and a coordinator that runs elsewhere say to each other, as domain values (see runs.proto). */

/** What was asked to be run: the plan, apart from the content of its files. */
export interface SubmitHeader {
  readonly protocol: number;
  /** The plan as canonical JSON. */
  readonly planJson: Uint8Array;
  readonly planSha256: string;
  readonly effectiveYaml: string;
  readonly secrets: readonly string[];
  readonly command: string;
}

/** One message of a submission: first the header, then the plan's files in pieces, one file after the other. */
export type SubmitMessage =
  | { readonly kind: 'header'; readonly header: SubmitHeader }
  | { readonly kind: 'piece'; readonly sha256: string; readonly content: Uint8Array };

/** What the fleet did in its newest complete stretch of run time; null = no sample. */
export interface ProgressStretch {
  /** Run time of its start and its length, ns; null before the first. */
  readonly startNs: number | null;
  readonly lengthNs: number;
  readonly scheduled: number;
  readonly sent: number;
  readonly ok: number;
  readonly failed: number;
  readonly dropped: number;
  readonly wakeLagP99Ns: number | null;
  readonly responseP50Ns: number | null;
  readonly responseP99Ns: number | null;
  /** Since T0, as far as reported: attempted, and not ended. */
  readonly inFlight: number;
  readonly failedSoFar: number;
  readonly droppedSoFar: number;
}

/** Where a run is. */
export interface RunProgress {
  readonly elapsedNs: number;
  readonly plannedNs: number;
  readonly state: string;
  readonly phase: string | null;
  readonly agentsAlive: number;
  readonly agentsTotal: number;
  readonly latest: ProgressStretch;
}

/** What a watcher is told: progress, then the result's files in pieces, then the end. A stream without `end` is a broken link. */
export type WatchEvent =
  | { readonly kind: 'progress'; readonly progress: RunProgress }
  | { readonly kind: 'piece'; readonly name: string; readonly content: Uint8Array }
  | {
      readonly kind: 'end';
      readonly outcome: string;
      readonly exitCode: number;
      readonly reasons: readonly string[];
      readonly summary: string;
    };

/** Who asked for a run to stop. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'stop';
