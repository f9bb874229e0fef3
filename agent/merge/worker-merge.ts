/**
 * Adds up what the worker threads hand over, so that an agent sends one report and not one per thread (design §8). Deltas wait
 * here until they are taken for a numbered report; the agent's own cumulative books are kept beside them for the final check.
 * A worker's progress and its counts always come from the same hand-overs, so `decidedThroughNs` never runs ahead of the books.
 */
import { clearBlock, type RecordingBlock } from '../../shared/histogram/recording-block.ts';
import type {
  CellScope,
  CounterDelta,
  FailureExample,
  TelemetrySample,
  WorkerProgress,
} from '../../shared/metrics/agent-report.ts';
import type { SlotFidelity } from '../../shared/metrics/fidelity.ts';
import { addCounterCell, type CounterCell, createCounterCell } from '../../shared/metrics/counters.ts';
import type { UnnumberedReport } from '../uplink/report-outbox.ts';
import type { WorkerHandover } from '../worker/worker-messages.ts';
import { RecordQueue } from './record-queue.ts';
import { scopeKey } from './scope-key.ts';
import type { TokenCounting } from './token-counting.ts';
import { SeriesAccumulator } from './series-accumulator.ts';

/** Most texts of each kind in one report; the counts say how often, the texts only what for (R095). */
const FAILURES_MAX = 50;
const WARNINGS_MAX = 100;
/** Gauges that wait: a minute of 16 workers with a dozen gauges each. Older ones go first, and it is said. */
const TELEMETRY_MAX = 16_384;

export class WorkerMerge {
  readonly #workers = new Map<number, WorkerProgress>();
  readonly #series = new SeriesAccumulator();
  readonly #cumulative: CounterCell = createCounterCell();
  #counters = new Map<string, CounterDelta>();
  #failures = new Map<string, FailureExample>();
  #telemetry: TelemetrySample[] = [];
  #fidelity: SlotFidelity[] = [];
  readonly #requests = new RecordQueue();
  readonly #tokens: TokenCounting | null;
  #warnings = new Set<string>();
  #hasNews = false;
  #firstWindow = Infinity;
  #lastWindow = 0;

  /** A merge of the worker slots of one agent for one trial; `tokens` counts texts of answers. */
  constructor(slots: readonly number[], tokens: TokenCounting | null = null) {
    this.#tokens = tokens;
    for (const slot of slots) this.#workers.set(slot, { slot, decidedThroughNs: 0, state: 'running' });
  }

  /** True when there is something to report. */
  get hasNews(): boolean {
    return this.#hasNews;
  }

  /** True when every slot has finished or is lost. */
  get isOver(): boolean {
    return [...this.#workers.values()].every((worker) => worker.state !== 'running');
  }

  /** Adds a hand-over. Its blocks come back emptied, to be given to the worker again. */
  take(slot: number, handover: WorkerHandover): RecordingBlock[] {
    this.#hasNews = true;
    for (const { scope, cell } of handover.counters) this.#addCounters(scope, cell);
    const emptied: RecordingBlock[] = [];
    for (const { scope, metric, status, block } of handover.series) {
      this.#noteWindow(scope);
      this.#series.add(scope, metric, status, block);
      clearBlock(block);
      emptied.push(block);
    }
    for (const failure of handover.failures) this.#addFailure(failure);
    // A hand-over comes at a window's end and accounts for what was before.
    const ended = Math.max(0, handover.completeBelowWindow - 1);
    this.addTelemetry(handover.gauges.map(({ name, value }) => ({ window: ended, slot, name, value })));
    for (const window of handover.fidelity) this.#fidelity.push({ slot, ...window });
    this.#requests.add(slot, handover.requests);
    for (const text of handover.texts) {
      const scope = { kind: 'window', phase: text.phase, window: text.window } as const;
      if (this.#tokens !== null) this.#addCounters(scope, this.#tokens.cellOf(text));
    }
    for (const warning of handover.warnings) this.warn(warning);
    this.#setProgress(slot, (worker) => ({ ...worker, decidedThroughNs: handover.decidedThroughNs }));
    return emptied;
  }

  /** Adds samples of the host, or of a worker. */
  addTelemetry(samples: readonly TelemetrySample[]): void {
    if (samples.length > 0) this.#hasNews = true;
    this.#telemetry.push(...samples);
    if (this.#telemetry.length <= TELEMETRY_MAX) return;
    this.#telemetry.splice(0, this.#telemetry.length - TELEMETRY_MAX);
    this.warn(`gauges were left out: more than ${TELEMETRY_MAX} waited for a report`);
  }

  /** The worker has decided all of its arrivals. */
  finish(slot: number): void {
    this.#setProgress(slot, (worker) => ({ ...worker, state: 'finished' }));
  }

  /** The worker is gone; it stays where its last hand-over left it (R084). */
  lose(slot: number): void {
    this.#setProgress(slot, (worker) => (worker.state === 'running' ? { ...worker, state: 'lost' } : worker));
  }

  /** Notes a warning for the report, each text once. */
  warn(warning: string): void {
    this.#hasNews = true;
    if (this.#warnings.size < WARNINGS_MAX) this.#warnings.add(warning);
  }

  /** Makes what waits small, while no report can be sent. */
  compact(): void {
    this.#series.compact();
  }

  /** Everything since the last time, as a report without a number. `isFinal` adds the cumulative books. */
  takeReport(isFinal: boolean): UnnumberedReport {
    const report: UnnumberedReport = {
      firstWindow: Math.min(this.#firstWindow, this.#lastWindow),
      lastWindow: this.#lastWindow,
      counters: [...this.#counters.values()],
      series: this.#series.take(),
      workers: [...this.#workers.values()],
      failures: [...this.#failures.values()],
      telemetry: this.#telemetry,
      fidelity: this.#fidelity,
      requests: this.#requests.take(),
      warnings: [...this.#warnings],
      final: isFinal ? this.#cumulative.slice() : null,
    };
    this.#counters = new Map();
    this.#failures = new Map();
    this.#telemetry = [];
    this.#fidelity = [];
    this.#warnings = new Set();
    this.#hasNews = false;
    this.#firstWindow = Infinity;
    return report;
  }

  #addCounters(scope: CellScope, cell: CounterCell): void {
    this.#noteWindow(scope);
    if (scope.kind === 'window') addCounterCell(this.#cumulative, cell);
    const key = scopeKey(scope);
    const found = this.#counters.get(key);
    if (found === undefined) this.#counters.set(key, { scope, cell: cell.slice() });
    else addCounterCell(found.cell, cell);
  }

  #addFailure(failure: FailureExample): void {
    const key = `${failure.class} ${failure.detail}`;
    const found = this.#failures.get(key);
    if (found !== undefined) this.#failures.set(key, { ...found, count: found.count + failure.count });
    else if (this.#failures.size < FAILURES_MAX) this.#failures.set(key, failure);
  }

  #noteWindow(scope: CellScope): void {
    if (scope.kind !== 'window') return;
    this.#firstWindow = Math.min(this.#firstWindow, scope.window);
    this.#lastWindow = Math.max(this.#lastWindow, scope.window);
  }

  #setProgress(slot: number, change: (worker: WorkerProgress) => WorkerProgress): void {
    const worker = this.#workers.get(slot);
    if (worker === undefined) return;
    const changed = change(worker);
    if (changed.state !== worker.state || changed.decidedThroughNs !== worker.decidedThroughNs) this.#hasNews = true;
    this.#workers.set(slot, changed);
  }
}
