/**
 * Books, counters and pooled histograms of one part of a run (a phase, the measured phases): what summaries, thresholds and the
 * verdict are read from. Pooling comes before any percentile (R069).
 */
import type { Histogram } from '../../shared/histogram/histogram.ts';
import { COUNTER, type CounterCell } from '../../shared/metrics/counters.ts';
import { isLlmMetric, METRICS, type MetricId, type SeriesStatus, unitOf } from '../../shared/metrics/metric.ts';
import { type Accounting, accountingOf, addAccounting, droppedTotal, emptyAccounting } from '../merge/accounting.ts';
import { phaseCellOf, type RunBooks } from '../merge/books.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import type { RunMerge } from '../merge/run-merge.ts';
import { type MetricSummary, summarise } from './metric-summary.ts';
import type { RateValue, TrafficValue } from './result-value.ts';
import { ResponseWithFailures } from './with-failures.ts';

/** Metrics that have one series only, whatever became of the request. */
const ONE_SERIES: ReadonlySet<MetricId> = new Set(['unfinishedAge', 'loopGap']);

/** One part of a run. */
export class ScopeData {
  readonly accounting: Accounting;
  readonly cell: CounterCell;
  /** Scheduled length, ns. */
  readonly lengthNs: number;
  readonly #histograms = new Map<string, Histogram>();

  constructor(accounting: Accounting, cell: CounterCell, lengthNs: number) {
    this.accounting = accounting;
    this.cell = cell;
    this.lengthNs = lengthNs;
  }

  /** One series, pooled; treat it as read-only. */
  histogram(metric: MetricId, status: SeriesStatus): Histogram {
    const key = `${metric} ${status}`;
    let histogram = this.#histograms.get(key);
    if (histogram === undefined) {
      histogram = new Histogram();
      this.#histograms.set(key, histogram);
    }
    return histogram;
  }

  /** The samples of a metric whatever became of their requests. */
  pooled(metric: MetricId): Histogram {
    const pooled = this.histogram(metric, 'ok').clone();
    pooled.add(this.histogram(metric, 'failed'));
    return pooled;
  }

  /** Summaries of ok requests; `unfinishedAge` and `loopGap` with all their samples. */
  metrics(): Record<string, MetricSummary> {
    return Object.fromEntries(
      METRICS.map((metric) => {
        const histogram = ONE_SERIES.has(metric) ? this.pooled(metric) : this.histogram(metric, 'ok');
        return [metric, summarise(histogram, unitOf(metric))];
      }),
    );
  }

    const metrics = METRICS.filter((metric) => ONE_SERIES.has(metric) || this.#shows(metric, 'ok'));
  /** Summaries of failed requests. */
  metricsFailed(): Record<string, MetricSummary> {
    return Object.fromEntries(
      METRICS.filter((metric) => !ONE_SERIES.has(metric)).map((metric) => [
        metric,
        summarise(this.histogram(metric, 'failed'), unitOf(metric)),
      ]),
    );
  }

    const metrics = METRICS.filter((metric) => !ONE_SERIES.has(metric) && this.#shows(metric, 'failed'));
  /** Response time with failures as infinite. */
  responseWithFailures(): ResponseWithFailures {
    const count = this.accounting.attempted + droppedTotal(this.accounting);
    return new ResponseWithFailures(this.histogram('response', 'ok'), this.pooled('unfinishedAge'), count);
  }
  /** Whether a series belongs into the report: those of LLM answers are left out where nothing was measured. */
  #shows(metric: MetricId, status: SeriesStatus): boolean {
    return !isLlmMetric(metric) || this.#totals.has(metric, status);
  }


  /** `count` per second of the scheduled length; null when that is 0. */
  perSecond(count: number): number | null {
    return this.lengthNs === 0 ? null : count / (this.lengthNs / 1e9);
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
      connectionsTried: cell[COUNTER['connections-tried']] as number,
      connectionsOpened: cell[COUNTER['connections-opened']] as number,
      retries: cell[COUNTER.retries] as number,
      redirects: cell[COUNTER.redirects] as number,
      overflow: cell[COUNTER.overflow] as number,
    };
  }
}

/** The data of phase `phase`. */
export function phaseData(merge: RunMerge, books: RunBooks, phase: number, lengthNs: number): ScopeData {
  const data = new ScopeData(books.phases[phase] as Accounting, phaseCellOf(merge, phase), lengthNs);
  for (const row of merge.rows.ofPhase(phase)) {
    for (const metric of METRICS) {
      row.totals.addSeriesTo(metric, 'ok', data.histogram(metric, 'ok'));
      row.totals.addSeriesTo(metric, 'failed', data.histogram(metric, 'failed'));
    }
  }
  return data;
}

/** The sum of several parts. */
export function sumData(parts: readonly ScopeData[]): ScopeData {
  const accounting = parts.reduce((sum, part) => addAccounting(sum, part.accounting), emptyAccounting());
  const cell = createCounterCell();
  for (const part of parts) addCounterCell(cell, part.cell);
  const lengthNs = parts.reduce((sum, part) => sum + part.lengthNs, 0);
  const sum = new ScopeData(accounting, cell, lengthNs);
  for (const part of parts) {
    for (const metric of METRICS) {
      sum.histogram(metric, 'ok').add(part.histogram(metric, 'ok'));
      sum.histogram(metric, 'failed').add(part.histogram(metric, 'failed'));
    }
  }
  return sum;
}

/** The data of one request name over the measured phases. `scheduled` is what workers decided: the plan has no count by name. */
export function requestData(plan: Plan, merge: RunMerge, name: string): ScopeData {
  const sums = merge.requests().filter((one) => one.request === name && plan.phases[one.phase]?.warmup === false);
  const cell = createCounterCell();
  for (const { totals } of sums) addCounterCell(cell, totals.cell);
  const scheduled = cell[COUNTER.decided] as number;
  const accounting = accountingOf(cell, { scheduled, cancelled: 0, lost: 0, unfinished: 0 });
  const data = new ScopeData(accounting, cell, 0);
  for (const { totals } of sums) {
    for (const metric of METRICS) {
      totals.addSeriesTo(metric, 'ok', data.histogram(metric, 'ok'));
      totals.addSeriesTo(metric, 'failed', data.histogram(metric, 'failed'));
    }
  }
  return data;
}
