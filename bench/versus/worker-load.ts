/**
 * One worker of ours as a process of its own, for the comparison: the same thread, pacer, client and recorder as in a fleet, without
 * agents and coordinator around it. Prints one JSON line for the time after the warm-up: what was sent, the CPU used, lag and response.
 * Arguments: URL, `saturate` COUNT CONNECTIONS WARMUP_SECONDS (a closed loop) | `poisson` RATE SECONDS WARMUP_SECONDS | `even` RATE SECONDS WARMUP_SECONDS; then client
 * (auto | undici | h2), workers, pacing, a core that the (one) worker has to itself (- for none) and the most connections, all optional.
 */
import { createStartCrew } from '../../agent/worker/pool.ts';
import { keepOff } from '../../agent/session/core-affinity.ts';
import { WorkerMerge } from '../../agent/merge/worker-merge.ts';
import type { WorkerCrew } from '../../agent/session/worker-crew.ts';
import { CONTROL_CELLS, type FromWorker, type WorkerHandover } from '../../agent/worker/worker-messages.ts';
import { Histogram } from '../../shared/histogram/histogram.ts';
import { addCounterCell, COUNTER, type CounterName, createCounterCell } from '../../shared/metrics/counters.ts';
import type { MetricId } from '../../shared/metrics/metric.ts';
import type { Phase, Plan } from '../../shared/plan/plan.ts';
import { dealLanes } from '../../shared/schedule/deal.ts';
import { hostMonotonicNs } from '../../shared/time/monotonic-clock.ts';

/** Time from arming to T0, ns. */
const LEAD_NS = 300e6;
/** Most connections in open loop, where nothing else is asked for. */
const CONNECTIONS_MAX = 1000;
/** How often memory is looked at, ms. */
const MEMORY_INTERVAL_MS = 1000;

/** What the process prints. Times in ns; percentiles of the measured phase only. */
export interface WorkerLoadResult {
  readonly ok: number;
  readonly failed: number;
  readonly dropped: number;
  /** Between the end of the warm-up and the last end. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** The part of it outside the kernel. */
  readonly userSeconds: number;
  readonly percentiles: Readonly<Record<string, Readonly<Record<string, number | null>>>>;
  /** Resident memory, bytes, one figure a second. */
  readonly residentBytes: readonly number[];
}

const PERCENTILES = [50, 90, 99, 99.9];
const SHOWN: readonly MetricId[] = ['response', 'service', 'wakeLag', 'wait', 'loopGap'];

function phasesOf(
  mode: string,
  args: readonly string[],
): { phases: Phase[]; measured: number; warmupSeconds: number; inFlight: number; queue: number } {
  if (mode === 'saturate') {
    const [count, concurrency, warmupSeconds] = args.map(Number) as [number, number, number];
    const closed = (name: string, startSeconds: number, lengthSeconds: number, countMax: number | null): Phase => ({
      name,
      warmup: name === 'warm-up',
      startNs: startSeconds * 1e9,
      durationNs: lengthSeconds * 1e9,
      arrivals: { kind: 'closed', concurrency, thinkNs: 0, count: countMax },
    });
    const load = closed('load', warmupSeconds, 0, count);
    const phases = warmupSeconds > 0 ? [closed('warm-up', 0, warmupSeconds, null), load] : [load];
    return { phases, measured: phases.length - 1, warmupSeconds, inFlight: concurrency, queue: concurrency };
  }
  const [ratePerSecond, seconds, warmupSeconds] = args.map(Number) as [number, number, number];
  const kind = mode === 'even' ? 'even' : 'poisson';
  const phaseOf = (name: string, startSeconds: number, length: number): Phase => ({
    name,
    warmup: name === 'warm-up',
    startNs: startSeconds * 1e9,
    durationNs: length * 1e9,
    arrivals: {
      kind,
      knots: [
        { tSeconds: 0, ratePerSecond },
        { tSeconds: length, ratePerSecond },
      ],
    },
  });
  const phases =
    warmupSeconds > 0
      ? [phaseOf('warm-up', 0, warmupSeconds), phaseOf('load', warmupSeconds, seconds)]
      : [phaseOf('load', 0, seconds)];
  return { phases, measured: phases.length - 1, warmupSeconds, inFlight: 20_000, queue: 0 };
}

function planOf(
  url: string,
  client: string,
  shape: ReturnType<typeof phasesOf>,
  pacing: Plan['fleet']['pacing'],
  workers: number,
  connections: number,
): Plan {
  return {
    name: 'versus',
    seed: 1n,
    laneCount: 4096,
    target: {
      url,
      client: client === 'undici' ? 'undici' : 'auto',
      identify: false,
      tlsServerName: null,
      insecure: true,
      connectTo: null,
      proxy: 'direct',
      httpVersion: client === 'h2' ? '2' : '1.1',
    },
    requests: [
      {
        name: 'get',
        weight: 1,
        method: 'GET',
        url,
        headers: [],
        body: { kind: 'none' },
        expect: { status: [[200, 399]], decoded: true },
        llm: null,
      },
    ],
    data: null,
    phases: shape.phases,
    limits: {
      maxInFlight: shape.inFlight,
      maxQueue: shape.queue,
      connections: client === 'h2' ? 10 : Math.min(shape.inFlight, connections),
      timeoutNs: 30e9,
      connectionAgeNs: null,
      idleTimeoutNs: null,
      drainNs: 120e9,
      phaseGraceNs: 120e9,
      late: { kind: 'send' },
    },
    fleet: {
      agents: 1,
      workers,
      pacing,
      leaseNs: 10e9,
      onAgentLoss: 'continue',
      startLeadNs: null,
      armTimeoutNs: 30e9,
    },
    slo: [],
    thresholds: [],
    scrapes: [],
    failOn: 'never',
    output: { directory: null, quiet: true, perRequestLimit: null },
  };
}

