/**
 * What one request costs on a worker's loop besides its client: schedule read, choice, decision, stamps, books and 18 samples; and what
 * handing a window over costs, blocks sent to another port and taken back. The bound on a hand-over is 0.2 ms for the usual series,
 * and 1 ms for 128 of them (13 request names of 9 series each, flushed in turns: about 18 blocks at a time).
 * Run: `node bench/micro/dispatch.ts [name] [--smoke]`.
 */
import type { ClientGauge } from '../../agent/client/client-gauge.ts';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import {
  createClientCounters,
  type Exchange,
  type OutboundRequest,
  type ProtocolClient,
  type ResponseSink,
} from '../../agent/client/protocol-client.ts';
import { BatchProgress } from '../../agent/worker/batch-progress.ts';
import { BlockStore } from '../../agent/worker/block-store.ts';
import { Dispatcher } from '../../agent/worker/dispatcher.ts';
import { FidelityMeter } from '../../agent/worker/fidelity-meter.ts';
import { InFlight } from '../../agent/worker/in-flight.ts';
import { LeaseGate } from '../../agent/worker/lease-gate.ts';
import { Recorder } from '../../agent/worker/recorder.ts';
import { ChainQueue } from '../../agent/worker/request-chain.ts';
import { createRequestRenderer } from '../../agent/worker/request-renderer.ts';
import { createAnswerReaders } from '../../agent/worker/llm-answer-reader.ts';
import { SloCheck } from '../../agent/worker/slo-check.ts';
import { StatusExpectation } from '../../agent/worker/status-expectation.ts';
import { CONTROL_CELLS, type WorkerHandover } from '../../agent/worker/worker-messages.ts';
import { buffersOf } from '../../agent/worker/worker-thread.ts';
import { PhaseEnds } from '../../agent/worker/phase-ends.ts';
import { clearBlock } from '../../shared/histogram/recording-block.ts';
import { COUNTER } from '../../shared/metrics/counters.ts';
import type { Outcome } from '../../shared/metrics/outcome.ts';
import type { RequestTemplate } from '../../shared/plan/plan.ts';
import type { ArrivalStream } from '../../shared/schedule/arrival-stream.ts';
import { createPlan } from '../../test/support/plan-fixture.ts';
import { basisOf } from '../../test/support/trial-simulation.ts';
import { type MicroBench, runFromCommandLine } from './runner.ts';

const OK: Outcome = { kind: 'ok', status: 200 };
/** Requests per window of run time in the benches. */
const PER_WINDOW = 10_000;

/** A clock that goes on by a fixed step at each reading. */
class SteppingClock {
  #nowNs = 0;

  nowNs(): number {
    this.#nowNs += 10_000;
    return this.#nowNs;
  }
}

/** Answers at once; every request has all five stamps. */
class InstantClient implements ProtocolClient {
  readonly name = 'instant';
  readonly counters = createClientCounters();
  readonly decodingCount = 0;
  readonly #clock: SteppingClock;
  readonly #exchange: Exchange = { abort: () => undefined };

  constructor(clock: SteppingClock) {
    this.#clock = clock;
  }

  prepare(): Promise<void> {
    return Promise.resolve();
  }

  gauges(): readonly ClientGauge[] {
    return [];
  }

