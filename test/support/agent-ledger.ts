/**
 * What one agent of a synthetic run counted, by the second in which it happened, and the reports that it makes of it. The raw
 * samples are kept beside them. Used by `synthetic-run.ts` alone.
 */
import { FidelityMeter } from '../../agent/worker/fidelity-meter.ts';
import { encodeSparse } from '../../shared/histogram/sparse-histogram.ts';
import type {
  AgentReport,
  CellScope,
  CounterDelta,
  SeriesDelta,
  WorkerProgress,
} from '../../shared/metrics/agent-report.ts';
import {
  addCounterCell,
  COUNTER,
  type CounterCell,
  type CounterName,
  createCounterCell,
} from '../../shared/metrics/counters.ts';
import type { MetricId, SeriesStatus } from '../../shared/metrics/metric.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import type { Arrival } from '../../shared/schedule/arrival-stream.ts';
import { blockOf } from './histogram-of.ts';

const WINDOW_NS = 1e9;

/** Where the last phase of a plan ends, in run time, ns. */
export function plannedEndNs(plan: Plan): number {
  return Math.max(...plan.phases.map((phase) => phase.startNs + phase.durationNs));
}

/** One arrival as a meter sees it; `sendNs` null = settled without a send. */
interface Paced {
  readonly phase: number;
  readonly intendedNs: number;
  readonly sendNs: number | null;
}

/** What one agent counted, by the second in which it happened. */
export class AgentLedger {
  readonly #plan: Plan;
  readonly #samples: Map<string, number[]>;
  readonly #seconds = new Map<number, Second>();
  /** By slot: arrivals with their release, in order. */
  readonly #decided = new Map<number, { intendedNs: number; releasedNs: number }[]>();
  readonly #undecidedFrom = new Map<number, number>();
  readonly #paced = new Map<number, Paced[]>();
  readonly #meters = new Map<number, FidelityMeter>();

  constructor(plan: Plan, samples: Map<string, number[]>) {
    this.#plan = plan;
    this.#samples = samples;
  }

  /** Whether an ok response meets every bound; a bound on any metric is taken for one on the response. */
  isGood(responseNs: number): boolean {
    return this.#plan.slo.length > 0 && this.#plan.slo.every((bound) => responseNs <= bound.maxNs);
  }

  decide(slot: number, arrival: Arrival, releasedNs: number): void {
    const list = this.#decided.get(slot) ?? [];
    list.push({ intendedNs: arrival.intendedNs, releasedNs });
    this.#decided.set(slot, list);
  }

  /** What the worker's meter is told of one arrival. */
  pace(slot: number, paced: Paced): void {
    const list = this.#paced.get(slot) ?? [];
    list.push(paced);
    this.#paced.set(slot, list);
  }

  undecidedFrom(slot: number, intendedNs: number): void {
    this.#undecidedFrom.set(slot, intendedNs);
  }

  count(atNs: number, phase: number, request: string, windowOfNs: number, counter: CounterName): void {
    const window = Math.floor(windowOfNs / WINDOW_NS);
    this.#second(atNs).count({ kind: 'window', phase, window }, counter);
    this.#second(atNs).count({ kind: 'request', phase, request }, counter);
  }

  sample(atNs: number, phase: number, request: string, metric: MetricId, status: SeriesStatus, value: number): void {
    const window = Math.floor(atNs / WINDOW_NS);
    this.#second(atNs).sample({ kind: 'window', phase, window }, metric, status, value);
    this.#second(atNs).sample({ kind: 'request', phase, request }, metric, status, value);
  }

  failure(atNs: number, failure: string, detail: string): void {
    this.#second(atNs).failure(failure, detail);
  }

