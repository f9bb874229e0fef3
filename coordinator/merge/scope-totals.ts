/**
 * Counts and series of one scope (a phase's window, a request name, an agent), exact and in any order. Read as histograms
 * when the report is made; kept sparse until then.
 */
import { Histogram } from '../../shared/histogram/histogram.ts';
import type { DecodedSparse } from '../../shared/histogram/sparse-form.ts';
import { addCounterCell, type CounterCell, createCounterCell } from '../../shared/metrics/counters.ts';
import { METRICS, type MetricId, type SeriesStatus } from '../../shared/metrics/metric.ts';
import { SeriesSum } from './series-sum.ts';

const METRIC_PLACE: ReadonlyMap<MetricId, number> = new Map(METRICS.map((metric, place) => [metric, place]));

/** The sums of one scope. */
export class ScopeTotals {
  readonly cell: CounterCell = createCounterCell();
  readonly #series = new Map<number, SeriesSum>();
  readonly #pendingBucketsMax: number;

  /** `pendingBucketsMax`: see `SeriesSum`. */
  constructor(pendingBucketsMax: number) {
    this.#pendingBucketsMax = pendingBucketsMax;
  }

  /** Adds counts. */
  addCell(cell: CounterCell): void {
    addCounterCell(this.cell, cell);
  }

  /** Adds samples of one series. */
  addSeries(metric: MetricId, status: SeriesStatus, delta: DecodedSparse): void {
    if (delta.count > 0) this.#sumAt(keyOf(metric, status)).add(delta);
  }

  /** Adds all that another scope holds; it is left as it is. */
  addTotals(other: ScopeTotals): void {
    this.addCell(other.cell);
    for (const [key, sum] of other.#series) this.#sumAt(key).addSum(sum);
  }

  /** Whether a series has a sample. */
  has(metric: MetricId, status: SeriesStatus): boolean {
    return this.#series.has(keyOf(metric, status));
  }

  /** Adds the samples of one series into `into`. */
  addSeriesTo(metric: MetricId, status: SeriesStatus, into: Histogram): void {
    this.#series.get(keyOf(metric, status))?.addTo(into);
  }

  /** One series as an independent histogram, empty when it had no sample. */
  histogram(metric: MetricId, status: SeriesStatus): Histogram {
    const histogram = new Histogram();
    this.addSeriesTo(metric, status, histogram);
    return histogram;
  }

  #sumAt(key: number): SeriesSum {
    let sum = this.#series.get(key);
    if (sum === undefined) {
      sum = new SeriesSum(this.#pendingBucketsMax);
      this.#series.set(key, sum);
    }
    return sum;
  }

  /** Folds what waits, for a scope that will hardly grow any more. */
  compact(): void {
    for (const sum of this.#series.values()) sum.compact();
  }
}

function keyOf(metric: MetricId, status: SeriesStatus): number {
  return (METRIC_PLACE.get(metric) as number) * 2 + (status === 'ok' ? 0 : 1);
}