  takeWarnings(): readonly string[] {
    return [];
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  send(_request: OutboundRequest, sink: ResponseSink): Exchange {
    sink.onSend(this.#clock.nowNs());
    sink.onFirstByte(this.#clock.nowNs());
    sink.onEnd(OK, this.#clock.nowNs());
    return this.#exchange;
  }
}

/** `count` arrivals that are always due. */
function dueStream(count: number): ArrivalStream {
  let taken = 0;
  return {
    peekNs: () => (taken < count ? taken * 50_000 : Infinity),
    next: (into) => {
      if (taken >= count) return false;
      into.phase = 0;
      into.intendedNs = taken * 50_000;
      into.rank = taken & 31;
      taken += 1;
      return true;
    },
    workAhead: () => false,
  };
}

interface Path {
  readonly dispatcher: Dispatcher;
  readonly recorder: Recorder;
  readonly store: BlockStore;
}

function pathFor(count: number, names = 1): Path {
  const usual = createPlan({ durationNs: 1e15, ratePerSecond: 1 });
  const requests = Array.from({ length: names }, (_, index) => ({
    ...(usual.requests[0] as RequestTemplate),
    name: `request-${index}`,
  }));
  const plan = { ...usual, requests };
  const clock = new SteppingClock();
  const store = new BlockStore();
  const recorder = new Recorder(
    store,
    requests.map((request) => request.name),
    new SloCheck([]),
    0,
    new FidelityMeter(plan.phases),
  );
  const cells = new Int32Array(new SharedArrayBuffer(CONTROL_CELLS.length * 4));
  cells[CONTROL_CELLS.leaseDeadlineDeciseconds] = 2 ** 31 - 1;
  const gate = new LeaseGate(cells);
  const inFlight = new InFlight({
    clock,
    client: new InstantClient(clock),
    recorder,
    gate,
    limits: plan.limits,
    phaseEnds: new PhaseEnds([]),
    batches: new BatchProgress(plan),
    expectations: plan.requests.map((request) => new StatusExpectation(request.expect)),
    readers: createAnswerReaders(plan),
    onActivity: () => undefined,
  });
  const renderer = createRequestRenderer(plan, basisOf(plan));
  const stream = dueStream(count);
  const dispatcher = new Dispatcher({
    plan,
    clock,
    gate,
    stream,
    renderer,
    inFlight,
    recorder,
    chains: new ChainQueue(),
    sessions: null,
  });
  return { dispatcher, recorder, store };
}

function handOver(recorder: Recorder, last = true): WorkerHandover {
  return recorder.handOver({
    completeBelowWindow: 0,
    pacedBelowWindow: 0,
    decidedThroughNs: 0,
    gauges: [],
    last,
  });
}

/** Releases `count` requests, with a hand-over after each window's worth; returns how many ended well. */
function runRequests(count: number): number {
  const { dispatcher, recorder, store } = pathFor(count);
  let ok = 0;
  for (let released = 0; released < count; ) {
    const before = dispatcher.nextArrivalNs();
    dispatcher.releaseDue();
    released += ((dispatcher.exhausted ? count * 50_000 : dispatcher.nextArrivalNs()) - before) / 50_000;
    if (released % PER_WINDOW > 50 && !dispatcher.exhausted) continue;
    const { counters, series } = handOver(recorder);
    for (const { scope, cell } of counters) if (scope.kind === 'window') ok += cell[COUNTER.ok] as number;
    for (const { block } of series) clearBlock(block);
    store.recycle(series.map(({ block }) => block));
  }
  return ok;
}

/** `count` hand-overs of a window, there and back over a port; returns the samples that arrived. */
function runHandovers(count: number, names: number): string {
  const perWindow = 40;
  const { dispatcher, recorder, store } = pathFor(count * perWindow, names);
  const { port1, port2 } = new MessageChannel();
  let samples = 0;
  for (let window = 0; window < count; window += 1) {
    dispatcher.releaseDue();
    const handover = handOver(recorder, window === count - 1);
    port1.postMessage(handover, buffersOf(handover));
    const arrived = (receiveMessageOnPort(port2) as { message: WorkerHandover }).message;
    for (const { block } of arrived.series) {
      samples += block.count;
      clearBlock(block);
    }
    store.recycle(arrived.series.map(({ block }) => block));
  }
  port1.close();
  return String(samples);
}

/** Counts `count` arrivals as planned and as sent at 50,000 a second, 0.1 ms late, and takes the windows; returns the sends. */
function runFidelity(count: number): number {
  const meter = new FidelityMeter(createPlan({ durationNs: (count + 50) * 20_000 }).phases);
  let sent = 0;
  let window = 1;
  for (let arrival = 0; arrival < count; arrival += 1) {
    const intendedNs = arrival * 20_000;
    if (intendedNs >= window * 1e9) {
      for (const { sent: counts } of meter.take(window)) for (const edge of counts) sent += edge;
      window += 1;
    }
    meter.planned(0, intendedNs);
    meter.sent(0, intendedNs, intendedNs + 100_000);
  }
  for (const { sent: counts } of meter.take(Infinity)) for (const edge of counts) sent += edge;
  return sent;
}

export const dispatchBenches: readonly MicroBench[] = [
  {
    name: 'dispatch/request-without-client',
    unit: 'requests',
    count: 300_000,
    smokeCount: 2_000,
    run: (count) => String(runRequests(count)),
  },
  {
    name: 'dispatch/planned-against-sent',
    unit: 'requests',
    count: 3_000_000,
    smokeCount: 100_000,
    run: (count) => String(runFidelity(count)),
  },
  {
    name: 'dispatch/hand-over-and-back',
    unit: 'windows',
    count: 2_000,
    smokeCount: 10,
    run: (count) => runHandovers(count, 1),
  },
  {
    name: 'dispatch/hand-over-and-back-128-series',
    unit: 'windows',
    count: 2_000,
    smokeCount: 10,
    run: (count) => runHandovers(count, 13),
  },
];

if (import.meta.main)
  runFromCommandLine(dispatchBenches, process.argv.slice(2), (line) => process.stdout.write(`${line}\n`));
