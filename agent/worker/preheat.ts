/**
 * Runs a worker's whole path (schedule, pacing, dispatch, the plan's own client, recording) against a null target before T0, so that the
 * first arrivals meet compiled code (design §6). It is in no book and sends nothing to the target. Once per thread and kind of client.
 */

import type { Plan } from '../../shared/plan/plan.ts';
import type { Clock } from '../../shared/time/monotonic-clock.ts';
import { createWorkerSchedule } from '../../shared/schedule/worker-schedule.ts';
import type { ProtocolClient } from '../client/protocol-client.ts';
import { BlockStore } from './block-store.ts';
import { LeaseGate } from './lease-gate.ts';
import { startNullTarget } from './null-target.ts';
import type { TurnScheduler } from './pacer.ts';
import { RequestLog } from './request-log.ts';
import { createRequestRenderer } from './request-renderer.ts';
import { RunClock } from './run-clock.ts';
import { Trial } from './trial.ts';
import { CONTROL_CELLS } from './worker-messages.ts';

/** Long enough for the optimising compiler to have seen the path some two thousand times, ns. */
const PREHEAT_NS = 250_000_000;
const PREHEAT_RATE_PER_SECOND = 8_000;
/** What is still open after this is given up, ns. */
const PREHEAT_DRAIN_NS = 50_000_000;
const LANES = 64;

export interface PreheatParts {
  readonly plan: Plan;
  readonly hostClock: Clock;
  readonly scheduler: TurnScheduler;
  readonly readIdleNs: () => number;
  readonly createClient: (plan: Plan, clock: Clock) => ProtocolClient;
}

/** Preheats; takes about 0.3 s. Rejects when the null target cannot listen or the path throws. */
export async function preheat(parts: PreheatParts): Promise<void> {
  const target = await startNullTarget(parts.plan.target.httpVersion === '2' ? 'h2' : 'http/1.1');
  const clock = new RunClock(parts.hostClock);
  const plan = preheatPlan(parts.plan, target.url);
  const client = parts.createClient(plan, clock);
  try {
    await client.prepare(2);
    await runTrial(plan, client, clock, parts);
  } finally {
    await client.close();
    await target.close();
  }
}

/** A short Poisson phase of one plain request, within the limits of the plan that is to run. */
function preheatPlan(plan: Plan, url: string): Plan {
  const knots = [0, PREHEAT_NS / 1e9].map((tSeconds) => ({ tSeconds, ratePerSecond: PREHEAT_RATE_PER_SECOND }));
  return {
    ...plan,
    laneCount: LANES,
    target: { ...plan.target, url, identify: true, tlsServerName: null, connectTo: null, proxy: 'direct' },
    requests: [
      {
        name: 'preheat',
        weight: 1,
        method: 'GET',
        url: `${url}/`,
        headers: [],
        body: { kind: 'none' },
        expect: { status: [[200, 399]], decoded: true },
        llm: null,
      },
    ],
    data: null,
    phases: [
      { name: 'preheat', warmup: true, startNs: 0, durationNs: PREHEAT_NS, arrivals: { kind: 'poisson', knots } },
    ],
    limits: {
      ...plan.limits,
      maxInFlight: 256,
      maxQueue: 0,
      connections: 8,
      drainNs: PREHEAT_DRAIN_NS,
      phaseGraceNs: 0,
    },
    slo: [],
  };
}

/** Rows that the preheat may keep: enough for the code to be hot. */
const PREHEAT_RECORDS = 10_000;

async function runTrial(plan: Plan, client: ProtocolClient, clock: RunClock, parts: PreheatParts): Promise<void> {
  const phases = plan.phases.map(({ startNs, durationNs, arrivals }) => ({ startNs, durationNs, law: arrivals }));
  const basis = { seed: { lo: 1, hi: 0 }, trial: 0, laneCount: LANES, phases, blobs: new Map<string, Uint8Array>() };
  const lanes = Int32Array.from({ length: LANES }, (_unused, lane) => lane);
  const cells = new Int32Array(CONTROL_CELLS.length);
  cells[CONTROL_CELLS.leaseDeadlineDeciseconds] = 2 ** 31 - 1;
  await new Promise<void>((resolve, reject) => {
    const trial = new Trial({
      plan,
      slot: 0,
      pacing: 'spin',
      clock,
      scheduler: parts.scheduler,
      readIdleNs: parts.readIdleNs,
      takeGcPauses: () => null,
      gate: new LeaseGate(cells),
      stream: createWorkerSchedule({ ...basis, ownedLanes: [{ lanes, fromNs: 0 }] }),
      lanes: new Int32Array(0),
      renderer: createRequestRenderer(plan, basis),
      ahead: null,
      client,
      store: new BlockStore(),
      log: new RequestLog(PREHEAT_RECORDS),
      // In no book: the blocks are dropped with the rest.
      onHandover: () => undefined,
      onFinished: resolve,
      guard: (turn) => {
        try {
          turn();
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      },
    });
    clock.setOrigin(parts.hostClock.nowNs());
    trial.begin();
  });
}