  /** The reports, one per second in which something happened, up to the last whole second before the death. */
  reports(
    identity: { readonly agentId: string; readonly incarnation: string },
    slots: readonly number[],
    deadAtNs: number,
  ): readonly AgentReport[] {
    const last = Math.max(Math.ceil(plannedEndNs(this.#plan) / WINDOW_NS), ...this.#seconds.keys());
    const isDead = deadAtNs < Infinity;
    const end = isDead ? Math.min(last, Math.floor(deadAtNs / WINDOW_NS) - 1) : last;
    const total = createCounterCell();
    const reports: AgentReport[] = [];
    for (let second = 0; second <= end; second += 1) {
      const own = this.#seconds.get(second) ?? new Second();
      own.addWindowCellsTo(total);
      own.addSamplesTo(this.#samples);
      reports.push({
        key: { runId: 'run-1', trial: 0, ...identity, seq: second + 1 },
        firstWindow: second,
        lastWindow: second,
        counters: own.counters(),
        series: own.series(),
        workers: slots.map((slot) => this.#progress(slot, (second + 1) * WINDOW_NS, second === last)),
        failures: own.failures(),
        telemetry: [{ window: second, slot: null, name: 'cpu-share', value: 0.25 }],
        fidelity: slots.flatMap((slot) =>
          this.#meterOf(slot)
            .take(second === last && !isDead ? Infinity : second)
            .map((window) => ({ slot, ...window })),
        ),
        requests: [],
        warnings: [],
        final: second === last && !isDead ? total : null,
      });
    }
    return reports;
  }

  /** The meter of a slot with all of its events in it; windows are taken as they become complete. */
  #meterOf(slot: number): FidelityMeter {
    const known = this.#meters.get(slot);
    if (known !== undefined) return known;
    const meter = new FidelityMeter(this.#plan.phases);
    const paced = this.#paced.get(slot) ?? [];
    for (const { phase, intendedNs, sendNs } of paced) {
      meter.planned(phase, intendedNs);
      if (sendNs === null) meter.unsent(phase, intendedNs);
    }
    const sends = paced.filter((one): one is Paced & { sendNs: number } => one.sendNs !== null);
    for (const one of sends.sort((a, b) => a.sendNs - b.sendNs)) meter.sent(one.phase, one.intendedNs, one.sendNs);
    this.#meters.set(slot, meter);
    return meter;
  }

  #progress(slot: number, atNs: number, isLast: boolean): WorkerProgress {
    const next = this.#decided.get(slot)?.find((one) => one.releasedNs >= atNs);
    const decidedThroughNs = next?.intendedNs ?? this.#undecidedFrom.get(slot) ?? plannedEndNs(this.#plan) + 1;
    return { slot, decidedThroughNs, state: isLast ? 'finished' : 'running' };
  }

  #second(atNs: number): Second {
    const index = Math.floor(atNs / WINDOW_NS);
    const known = this.#seconds.get(index);
    if (known !== undefined) return known;
    const made = new Second();
    this.#seconds.set(index, made);
    return made;
  }
}

/** What happened in one second. */
class Second {
  readonly #cells = new Map<string, { scope: CellScope; cell: CounterCell }>();
  readonly #series = new Map<string, { scope: CellScope; metric: MetricId; status: SeriesStatus; values: number[] }>();
  readonly #failures = new Map<string, { class: string; detail: string; count: number }>();

  count(scope: CellScope, counter: CounterName): void {
    const key = JSON.stringify(scope);
    const entry = this.#cells.get(key) ?? { scope, cell: createCounterCell() };
    entry.cell[COUNTER[counter]] = (entry.cell[COUNTER[counter]] ?? 0) + 1;
    this.#cells.set(key, entry);
  }

  sample(scope: CellScope, metric: MetricId, status: SeriesStatus, value: number): void {
    const key = JSON.stringify([scope, metric, status]);
    const entry = this.#series.get(key) ?? { scope, metric, status, values: [] };
    entry.values.push(value);
    this.#series.set(key, entry);
  }

  failure(failure: string, detail: string): void {
    const key = `${failure}: ${detail}`;
    const entry = this.#failures.get(key) ?? { class: failure, detail, count: 0 };
    entry.count += 1;
    this.#failures.set(key, entry);
  }

  counters(): readonly CounterDelta[] {
    return [...this.#cells.values()].map(({ scope, cell }) => ({ scope, cell }));
  }

  series(): readonly SeriesDelta[] {
    return [...this.#series.values()].map(({ scope, metric, status, values }) => ({
      scope,
      metric,
      status,
      samples: encodeSparse(blockOf(values)),
    }));
  }

  failures(): readonly { readonly class: string; readonly detail: string; readonly count: number }[] {
    return [...this.#failures.values()];
  }

  addWindowCellsTo(total: CounterCell): void {
    for (const { scope, cell } of this.#cells.values()) if (scope.kind === 'window') addCounterCell(total, cell);
  }

  addSamplesTo(samples: Map<string, number[]>): void {
    for (const { scope, metric, status, values } of this.#series.values()) {
      if (scope.kind !== 'window') continue;
      const key = `${scope.phase} ${metric} ${status}`;
      samples.set(key, [...(samples.get(key) ?? []), ...values]);
    }
  }
}
