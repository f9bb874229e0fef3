/**
 * Books, counters and pooled histograms of one part of a run (a phase, the measured phases): what summaries, thresholds and the
 * verdict are read from. Pooling comes before any percentile (R069).
 */
import type { Histogram } from '../../shared/histogram/histogram.ts';
import { COUNTER, type CounterCell } from '../../shared/metrics/counters.ts';
import { isLlmMetric, METRICS, type MetricId, type SeriesStatus, unitOf } from '../../shared/metrics/metric.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { type Accounting, accountingOf, addAccounting, droppedTotal, emptyAccounting } from '../merge/accounting.ts';
import { openIn, type RunBooks } from '../merge/books.ts';
import type { RequestSums } from '../merge/request-table.ts';
import type { RunMerge } from '../merge/run-merge.ts';
import { ScopeTotals } from '../merge/scope-totals.ts';
import { type MetricSummary, summarise } from './metric-summary.ts';
import type { RateValue, TrafficValue } from './scope-value.ts';
import { ResponseWithFailures } from './with-failures.ts';

/** Metrics that have one series only, whatever became of the request. */
const ONE_SERIES: ReadonlySet<MetricId> = new Set(['unfinishedAge', 'loopGap']);

/** Buckets that may wait while totals are added up: 640 kB for each series, given back when they are folded. */
const PENDING_BUCKETS = 65_536;

/** One part of a run. */
export class ScopeData {
  readonly accounting: Accounting;
  /** Scheduled length, ns. */
  readonly lengthNs: number;
  /** The same, with the time to the last end for what was asked for all at once, which has no length of its own; null = not known. */
  readonly workNs: number | null;
  readonly #totals: ScopeTotals;
  /** All that was counted was scheduled within `lengthNs`. */
  readonly #isTimed: boolean;

  /** `totals` holds the counters and series; kept sparse, since a plan may have hundreds of phases and names. */
  constructor(
    accounting: Accounting,
    totals: ScopeTotals,
    lengthNs: number,
    workNs: number | null = lengthNs === 0 ? null : lengthNs,
    isTimed = lengthNs > 0,
  ) {
    this.accounting = accounting;
    this.#totals = totals;
    this.lengthNs = lengthNs;
    this.workNs = workNs;
    this.#isTimed = isTimed;
    totals.compact();
  }

  /** The counters. */
  get cell(): CounterCell {
    return this.#totals.cell;
  }

