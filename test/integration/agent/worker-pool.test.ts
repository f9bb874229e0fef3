/** Worker threads as the agent's main thread sees them: real threads, real deaths. */
import { afterEach, describe, expect, it } from 'vitest';
import type { CrewHandlers, WorkerCrew } from '../../../agent/session/worker-crew.ts';
import { createStartCrew, type WorkerPoolOptions } from '../../../agent/worker/pool.ts';
import { CONTROL_CELLS, type FromWorker, type WorkerAssignment } from '../../../agent/worker/worker-messages.ts';
import { Histogram } from '../../../shared/histogram/histogram.ts';
import { clearBlock } from '../../../shared/histogram/recording-block.ts';
import { COUNTER, type CounterName } from '../../../shared/metrics/counters.ts';
import { countArrivals } from '../../../shared/schedule/count-arrivals.ts';
import { allLanes, dealLanes } from '../../../shared/schedule/deal.ts';
import { hostMonotonicNs } from '../../../shared/time/monotonic-clock.ts';
import { createPlan } from '../../support/plan-fixture.ts';
import { basisOf } from '../../support/trial-simulation.ts';
import { startScriptedServer } from '../../support/scripted-server.ts';
import { FAULTS } from '../../support/worker-entries/faulty-worker.ts';

const crews: WorkerCrew[] = [];

function start(count: number, handlers: CrewHandlers, options: WorkerPoolOptions = {}): WorkerCrew {
  const crew = createStartCrew(options)(count, handlers);
  crews.push(crew);
  return crew;
}

afterEach(async () => {
  for (const crew of crews.splice(0)) await crew.dismiss();
});

function assignment(slot: number, slots: number, overrides: Partial<WorkerAssignment> = {}): WorkerAssignment {
  const plan = overrides.plan ?? createPlan();
  return {
    runId: 'run',
    trial: 0,
    plan,
    blobs: new Map(),
    slot,
    lanes: dealLanes(plan.laneCount, slots, slot),
    pacing: 'timer',
    recordLimit: null,
    ...overrides,
  };
}

describe('death of a worker thread', () => {
  it('R084 a thread whose entry cannot be loaded is dead, with the reason: nobody waits for it', async () => {
    const deaths: string[] = [];
    start(
      2,
      { onMessage: () => undefined, onDeath: (thread, reason) => deaths.push(`${thread}: ${reason}`) },
      { entry: new URL('../../support/worker-entries/unloadable-worker.ts', import.meta.url) },
    );
    await expect.poll(() => deaths.length, { timeout: 30_000 }).toBe(2);
    expect(deaths.sort()).toEqual(['0: this entry cannot be loaded', '1: this entry cannot be loaded']);
  }, 40_000);

  const entry = new URL('../../support/worker-entries/faulty-worker.ts', import.meta.url);
  const reasons: Record<(typeof FAULTS)[number], RegExp> = {
    heap: /memory|heap/i,
    exit: /exit.*7/,
    throw: /thrown outside a request/,
    reject: /the task failed/,
    tick: /never/,
  };

  it('R084 reports each death once, with its reason, after all it had sent; the others live on', async () => {
    const events: string[][] = FAULTS.map(() => []);
    const crew = start(
      FAULTS.length,
      {
        onMessage: (thread, message) =>
          events[thread]!.push(message.kind === 'armed' ? message.clientName : message.kind),
        onDeath: (thread, reason) => events[thread]!.push(`death: ${reason}`),
      },
      { entry, resourceLimits: { maxOldGenerationSizeMb: 32 } },
    );
    for (const [slot, thread] of crew.threads.entries())
      thread.post({ kind: 'arm', assignment: assignment(slot, FAULTS.length) });
    await expect.poll(() => events.map((list) => list.length), { timeout: 50_000 }).toEqual([2, 2, 2, 2, 2]);
    for (const [slot, fault] of FAULTS.entries()) {
      expect(events[slot]![0]).toBe('before the end');
      if (fault === 'tick') expect(events[slot]![1]).toBe('20 ms later');
      else expect(events[slot]![1]).toMatch(reasons[fault]);
    }
    // Posting to a dead thread is harmless.
    for (const thread of crew.threads) thread.post({ kind: 'stop', drainNs: 0 });
    await crew.dismiss();
    expect(events.map((list) => list.length)).toEqual([2, 2, 2, 2, 2]);
  });
});

