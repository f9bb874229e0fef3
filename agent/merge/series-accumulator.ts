/**
 * Adds up the samples of all workers by series, until they are taken for a report. While a report cannot be sent this is the
 * one pending report (design §8): it grows by windows and series, never by requests, and `compact` keeps what waits small.
 */
import { Histogram } from '../../shared/histogram/histogram.ts';
import type { RecordingBlock } from '../../shared/histogram/recording-block.ts';
import { decodeSparse, encodeSparse, type SparseHistogram } from '../../shared/histogram/sparse-histogram.ts';
import type { CellScope, SeriesDelta } from '../../shared/metrics/agent-report.ts';
import type { MetricId, SeriesStatus } from '../../shared/metrics/metric.ts';
import { scopeKey } from './scope-key.ts';

/** What a series holds: 270 kB to add into, or a few kB that wait. */
type Held =
  | { readonly kind: 'dense'; readonly histogram: Histogram }
  | { readonly kind: 'sparse'; readonly samples: SparseHistogram };

interface OpenSeries {
  readonly scope: CellScope;
  readonly metric: MetricId;
  readonly status: SeriesStatus;
  held: Held;
}

/** Empty histograms kept for reuse; the usual report has fewer series than this. */
const FREE_MAX = 64;

export class SeriesAccumulator {
  readonly #series = new Map<string, OpenSeries>();
  readonly #free: Histogram[] = [];

  /** True when nothing waits to be taken. */
  get isEmpty(): boolean {
    return this.#series.size === 0;
  }

  /** Adds a worker's block, which is left as it is. Empty blocks make no series. */
  add(scope: CellScope, metric: MetricId, status: SeriesStatus, block: RecordingBlock): void {
    if (block.count === 0) return;
    const key = `${scopeKey(scope)} ${metric} ${status}`;
    const found = this.#series.get(key);
    if (found === undefined) {
      const histogram = this.#free.pop() ?? new Histogram();
      histogram.addBlock(block);
      this.#series.set(key, { scope, metric, status, held: { kind: 'dense', histogram } });
      return;
    }
    if (found.held.kind === 'sparse') found.held = { kind: 'dense', histogram: decodeSparse(found.held.samples) };
    found.held.histogram.addBlock(block);
  }

  /** Makes everything that waits small. Nothing changes but memory. */
  compact(): void {
    for (const series of this.#series.values()) series.held = { kind: 'sparse', samples: this.#release(series.held) };
  }

  /** Everything added since the last time, in the order of the first sample. */
  take(): SeriesDelta[] {
    const deltas = Array.from(this.#series.values(), ({ scope, metric, status, held }) => ({
      scope,
      metric,
      status,
      samples: this.#release(held),
    }));
    this.#series.clear();
    return deltas;
  }

  /** The wire form of what is held; the dense form goes back to the free ones. */
  #release(held: Held): SparseHistogram {
    if (held.kind === 'sparse') return held.samples;
    const samples = encodeSparse(held.histogram);
    held.histogram.clear();
    if (this.#free.length < FREE_MAX) this.#free.push(held.histogram);
    return samples;
  }
}