  /** Adds counters and series into `into`. */
  addTo(into: ScopeTotals): void {
    into.addTotals(this.#totals);
  }

  /** One series, pooled, as a histogram of its own. */
  histogram(metric: MetricId, status: SeriesStatus): Histogram {
    return this.#totals.histogram(metric, status);
  }

  /** The samples of a metric whatever became of their requests. */
  pooled(metric: MetricId): Histogram {
    const pooled = this.histogram(metric, 'ok');
    this.#totals.addSeriesTo(metric, 'failed', pooled);
    return pooled;
  }

  /** Summaries of ok requests; `unfinishedAge` and `loopGap` with all their samples. */
  metrics(): Record<string, MetricSummary> {
    const metrics = METRICS.filter((metric) => ONE_SERIES.has(metric) || this.#shows(metric, 'ok'));
    return Object.fromEntries(
      metrics.map((metric) => {
        const histogram = ONE_SERIES.has(metric) ? this.pooled(metric) : this.histogram(metric, 'ok');
        return [metric, summarise(histogram, unitOf(metric))];
      }),
    );
  }

  /** Summaries of failed requests. */
  metricsFailed(): Record<string, MetricSummary> {
    const metrics = METRICS.filter((metric) => !ONE_SERIES.has(metric) && this.#shows(metric, 'failed'));
    return Object.fromEntries(
      metrics.map((metric) => [metric, summarise(this.histogram(metric, 'failed'), unitOf(metric))]),
    );
  }

  /** Whether a series belongs into the report: those of LLM answers are left out where nothing was measured. */
  #shows(metric: MetricId, status: SeriesStatus): boolean {
    return !isLlmMetric(metric) || this.#totals.has(metric, status);
  }

  /** Response time with failures as infinite. */
  responseWithFailures(): ResponseWithFailures {
    const count = this.accounting.attempted + droppedTotal(this.accounting);
    return new ResponseWithFailures(this.histogram('response', 'ok'), this.pooled('unfinishedAge'), count);
  }

  /** `count` per second of the scheduled length; null when that is 0, or when a part with arrivals has none. */
  perSecond(count: number): number | null {
    return this.#isTimed ? perSecondOver(count, this.lengthNs) : null;
  }

  /** `count` per second of `workNs`: how fast work got done, also of a batch. Null where that is not known. */
  perSecondOfWork(count: number): number | null {
    return this.workNs === null || this.workNs === 0 ? null : perSecondOver(count, this.workNs);
  }

  /** The rates of the report. */
  rate(): RateValue {
    return {
      intendedPerSecond: this.perSecond(this.accounting.scheduled),
      sentPerSecond: this.perSecond(this.accounting.sent),
      okPerSecond: this.perSecond(this.accounting.ok),
    };
  }

  /** What went over the connections. */
  traffic(): TrafficValue {
    const { cell } = this;
    return {
      bytesSent: cell[COUNTER['bytes-sent']] as number,
      bytesReceived: cell[COUNTER['bytes-received']] as number,
      bytesDecoded: cell[COUNTER['bytes-decoded']] as number,
      connectionsTried: cell[COUNTER['connections-tried']] as number,
      connectionsOpened: cell[COUNTER['connections-opened']] as number,
      connectionsRetired: cell[COUNTER['connections-retired']] as number,
      retries: cell[COUNTER.retries] as number,
      redirects: cell[COUNTER.redirects] as number,
      overflow: cell[COUNTER.overflow] as number,
    };
  }
}

/** `count` per second of `lengthNs` (above 0). 110 in 1.1 s are 100/s, which 110 / 1.1 is not: it would miss a bound of 100/s. */
export function perSecondOver(count: number, lengthNs: number): number {
  return (count * 1e9) / lengthNs;
}

/** How long a phase is at work: its scheduled length, as long as its longest response (all asked for at its start), or so many ns. */
export type WorkLength = 'scheduled' | 'longest-response' | number;

/** The data of phase `phase`, of scheduled length `lengthNs`. */
export function phaseData(
  merge: RunMerge,
  books: RunBooks,
  phase: number,
  lengthNs: number,
  work: WorkLength = 'scheduled',
): ScopeData {
  const totals = new ScopeTotals(PENDING_BUCKETS);
  for (const row of merge.rows.ofPhase(phase)) totals.addTotals(row.totals);
  const accounting = books.phases[phase] as Accounting;
  if (work === 'scheduled') return new ScopeData(accounting, totals, lengthNs);
  if (work !== 'longest-response') return new ScopeData(accounting, totals, lengthNs, work);
  const responses = totals.histogram('response', 'ok');
  totals.addSeriesTo('response', 'failed', responses);
  return new ScopeData(accounting, totals, lengthNs, responses.max);
}

/** The sum of several parts. */
export function sumData(parts: readonly ScopeData[]): ScopeData {
  const accounting = parts.reduce((sum, part) => addAccounting(sum, part.accounting), emptyAccounting());
  const lengthNs = parts.reduce((sum, part) => sum + part.lengthNs, 0);
  const workNs = parts.reduce<number | null>(
    (sum, part) => (sum === null || part.workNs === null ? null : sum + part.workNs),
    0,
  );
  const totals = new ScopeTotals(PENDING_BUCKETS);
  for (const part of parts) part.addTo(totals);
  const isTimed = lengthNs > 0 && parts.every((part) => part.lengthNs > 0 || part.accounting.scheduled === 0);
  return new ScopeData(accounting, totals, lengthNs, workNs, isTimed);
}

/** The data of the measured phases of a merge that has no books of its own; `scheduled` is what workers decided. */
export function partData({ phases }: Plan, merge: RunMerge): ScopeData {
  const totals = new ScopeTotals(PENDING_BUCKETS);
  for (const [index, phase] of phases.entries()) {
    if (!phase.warmup) for (const row of merge.rows.ofPhase(index)) totals.addTotals(row.totals);
  }
  return dataWithoutBooks(totals);
}

/** The data of one request name from its sums by phase. `scheduled` is what workers decided: the plan has no count by name. */
export function requestData(sums: readonly RequestSums[]): ScopeData {
  const totals = new ScopeTotals(PENDING_BUCKETS);
  for (const one of sums) totals.addTotals(one.totals);
  return dataWithoutBooks(totals);
}

function dataWithoutBooks(totals: ScopeTotals): ScopeData {
  const scheduled = totals.cell[COUNTER.decided] as number;
  const unfinished = openIn(totals.cell);
  const accounting = accountingOf(totals.cell, { scheduled, cancelled: 0, lost: 0, unfinished });
  return new ScopeData(accounting, totals, 0);
}
