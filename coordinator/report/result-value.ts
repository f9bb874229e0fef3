/**
 * The value of `result.json` (design §10), field by field; `docs/results.md` explains them, `docs/result.schema.json` checks
 * them. Missing is null, never 0, NaN or Infinity (P8). Times are integer ns unless a name says otherwise; instants are UTC.
 * Fields may be added under the same `schema`; none is renamed or changes its meaning.
 */
import type { Accounting } from '../merge/accounting.ts';
import type { DropReason, FailureClass } from '../../shared/metrics/outcome.ts';
import type { CalibrationRecheck } from '../verdict/recheck-gate.ts';
import type { ScopeVerdict } from '../verdict/scope-verdict.ts';
import type { Verdict } from '../verdict/verdict.ts';
import type { StretchVerdict } from '../verdict/window-marks.ts';
import type { FidelityValue } from './fidelity-value.ts';
import type { MetricSummary } from './metric-summary.ts';
import type { BacklogValue } from './backlog-of-phase.ts';
import type { StatisticsValue } from './percentile-statistics.ts';
import type { JsonInteger } from './json-integer.ts';
import type { RateValue, TrafficValue } from './scope-value.ts';
import type { WithFailuresValue } from './with-failures.ts';
import type { LlmValue } from './llm-value.ts';
import type { LoadValue } from './load-value.ts';
import type { DatasetValue } from './dataset-value.ts';
import type { ServerValue } from './server-value.ts';
import type { SessionValue } from './session-value.ts';
import type { RunOutcome } from './outcome-of-run.ts';
import type { ThresholdValue } from './threshold-value.ts';

/** Names the shape and its version. */
export const RESULT_SCHEMA = 'loadfleet/result/v1';

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** The whole value. */
export interface ResultValue {
  readonly schema: typeof RESULT_SCHEMA;
  readonly run: RunValue;
  readonly verdict: Verdict;
  /** All phases, warm-up included. */
  readonly accounting: Accounting;
  /** The phases that are not warm-up, chosen by intended instant (R066); everything down to `traffic` is about them. */
  readonly measured: {
    readonly phases: readonly string[];
    /** Their scheduled length together. */
    readonly lengthNs: number;
    /** Of it what came before the run was stopped; `lengthNs` where it was not. */
    readonly ranNs: number;
    readonly accounting: Accounting;
  };
  /** (failed + dropped + unfinished) / (attempted + dropped); null when both are 0. */
  readonly failureShare: number | null;
  readonly rate: RateValue;
  /** Of ok requests: the headline. */
  readonly metrics: Readonly<Record<string, MetricSummary>>;
  /** The same of failed requests. */
  readonly metricsFailed: Readonly<Record<string, MetricSummary>>;
  readonly responseWithFailures: WithFailuresValue;
  /** Confidence, effective sample size and the fleet's possible share, by metric and percentile. */
  readonly statistics: StatisticsValue;
  readonly slo: SloValue | null;
  /** Null for a plan without LLM requests. */
  readonly llm: LlmValue | null;
  readonly thresholds: readonly ThresholdValue[];
  readonly fidelity: FidelityValue;
  readonly traffic: TrafficValue;
  /** In the order of the plan. */
  readonly phases: readonly PhaseValue[];
  /** Request names, over the measured phases. */
  readonly workload: readonly WorkloadValue[];
  readonly agents: readonly AgentValue[];
  /** By phase and time; rows without any event are left out. */
  readonly windows: readonly WindowValue[];
  readonly gauges: readonly GaugeValue[];
  /** The LLM workload that was sent; null for a plan without `data.dataset`. */
  readonly dataset: DatasetValue | null;
  /** Sessions of several turns, of the measured phases; null for a plan without. */
  readonly sessions: SessionValue | null;
  /** Pages of the server's own numbers that the plan had read. */
  readonly server: readonly ServerValue[];
  /** `requests.jsonl`; null when the plan does not want it. */
  readonly requests: RequestsValue | null;
  /** Checks of the agents' machine before and after the run; null where nobody asked for them. */
  readonly calibrationRecheck: CalibrationRecheck | null;
  readonly failures: readonly FailureValue[];
  readonly warnings: readonly string[];
}

/** What was run. */
export interface RunValue {
  readonly id: string;
  readonly trial: number;
  /** Wall clock at T0; a label only. */
  readonly startedAt: string;
  /** Run time from T0 to the end of the drain. */
  readonly durationNs: number;
  readonly seed: JsonInteger;
  readonly loadfleetVersion: string;
  readonly command: string;
  /** The effective plan as typed values, without secrets; `plan.effective.yaml` is the same as text. */
  readonly plan: JsonValue;
  readonly end: {
    readonly kind: 'finished' | 'interrupted' | 'failed';
    /** Run time of the interruption or failure. */
    readonly atNs: number | null;
    readonly reason: string | null;
    /** A second signal cut the drain short. */
    readonly abrupt: boolean;
  };
  readonly outcome: RunOutcome;
  readonly workerSlots: number;
}

/** Goodput: ok requests that met every bound. */
export interface SloValue {
  readonly bounds: readonly { readonly metric: string; readonly maxNs: number }[];
  readonly good: number;
  /** good / (attempted + dropped). */
  readonly goodShare: number | null;
  readonly goodputPerSecond: number | null;
}