/** One run: arms the threads, starts them together, adds up what they hand over. */
class LoadRun {
  readonly result: Promise<WorkerLoadResult>;
  readonly #measured: number;
  readonly #warmupSeconds: number;
  readonly #workers: number;
  readonly #crew: WorkerCrew;
  readonly #merge: WorkerMerge;
  readonly #totals = createCounterCell();
  readonly #histograms = new Map<MetricId, Histogram>(SHOWN.map((metric) => [metric, new Histogram()]));
  readonly #residentBytes: number[] = [];
  readonly #memory = setInterval(() => this.#residentBytes.push(process.memoryUsage.rss()), MEMORY_INTERVAL_MS);
  #resolve: (result: WorkerLoadResult) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  #armed = 0;
  #finished = 0;
  #startHostNs = 0;
  #cpuAtStart = process.cpuUsage();

  constructor(
    plan: Plan,
    { measured, warmupSeconds }: ReturnType<typeof phasesOf>,
    workers: number,
    pacing: 'hybrid' | 'spin' | 'timer',
    core: number | null,
  ) {
    this.#measured = measured;
    this.#warmupSeconds = warmupSeconds;
    this.#workers = workers;
    this.#merge = new WorkerMerge(Array.from({ length: workers }, (_unused, slot) => slot));
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#crew = createStartCrew({ cores: core === null ? null : [core] })(workers, {
      onMessage: (index, message) => this.#receive(index, message),
      onDeath: (_index, reason) => this.#reject(new Error(reason)),
    });
    for (const [slot, thread] of this.#crew.threads.entries()) {
      const lanes = dealLanes(plan.laneCount, workers, slot);
      thread.post({
        kind: 'arm',
        assignment: { runId: 'versus', trial: 0, plan, blobs: new Map(), slot, lanes, pacing, recordLimit: null },
      });
    }
  }

  #receive(index: number, message: FromWorker): void {
    switch (message.kind) {
      case 'armed':
        this.#armed += 1;
        if (this.#armed === this.#workers) this.#start();
        return;
      case 'handover':
        this.#take(index, message.handover);
        return;
      case 'finished':
        this.#finished += 1;
        if (this.#finished === this.#workers) void this.#end();
        return;
      case 'fault':
        this.#reject(new Error(message.message));
        return;
    }
  }

  #start(): void {
    this.#startHostNs = hostMonotonicNs() + LEAD_NS;
    for (const thread of this.#crew.threads) {
      thread.cells[CONTROL_CELLS.leaseDeadlineDeciseconds] = 2 ** 31 - 1;
      thread.post({ kind: 'start', t0HostNs: this.#startHostNs });
    }
    setTimeout(
      () => {
        this.#cpuAtStart = process.cpuUsage();
      },
      LEAD_NS / 1e6 + this.#warmupSeconds * 1e3,
    );
  }

  #take(index: number, handover: WorkerHandover): void {
    for (const { scope, cell } of handover.counters) {
      if (scope.kind === 'window' && scope.phase === this.#measured) addCounterCell(this.#totals, cell);
    }
    for (const { scope, metric, block } of handover.series) {
      if (scope.kind === 'window' && scope.phase === this.#measured) this.#histograms.get(metric)?.addBlock(block);
    }
    this.#crew.threads[index]?.post({ kind: 'recycle', blocks: this.#merge.take(index, handover) });
    // An agent sends it off; here it must not pile up.
    this.#merge.takeReport(false);
  }

  async #end(): Promise<void> {
    const used = process.cpuUsage(this.#cpuAtStart);
    const seconds = (hostMonotonicNs() - this.#startHostNs) / 1e9 - this.#warmupSeconds;
    clearInterval(this.#memory);
    await this.#crew.dismiss();
    const count = (name: CounterName): number => this.#totals[COUNTER[name]] as number;
    const percentilesOf = (histogram: Histogram): Record<string, number | null> =>
      Object.fromEntries(PERCENTILES.map((p) => [p, histogram.percentile(p)]));
    this.#resolve({
      ok: count('ok'),
      failed: count('attempted') - count('ok'),
      dropped: count('decided') - count('attempted'),
      seconds,
      cpuSeconds: (used.user + used.system) / 1e6,
      userSeconds: used.user / 1e6,
      percentiles: Object.fromEntries([...this.#histograms].map(([metric, h]) => [metric, percentilesOf(h)])),
      residentBytes: this.#residentBytes,
    });
  }
}

const [url, mode, ...rest] = process.argv.slice(2);
if (url === undefined || mode === undefined) throw new Error('usage: worker-load.ts URL saturate|poisson|even ...');
const [client = 'auto', workersText = '1', pacingText = 'hybrid', coreText = '-', connectionsText] = rest.slice(3);
const pacing = pacingText === 'spin' || pacingText === 'timer' ? pacingText : 'hybrid';
const shape = phasesOf(mode, rest.slice(0, 3));
const workers = Number(workersText);
const core = coreText === '-' ? null : Number(coreText);
const connections = connectionsText === undefined ? CONNECTIONS_MAX : Number(connectionsText);
if (core !== null) await keepOff([core]);
const run = new LoadRun(planOf(url, client, shape, pacing, workers, connections), shape, workers, pacing, core);
process.stdout.write(`${JSON.stringify(await run.result)}\n`);
