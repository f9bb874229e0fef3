/** A whole trial of one worker in virtual time, with its books and histograms added up as the main thread would. */
import { BlockStore } from '../../agent/worker/block-store.ts';
import { LeaseGate } from '../../agent/worker/lease-gate.ts';
import type { PacingMode } from '../../agent/worker/pacing-plan.ts';
import { RequestsAhead } from '../../agent/worker/requests-ahead.ts';
import { createRequestRenderer } from '../../agent/worker/request-renderer.ts';
import { RequestLog } from '../../agent/worker/request-log.ts';
import { Trial } from '../../agent/worker/trial.ts';
import { CONTROL_CELLS, type WorkerHandover } from '../../agent/worker/worker-messages.ts';
import { Histogram } from '../../shared/histogram/histogram.ts';
import { clearBlock } from '../../shared/histogram/recording-block.ts';
import { COUNTER, type CounterName } from '../../shared/metrics/counters.ts';
import type { MetricId, SeriesStatus } from '../../shared/metrics/metric.ts';
import type { BlobStore } from '../../shared/plan/blob-ref.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { seedFromBigInt } from '../../shared/random/seed.ts';
import type { ArrivalStream } from '../../shared/schedule/arrival-stream.ts';
import { dealLanes } from '../../shared/schedule/deal.ts';
import type { ScheduleBasis } from '../../shared/schedule/phase-stream.ts';
import { createWorkerSchedule } from '../../shared/schedule/worker-schedule.ts';
import { type FakeAnswer, FakeClient } from './fake-client.ts';
import { LoopSimulation, type LoopSimulationOptions } from './loop-simulation.ts';

export interface TrialSimulationOptions extends LoopSimulationOptions {
  readonly plan: Plan;
  readonly pacing?: PacingMode;
  readonly answer: (index: number, atNs: number) => FakeAnswer;
  /** How long one send keeps the loop busy, ns. */
  readonly sendCostNs?: number;
  readonly slot?: number;
  readonly slots?: number;
  readonly stream?: ArrivalStream;
  /** Files of the plan, by hash. */
  readonly blobs?: BlobStore;
  /** Rows of requests that are kept; absent = none. */
  readonly recordLimit?: number;
  /** Sees each hand-over with its blocks, before they are emptied. */
  readonly onHandover?: (handover: WorkerHandover) => void;
}

/** What fixes the schedule of trial 0 of `plan`. */
export function basisOf(plan: Plan): ScheduleBasis {
  const phases = plan.phases.map(({ startNs, durationNs, arrivals }) => ({ startNs, durationNs, law: arrivals }));
  return { seed: seedFromBigInt(plan.seed), trial: 0, laneCount: plan.laneCount, phases, blobs: new Map() };
}

export class TrialSimulation {
  readonly loop: LoopSimulation;
  readonly client: FakeClient;
  readonly trial: Trial;
  readonly cells = new Int32Array(CONTROL_CELLS.length);
  readonly handovers: WorkerHandover[] = [];
  /** Errors thrown in a turn. */
  readonly faults: unknown[] = [];
  finishedNs: number | null = null;
  readonly #histograms = new Map<string, Histogram>();

  constructor(options: TrialSimulationOptions) {
    const { plan, slot = 0, slots = 1 } = options;
    // The simulation starts 10 ms before T0.
    this.loop = new LoopSimulation(-10e6, options);
    this.client = new FakeClient(this.loop, options.answer, options.sendCostNs);
    this.setLease(Infinity);
    const basis = { ...basisOf(plan), blobs: options.blobs ?? new Map<string, Uint8Array>() };
    const store = new BlockStore();
    const lanes = dealLanes(plan.laneCount, slots, slot);
    const renderer = createRequestRenderer(plan, basis);
    const stream = options.stream ?? createWorkerSchedule({ ...basis, ownedLanes: [{ lanes, fromNs: 0 }] });
    const ahead = renderer.isSlow ? new RequestsAhead(stream, renderer) : null;
    this.trial = new Trial({
      plan,
      slot,
      pacing: options.pacing ?? 'hybrid',
      clock: this.loop,
      scheduler: this.loop,
      readIdleNs: () => this.loop.idleNs,
      takeGcPauses: () => null,
      gate: new LeaseGate(this.cells),
      stream: ahead ?? stream,
      lanes,
      renderer: ahead ?? renderer,
      ahead,
      client: this.client,
      store,
      log: options.recordLimit === undefined ? null : new RequestLog(options.recordLimit),
      onHandover: (handover) => {
        this.handovers.push(handover);
        for (const { scope, metric, status, block } of handover.series) {
          const name = scope.kind === 'window' ? `${metric}/${status}` : `${scope.request}/${metric}/${status}`;
          for (const key of [name, `${name}/phase ${scope.phase}`]) this.#histogramOf(key).addBlock(block);
        }
        options.onHandover?.(handover);
        for (const { block } of handover.series) {
          clearBlock(block);
          store.recycle([block]);
        }
      },
      onFinished: () => {
        this.finishedNs = this.loop.nowNs();
      },
      guard: (turn) => {
        try {
          turn();
        } catch (error) {
          this.faults.push(error);
        }
      },
    });
  }

  /** Sets the end of the lease, run time in ns. */
  setLease(deadlineNs: number): void {
    this.cells[CONTROL_CELLS.leaseDeadlineDeciseconds] = Math.min(2 ** 31 - 1, Math.floor(deadlineNs / 1e8));
  }

  /** Begins and runs to the end, or to `untilNs`. */
  run(untilNs = Infinity): this {
    this.trial.begin();
    return this.continueTo(untilNs);
  }

  continueTo(untilNs: number): this {
    this.loop.run(untilNs);
    if (this.faults.length > 0) throw this.faults[0];
    return this;
  }

  /** One book, summed over windows (of one phase, or of all). */
  book(name: CounterName, phase?: number): number {
    return this.#sum('window', name, phase);
  }

  /** One book, summed over request names. */
  namedBook(name: CounterName, phase?: number): number {
    return this.#sum('request', name, phase);
  }

  /** Samples of the totals over names. */
  histogram(metric: MetricId, status: SeriesStatus = 'ok', phase?: number): Histogram {
    return this.#histogramOf(`${metric}/${status}${phase === undefined ? '' : `/phase ${phase}`}`);
  }

  /** Samples of one request name. */
  namedHistogram(request: string, metric: MetricId, status: SeriesStatus = 'ok'): Histogram {
    return this.#histogramOf(`${request}/${metric}/${status}`);
  }

  #sum(kind: 'window' | 'request', name: CounterName, phase?: number): number {
    let total = 0;
    for (const { scope, cell } of this.handovers.flatMap((handover) => handover.counters)) {
      if (scope.kind === kind && (phase === undefined || scope.phase === phase)) total += cell[COUNTER[name]] ?? 0;
    }
    return total;
  }

  #histogramOf(key: string): Histogram {
    const known = this.#histograms.get(key);
    if (known !== undefined) return known;
    const made = new Histogram();
    this.#histograms.set(key, made);
    return made;
  }
}