describe('a trial on real threads', () => {
  it('two workers send exactly the planned arrivals, give their blocks away and take them back, twice', async () => {
    const server = await startScriptedServer((request, socket) => {
      const answers = request.split('GET ').length - 1;
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'.repeat(answers));
    });
    try {
      const plan = createPlan({ targetUrl: server.url, ratePerSecond: 200, durationNs: 1.5e9 });
      const totals = new Map<CounterName, number>();
      const response = new Histogram();
      const finished: number[] = [];
      const armed: string[] = [];
      const other: FromWorker[] = [];
      const crew = start(2, {
        onMessage: (thread, message) => {
          if (message.kind === 'armed') armed.push(message.clientName);
          else if (message.kind === 'finished') finished.push(message.slot);
          else if (message.kind === 'fault') other.push(message);
          else {
            for (const { scope, cell } of message.handover.counters) {
              if (scope.kind !== 'window') continue;
              for (const name of ['decided', 'attempted', 'sent', 'ok'] as const)
                totals.set(name, (totals.get(name) ?? 0) + cell[COUNTER[name]]!);
            }
            const { series } = message.handover;
            for (const { scope, metric, block } of series) {
              if (scope.kind === 'window' && metric === 'response') response.addBlock(block);
              clearBlock(block);
            }
            crew.threads[thread]!.post({ kind: 'recycle', blocks: series.map(({ block }) => block) });
          }
        },
        onDeath: (_thread, reason) => void other.push({ kind: 'fault', slot: -1, message: reason, stack: null }),
      });
      let expected = 0;
      for (const trial of [0, 1]) {
        for (const [slot, thread] of crew.threads.entries()) {
          Atomics.store(thread.cells, CONTROL_CELLS.leaseDeadlineDeciseconds, 10_000);
          thread.post({ kind: 'arm', assignment: assignment(slot, 2, { plan, trial }) });
        }
        await expect.poll(() => armed.length, { timeout: 30_000 }).toBe(2 * (trial + 1));
        const t0HostNs = hostMonotonicNs() + 100e6;
        for (const thread of crew.threads) thread.post({ kind: 'start', t0HostNs });
        await expect.poll(() => finished.length, { timeout: 30_000 }).toBe(2 * (trial + 1));
        expected += countArrivals({ ...basisOf(plan), trial }, { phase: 0, lanes: allLanes(plan.laneCount) });
        expect(totals.get('decided')).toBe(expected);
      }
      expect(other).toEqual([]);
      expect([...totals.values()]).toEqual([expected, expected, expected, expected]);
      expect(response.count).toBe(expected);
      expect(server.requests.join('').split('GET ').length - 1).toBe(expected);
      expect(armed.every((name) => name !== '')).toBe(true);
    } finally {
      await server.close();
    }
  });

  it('a worker that is stopped before its start finishes, and one whose plan is broken says so', async () => {
    const seen: FromWorker[] = [];
    const crew = start(1, { onMessage: (_thread, message) => void seen.push(message), onDeath: () => undefined });
    const [thread] = crew.threads;
    thread!.post({ kind: 'arm', assignment: assignment(0, 1) });
    await expect.poll(() => seen.length, { timeout: 30_000 }).toBe(1);
    thread!.post({ kind: 'stop', drainNs: 1e9 });
    await expect.poll(() => seen.at(-1)?.kind).toBe('finished');
    const broken = createPlan({ overrides: { slo: [{ metric: 'speed', maxNs: 1 }] } });
    thread!.post({ kind: 'arm', assignment: assignment(0, 1, { plan: broken }) });
    await expect.poll(() => seen.at(-1)?.kind).toBe('fault');
    expect(JSON.stringify(seen.at(-1))).toContain('speed');
  });
});
