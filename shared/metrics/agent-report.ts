/**
 * What an agent tells the coordinator: merged deltas of its workers for a run of windows, immutable once numbered (design §8).
 * Applied once by its key (run, trial, agent, incarnation, seq), in any order, with an exact result.
 */
import type { SparseHistogram } from '../histogram/sparse-histogram.ts';
import type { CounterCell } from './counters.ts';
import type { SlotFidelity } from './fidelity.ts';
import type { SlotRecords } from './request-record.ts';
import type { MetricId, SeriesStatus } from './metric.ts';

/** Identity of a report; equal keys mean the same bytes. */
export interface ReportKey {
  readonly runId: string;
  readonly trial: number;
  readonly agentId: string;
  /** New for each start of an agent process. */
  readonly incarnation: string;
  /** 1, 2, 3 … per (run, trial, agent, incarnation). */
  readonly seq: number;
}

/** Which part of the run a cell or a series delta belongs to. Totals over names go by window; named ones by phase only (design §7). */
export type CellScope =
  | { readonly kind: 'window'; readonly phase: number; readonly window: number }
  | { readonly kind: 'request'; readonly phase: number; readonly request: string };

/** Books gained by one scope since the last report. */
export interface CounterDelta {
  readonly scope: CellScope;
  readonly cell: CounterCell;
}

/** Samples gained by one series since the last report. */
export interface SeriesDelta {
  readonly scope: CellScope;
  readonly metric: MetricId;
  readonly status: SeriesStatus;
  readonly samples: SparseHistogram;
}

/** How far one worker slot has decided its own arrivals. */
export interface WorkerProgress {
  /** Global worker slot 0..W-1. */
  readonly slot: number;
  /** Every own arrival intended before this instant is attempted, dropped or cancelled. */
  readonly decidedThroughNs: number;
  readonly state: 'running' | 'finished' | 'lost';
}

/** A sample of error texts per failure class, capped and normalised (R095). */
export interface FailureExample {
  readonly class: string;
  readonly detail: string;
  readonly count: number;
}

/** One sample of a host- or worker-level gauge; `value` null = could not be read (never 0). */
export interface TelemetrySample {
  readonly window: number;
  /** Worker slot, or null for the whole agent process or host. */
  readonly slot: number | null;
  readonly name: string;
  readonly value: number | null;
}

/** One agent's merged deltas. */
export interface AgentReport {
  readonly key: ReportKey;
  readonly firstWindow: number;
  readonly lastWindow: number;
  readonly counters: readonly CounterDelta[];
  readonly series: readonly SeriesDelta[];
  readonly workers: readonly WorkerProgress[];
  readonly failures: readonly FailureExample[];
  readonly telemetry: readonly TelemetrySample[];
  /** Windows of workers that became complete; each (slot, window) comes once per trial. */
  readonly fidelity: readonly SlotFidelity[];
  /** Rows of requests that ended, where the plan wants them. */
  readonly requests: readonly SlotRecords[];
  readonly warnings: readonly string[];
  /** On the last report of a trial: the sender's own cumulative books over all scopes of kind `window`; the receiver's sums must equal them. */
  readonly final: CounterCell | null;
}
