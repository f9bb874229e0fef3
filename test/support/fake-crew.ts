/**
 * Worker threads that only pretend: they keep T0, the lease and the stop flag as real ones do, count one sample per tick and
 * slot, and hand over on the main thread. Tests of the control plane compare the fleet's sums with what was counted here.
 */
import type { CrewHandlers, StartCrew, WorkerCrew, WorkerThread } from '../../agent/session/worker-crew.ts';
import { LeaseGate } from '../../agent/worker/lease-gate.ts';
import { CONTROL_CELLS, type ToWorker, type WorkerAssignment } from '../../agent/worker/worker-messages.ts';
import { createRecordingBlock, record } from '../../shared/histogram/recording-block.ts';
import { COUNTER, createCounterCell } from '../../shared/metrics/counters.ts';
import { hostMonotonicNs } from '../../shared/time/monotonic-clock.ts';
import { EMPTY_HANDOVER } from './handover-fixture.ts';

const TICK_MS = 20;

/** What the fake threads did, over all crews that share it. */
export class FakeCrewBooks {
  /** Samples handed over. */
  handedOver = 0;
  /** T0 as each thread was told it, on the host's clock, ns. */
  readonly starts: number[] = [];
  /** Run time of the last sample of each slot, ns. */
  readonly lastSampleNs = new Map<number, number>();
  /** Crews that were dismissed. */
  dismissals = 0;
}

export interface FakeCrewOptions {
  readonly books: FakeCrewBooks;
  /** From the arm order to `armed`, ms. */
  readonly armDelayMs?: number;
  /** Called with each thread, so that a test can kill it. */
  readonly onThread?: (kill: (reason: string) => void) => void;
}

/** Starts crews of fake threads. */
export function fakeCrew(options: FakeCrewOptions): StartCrew {
  return (count, handlers): WorkerCrew => {
    const threads = Array.from({ length: count }, (_, index) => new FakeThread(index, handlers, options));
    return {
      threads,
      dismiss: () => {
        options.books.dismissals += 1;
        for (const thread of threads) thread.end();
        return Promise.resolve();
      },
    };
  };
}

class FakeThread implements WorkerThread {
  readonly cells = new Int32Array(new SharedArrayBuffer(CONTROL_CELLS.length * 4));
  readonly #index: number;
  readonly #handlers: CrewHandlers;
  readonly #options: FakeCrewOptions;
  #assignment: WorkerAssignment | null = null;
  #timer: NodeJS.Timeout | undefined;
  #t0Ns = 0;
  #isAlive = true;

  constructor(index: number, handlers: CrewHandlers, options: FakeCrewOptions) {
    this.#index = index;
    this.#handlers = handlers;
    this.#options = options;
    options.onThread?.((reason) => {
      this.end();
      handlers.onDeath(index, reason);
    });
  }

  end(): void {
    this.#isAlive = false;
    clearInterval(this.#timer);
  }

  post(message: ToWorker): void {
    if (!this.#isAlive) return;
    switch (message.kind) {
      case 'arm': {
        this.#assignment = message.assignment;
        const { slot } = message.assignment;
        setTimeout(() => this.#tell({ kind: 'armed', slot, clientName: 'fake' }), this.#options.armDelayMs ?? 1);
        return;
      }
      case 'start':
        this.#t0Ns = message.t0HostNs;
        this.#options.books.starts.push(message.t0HostNs);
        this.#timer = setInterval(() => this.#tick(), TICK_MS);
        return;
      case 'stop':
        this.#finish();
        return;
      case 'recycle':
      case 'exit':
        return;
    }
  }

  #tick(): void {
    const nowNs = hostMonotonicNs() - this.#t0Ns;
    const { plan, slot } = this.#assignment!;
    if (nowNs < 0) return;
    const endNs = Math.max(...plan.phases.map((phase) => phase.startNs + phase.durationNs));
    if (nowNs >= endNs) {
      // As a worker that has nothing left to decide.
      this.#tell({ kind: 'handover', slot, handover: { ...EMPTY_HANDOVER, decidedThroughNs: endNs + 1 } });
      this.#finish();
    } else if (new LeaseGate(this.cells).permission(nowNs) === 'granted') this.#handOver(slot, nowNs);
  }

  #handOver(slot: number, nowNs: number): void {
    const scope = { kind: 'window', phase: 0, window: Math.floor(nowNs / 1e9) } as const;
    const cell = createCounterCell();
    for (const name of ['decided', 'attempted', 'sent', 'ok'] as const) cell[COUNTER[name]] = 1;
    const block = createRecordingBlock();
    record(block, 1_000_000 + slot);
    this.#options.books.handedOver += 1;
    this.#options.books.lastSampleNs.set(slot, nowNs);
    this.#tell({
      kind: 'handover',
      slot,
      handover: {
        ...EMPTY_HANDOVER,
        completeBelowWindow: scope.window,
        decidedThroughNs: nowNs,
        counters: [{ scope, cell }],
        series: [{ scope, metric: 'response', status: 'ok', block }],
      },
    });
  }

  #finish(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    const { slot } = this.#assignment!;
    this.#tell({ kind: 'finished', slot });
  }

  #tell(message: Parameters<CrewHandlers['onMessage']>[1]): void {
    if (this.#isAlive) this.#handlers.onMessage(this.#index, message);
  }
}
