/**
 * The books and series of one scope (a phase's window, or a request name of a phase) between two hand-overs: a flat array of
 * counts and one recording block per metric and status, made on its first sample (design §7).
 */

import type { HeldSamples } from '../../shared/histogram/held-samples.ts';
import { type RecordingBlock, record } from '../../shared/histogram/recording-block.ts';
import type { CellScope } from '../../shared/metrics/agent-report.ts';
import { COUNTER, type CounterCell, createCounterCell } from '../../shared/metrics/counters.ts';
import { METRICS, type MetricId, type SeriesStatus } from '../../shared/metrics/metric.ts';
import type { BlockStore } from './block-store.ts';
import type { SeriesBlock } from './worker-messages.ts';

/** Position of each metric in `METRICS`. */
const METRIC_INDEX: Readonly<Record<MetricId, number>> = Object.freeze(
  Object.fromEntries(METRICS.map((metric, index) => [metric, index])) as Record<MetricId, number>,
);

const STATUSES: readonly SeriesStatus[] = ['ok', 'failed'];

/** Position of a series inside a scope: metric * 2 + (0 ok | 1 failed). */
export function seriesIndexOf(metric: MetricId, status: SeriesStatus): number {
  return METRIC_INDEX[metric] * 2 + (status === 'ok' ? 0 : 1);
}

/** Number of series a scope can have. */
const SERIES_PER_SCOPE = METRICS.length * 2;

export class ScopeBooks {
  readonly scope: CellScope;
  readonly #store: BlockStore;
  #cell: CounterCell = createCounterCell();
  #dirty = false;
  readonly #series: (RecordingBlock | null)[] = new Array<RecordingBlock | null>(SERIES_PER_SCOPE).fill(null);

  constructor(scope: CellScope, store: BlockStore) {
    this.scope = scope;
    this.#store = store;
  }

  /** True when something was counted or recorded since the last `handOver`. */
  get dirty(): boolean {
    return this.#dirty;
  }

  /** Adds `by` to a counter, given by its position. */
  count(counter: number, by: number): void {
    const cell = this.#cell;
    cell[counter] = (cell[counter] as number) + by;
    this.#dirty = true;
  }

  /** Records one sample of a series, given by its position; true when it was out of range and clamped (R062). */
  record(series: number, value: number): boolean {
    const block = this.#blockOf(series);
    const overflowBefore = block.overflow;
    record(block, value);
    if (block.overflow === overflowBefore) return false;
    this.count(COUNTER.overflow, 1);
    return true;
  }

  /** Records samples that were held until their series was known. */
  recordHeld(series: number, samples: HeldSamples): void {
    samples.recordInto(this.#blockOf(series));
    if (samples.overflow > 0) this.count(COUNTER.overflow, samples.overflow);
  }

  #blockOf(series: number): RecordingBlock {
    const known = this.#series[series] as RecordingBlock | null;
    if (known !== null) return known;
    const block = this.#store.take();
    this.#series[series] = block;
    this.#dirty = true;
    return block;
  }

  /** Gives away everything gained and starts again from nothing; blocks go to `series`. */
  handOver(series: SeriesBlock[]): CounterCell {
    const cell = this.#cell;
    this.#cell = createCounterCell();
    this.#dirty = false;
    for (let index = 0; index < SERIES_PER_SCOPE; index += 1) {
      const block = this.#series[index] as RecordingBlock | null;
      if (block === null) continue;
      this.#series[index] = null;
      series.push({
        scope: this.scope,
        metric: METRICS[index >> 1] as MetricId,
        status: STATUSES[index & 1] as SeriesStatus,
        block,
      });
    }
    return cell;
  }
}