/** One phase. */
export interface PhaseValue {
  readonly name: string;
  readonly warmup: boolean;
  readonly startNs: number;
  readonly durationNs: number;
  /** The kind of its arrival law. */
  readonly arrivals: string;
  /** What it asks, and what it does not show. */
  readonly mode: LoadValue['mode'];
  readonly notShown: LoadValue['notShown'];
  readonly closed: LoadValue['closed'];
  readonly offline: LoadValue['offline'];
  readonly accounting: Accounting;
  readonly failureShare: number | null;
  readonly rate: RateValue;
  readonly metrics: Readonly<Record<string, MetricSummary>>;
  readonly metricsFailed: Readonly<Record<string, MetricSummary>>;
  readonly responseWithFailures: WithFailuresValue;
  readonly statistics: StatisticsValue;
  readonly slo: SloValue | null;
  /** Whether the target fell behind (M§6.2). */
  readonly backlog: BacklogValue;
  /** Whether the harness was clean in it. */
  readonly verdict: ScopeVerdict;
  /** Whether the sends kept to the plan (M§3.1). */
  readonly fidelity: FidelityValue;
  readonly traffic: TrafficValue;
}

/** Counts by request name: what workers decided; arrivals that were lost or never generated have no name. */
export interface NamedAccounting {
  readonly attempted: number;
  readonly sent: number;
  readonly dropped: Readonly<Record<DropReason, number>>;
  readonly ok: number;
  readonly failed: Readonly<Record<FailureClass, number>>;
  readonly unfinished: number;
}

/** One request name over the measured phases. */
export interface WorkloadValue {
  readonly name: string;
  /** Share it was given by the plan; null for the name that takes what is beyond the limit of series. */
  readonly weightShare: number | null;
  readonly accounting: NamedAccounting;
  readonly failureShare: number | null;
  readonly metrics: Readonly<Record<string, MetricSummary>>;
  readonly metricsFailed: Readonly<Record<string, MetricSummary>>;
}

/** One agent process. */
export interface AgentValue {
  readonly id: string;
  readonly incarnation: string;
  readonly region: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly cores: number;
  readonly nodeVersion: string;
  readonly workerSlots: readonly number[];
  readonly client: string | null;
  readonly pacing: string | null;
  /** Offset of its clock to the coordinator's, with the proven bound; null when it was not probed. */
  readonly clock: { readonly offsetNs: number; readonly boundNs: number; readonly roundTripMinNs: number } | null;
  /** `stopped`: it ended its part by itself, before its plan was over. */
  readonly state: 'finished' | 'stopped' | 'lost';
  /** When it was lost or stopped, and why. */
  readonly lostAtNs: number | null;
  readonly lostReason: string | null;
  /** Whether its reports are all here and add up to its own sums. */
  readonly reports: 'complete' | 'no-final' | 'gap' | 'differs';
  /** Run time from which on it left arrivals undecided; null when it decided all. */
  readonly undecidedFromNs: number | null;
  /** All phases. */
  readonly accounting: Accounting;
  /** Whether this part of the harness was clean, over the measured phases; null when it had no worker. */
  readonly verdict: ScopeVerdict | null;
  /** Over the measured phases, ok requests. */
  readonly metrics: Readonly<Record<string, MetricSummary>>;
}

/** One stretch of run time of one phase. Counts of a window: `scheduled` by intended instant, `attempted` by release, `sent` by send, the rest by end. */
export interface WindowValue {
  readonly phase: string;
  readonly startNs: number;
  readonly lengthNs: number;
  /**
   * Of it the part in which its phase was on: what counts are turned into rates by. Less in a phase's first and last window and where the
   * run was stopped, 0 in the drain; null for a phase without a length of its own.
   */
  readonly phaseNs: number | null;
  /** Arrivals intended here, as far as workers decided them. */
  readonly scheduled: number;
  readonly attempted: number;
  readonly sent: number;
  readonly dropped: number;
  readonly cancelled: number;
  readonly ok: number;
  readonly failed: number;
  readonly unfinished: number;
  readonly bytesReceived: number;
  /** Of ok requests. */
  readonly response: WindowTimes;
  readonly service: WindowTimes;
  readonly wakeLag: WindowTimes;
  /** Whether the harness was clean here, by the gates that can be asked of one stretch. */
  readonly status: StretchVerdict['status'];
  /** Names of the gates that this stretch alone would break. */
  readonly marks: readonly string[];
  /** Whether the sends kept to the plan here: the worst worker. */
  readonly fidelity: Pick<FidelityValue, 'fano1ms' | 'fano10ms' | 'workerBacklogMax' | 'workerBehindShare'>;
}

/** Times of one window, ns; null when it has no sample. */
export interface WindowTimes {
  readonly count: number;
  readonly p50: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

/** The file with a line per request. */
export interface RequestsValue {
  readonly file: string;
  /** Lines that the plan allows. */
  readonly limit: number;
  readonly written: number;
  /** Requests that ended and have no line. */
  readonly leftOut: number;
  /** Why the file ends early; null when it does not. */
  readonly problem: string | null;
}

/** Extremes of one gauge of an agent or worker; null = never read. */
export interface GaugeValue {
  readonly agent: string;
  readonly workerSlot: number | null;
  readonly name: string;
  readonly min: number | null;
  readonly max: number | null;
  readonly samples: number;
  readonly unread: number;
}

/** How often a failure was described by a text; a sample, the books hold the counts. */
export interface FailureValue {
  readonly class: string;
  readonly detail: string;
  readonly count: number;
}
