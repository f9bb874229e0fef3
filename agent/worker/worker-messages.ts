/**
 * Messages between the agent's main thread and one worker thread, over a MessagePort. Both sides import this file.
 * Histogram buffers are transferred, never copied or encoded here; main empties and returns them for reuse.
 */
import type { RecordingBlock } from '../../shared/histogram/recording-block.ts';
import type { CellScope, CounterDelta, FailureExample } from '../../shared/metrics/agent-report.ts';
import type { WindowFidelity } from '../../shared/metrics/fidelity.ts';
import type { MetricId, SeriesStatus } from '../../shared/metrics/metric.ts';
import type { Pacing, Plan } from '../../shared/plan/plan.ts';
import type { AnswerText } from './answer-text.ts';
import type { LoggedRequests } from './logged-requests.ts';

/** What one worker needs to run one trial. */
export interface WorkerAssignment {
  readonly runId: string;
  readonly trial: number;
  readonly plan: Plan;
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  /** Global worker slot. */
  readonly slot: number;
  /** Lanes dealt to the slot, ascending. */
  readonly lanes: Int32Array;
  /** Resolved pacing (never `auto`). */
  readonly pacing: Exclude<Pacing, 'auto'>;
  /** Requests of the trial that this worker may keep a row of; null = none are wanted. */
  readonly recordLimit: number | null;
}

/** Main thread to worker. */
export type ToWorker =
  | { readonly kind: 'arm'; readonly assignment: WorkerAssignment }
  /** T0 on the host's monotonic clock, ns (exact below 2^53). */
  | { readonly kind: 'start'; readonly t0HostNs: number }
  /** Stop releasing now; drain for at most `drainNs`. The shared stop flag is set before. */
  | { readonly kind: 'stop'; readonly drainNs: number }
  /** Emptied buffers to record into again. */
  | { readonly kind: 'recycle'; readonly blocks: readonly RecordingBlock[] }
  /** Close clients and end the task. */
  | { readonly kind: 'exit' };

/** Samples of one series since the last hand-over. */
export interface SeriesBlock {
  readonly scope: CellScope;
  readonly metric: MetricId;
  readonly status: SeriesStatus;
  readonly block: RecordingBlock;
}

/** Everything a worker gained since its last hand-over. */
export interface WorkerHandover {
  /** Windows below this are complete: no later hand-over ends a request or releases an arrival in them. */
  readonly completeBelowWindow: number;
  readonly decidedThroughNs: number;
  readonly counters: readonly CounterDelta[];
  readonly series: readonly SeriesBlock[];
  readonly failures: readonly FailureExample[];
  /** `value` null = could not be read. */
  readonly gauges: readonly { readonly name: string; readonly value: number | null }[];
  /** Windows that became complete, each once: planned against sent. */
  readonly fidelity: readonly WindowFidelity[];
  /** Texts for a tokenizer. */
  readonly texts: readonly AnswerText[];
  /** Rows of requests that ended. */
  readonly requests: LoggedRequests;
  readonly warnings: readonly string[];
}

/** Worker to main thread. */
export type FromWorker =
  | { readonly kind: 'armed'; readonly slot: number; readonly clientName: string }
  | { readonly kind: 'handover'; readonly slot: number; readonly handover: WorkerHandover }
  /** All own arrivals decided and every request ended or given up as unfinished; the last hand-over came before. */
  | { readonly kind: 'finished'; readonly slot: number }
  | { readonly kind: 'fault'; readonly slot: number; readonly message: string; readonly stack: string | null };

/** Shared memory of one worker: Int32 cells, read before every release. */
export const CONTROL_CELLS = { stop: 0, leaseDeadlineDeciseconds: 1, length: 2 } as const;
