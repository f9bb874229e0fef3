/** Fleets over real connections with fake workers. Most of a test is waiting, so they run side by side, each with what it started. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, type TestContext } from 'vitest';
import { CONTROL_SILENCE_NS } from '../../agent/uplink/control-link.ts';
import { runRemote } from '../../coordinator/api/remote-run.ts';
import { hostMonotonicNs } from '../../shared/time/monotonic-clock.ts';
import { eventually } from '../support/eventually.ts';
import { FleetHarness, fleetOf, handedOver, type HarnessAgent, okIn, requestOf } from '../support/fleet-harness.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

async function proxyTo(context: TestContext, fleet: FleetHarness): Promise<TcpProxy> {
  const proxy = await TcpProxy.start(fleet.port);
  context.onTestFinished(() => proxy.close());
  return proxy;
}

describe.concurrent('a run over real connections', () => {
  it('counts every sample of every worker once, and the agents serve the next run with the workers they have', async (context) => {
    const fleet = await fleetOf(context);
    for (let i = 0; i < 3; i += 1) fleet.addAgent({ workers: i + 1 });
    for (const round of [1, 2]) {
      const before = handedOver(fleet);
      const driver = fleet.coordinator.startRun(requestOf(1.5e9, { agents: 3 }));
      const { record, merge } = await driver.ended;
      expect(record.end).toEqual({ kind: 'finished' });
      expect(record.workerSlots).toBe(6);
      expect(record.agents.map((agent) => [agent.slots.length, agent.state.kind, agent.clientName])).toEqual(
        expect.arrayContaining([
          [1, 'finished', 'fake'],
          [2, 'finished', 'fake'],
          [3, 'finished', 'fake'],
        ]),
      );
      expect(record.agents.flatMap((agent) => agent.slots).sort()).toEqual([0, 1, 2, 3, 4, 5]);
      expect(okIn(merge)).toBe(handedOver(fleet) - before);
      expect(okIn(merge)).toBeGreaterThan(round);
      for (const sender of merge.senders) expect(sender.completeness()).toEqual({ kind: 'complete' });
    }
    expect(fleet.agents.map((agent) => agent.books.dismissals)).toEqual([0, 0, 0]);
  });

  it('a second run is refused while one is on', async (context) => {
    const fleet = await fleetOf(context);
    const driver = fleet.coordinator.startRun(requestOf(1e9, { agents: 1 }));
    expect(() => fleet.coordinator.startRun(requestOf(1e9, { agents: 1 }))).toThrow(
      expect.objectContaining({
        code: 'refused',
        message: expect.stringContaining(`busy with run ${driver.run.runId}`),
      }),
    );
    driver.stop('stop', false);
    await driver.ended;
  });

  it('R102 too few agents: the run fails at its deadline and says so', async (context) => {
    const fleet = await fleetOf(context);
    fleet.addAgent();
    const { record } = await fleet.coordinator.startRun(requestOf(1e9, { agents: 2, armTimeoutNs: 1e9 })).ended;
    expect(record.end).toMatchObject({
      kind: 'failed',
      atNs: null,
      reason: expect.stringContaining('fewer than 2 agents'),
    });
  });
});

describe.concurrent('the start', () => {
  it('R078 agents are armed side by side and told one instant: spread within the clock bounds', async (context) => {
    const fleet = await fleetOf(context);
    const count = 10;
    const armDelayMs = 1000;
    for (let i = 0; i < count; i += 1) fleet.addAgent({ armDelayMs });
    const driver = fleet.coordinator.startRun(requestOf(0.3e9, { agents: count }));
    await eventually('arming', () => driver.state.kind === 'arming');
    const armingAt = performance.now();
    await eventually('running', () => driver.state.kind === 'running');
    // One after the other would take count x armDelayMs.
    expect(performance.now() - armingAt).toBeLessThan((count * armDelayMs) / 2);
    const { record } = await driver.ended;
    expect(record.end.kind).toBe('finished');
    const starts = fleet.agents.flatMap((agent) => agent.books.starts);
    expect(starts).toHaveLength(count);
    const bounds = record.agents.map((agent) => agent.clock?.boundNs ?? Infinity).sort((a, b) => b - a);
    // All agents share this host's clock here, so the spread of T0 is exactly the error of the offsets.
    expect(Math.max(...starts) - Math.min(...starts)).toBeLessThanOrEqual(bounds[0]! + bounds[1]!);
    for (const agent of record.agents) {
      expect(Math.abs(agent.clock?.offsetNs ?? Infinity)).toBeLessThanOrEqual(agent.clock?.boundNs ?? 0);
    }
  });
});

describe.concurrent('links that break', () => {
  it('R072 reports cut off before their answer are sent again and count once: totals equal what was counted', async (context) => {
    const fleet = await fleetOf(context);
    const proxy = await proxyTo(context, fleet);
    const agent = fleet.addAgent({ address: proxy.address, workers: 2 });
    fleet.addAgent({ address: proxy.address });
    const driver = fleet.coordinator.startRun(requestOf(5e9, { agents: 2 }));
    await eventually('running', () => driver.state.kind === 'running');
    for (let cuts = 0; cuts < 5; cuts += 1) {
      await eventually('it has joined again', () => agent.joins() > cuts);
      await delay(500);
      proxy.cut();
    }
    const { record, merge } = await driver.ended;
    expect(record.end).toEqual({ kind: 'finished' });
    expect(okIn(merge)).toBe(handedOver(fleet));
    for (const sender of merge.senders) expect(sender.completeness()).toEqual({ kind: 'complete' });
    expect(agent.notices.some((notice) => notice.includes('lost'))).toBe(true);
  });

  it('R083 a link that carries nothing is noticed within seconds and dialled anew; the run goes on', async (context) => {
    const fleet = await fleetOf(context);
    const proxy = await proxyTo(context, fleet);
    const agent = fleet.addAgent({ address: proxy.address });
    const driver = fleet.coordinator.startRun(requestOf(8e9, { agents: 1, leaseNs: 60e9 }));
    await eventually('samples', () => agent.books.handedOver > 10);
    proxy.freeze();
    const frozenAt = performance.now();
    await eventually('the agent notices', () => agent.notices.some((notice) => notice.includes('Control stream lost')));
    // Checked once a second; the rest is room for a busy machine.
    expect(performance.now() - frozenAt).toBeLessThan(CONTROL_SILENCE_NS / 1e6 + 10_000);
    proxy.thaw();
    const { record, merge } = await driver.ended;
    expect(record.end).toEqual({ kind: 'finished' });
    expect(okIn(merge)).toBe(handedOver(fleet));
  });

  it('R075 an agent that cannot renew its lease stops before the coordinator gives it up, and is free afterwards', async (context) => {
    const fleet = await fleetOf(context);
    const proxy = await proxyTo(context, fleet);
    const cutOff = fleet.addAgent({ address: proxy.address, agentId: 'cut-off' });
    const healthy = fleet.addAgent({ agentId: 'healthy' });
    const driver = fleet.coordinator.startRun(requestOf(8e9, { agents: 2, leaseNs: 2e9 }));
    await eventually('samples', () => cutOff.books.handedOver > 10);
    proxy.freeze();
    await eventually('the coordinator gives it up', () =>
      fleet.notices.some((notice) => notice.includes('cut-off is gone')),
    );
    const atLoss = cutOff.books.handedOver;
    proxy.thaw();
    const { record, merge } = await driver.ended;
    expect(cutOff.books.handedOver).toBe(atLoss);
    expect(record.end).toEqual({ kind: 'finished' });
    const lost = record.agents.find((agent) => agent.agentId === 'cut-off')?.state;
    expect(lost).toMatchObject({ kind: 'lost', reason: expect.stringContaining('lease') });
    // Its last sample lies before the instant at which it was declared lost.
    const [lastSampleNs] = cutOff.books.lastSampleNs.values();
    expect(lastSampleNs).toBeLessThan((lost as { atNs: number }).atNs);
    expect(okIn(merge)).toBeGreaterThanOrEqual(healthy.books.handedOver);
    // Free again: it can serve another run.
    const next = await fleet.coordinator.startRun(requestOf(0.3e9, { agents: 2 })).ended;
    expect(next.record.end).toEqual({ kind: 'finished' });
  });

  it('R075 an agent that hears nothing but is heard stops by itself, reports what it did, and the record says so', async (context) => {
    const fleet = await fleetOf(context);
    const proxy = await proxyTo(context, fleet);
    const deaf = fleet.addAgent({ address: proxy.address, agentId: 'deaf' });
    fleet.addAgent({ agentId: 'healthy' });
    const driver = fleet.coordinator.startRun(requestOf(6e9, { agents: 2, leaseNs: 2e9 }));
    await eventually('samples', () => deaf.books.handedOver > 10);
    proxy.freezeAnswers();
    await eventually('it says that it stops', () =>
      fleet.notices.some((notice) => notice.includes('agent deaf stops: the lease lapsed')),
    );
    proxy.thaw();
    const { record, merge } = await driver.ended;
    expect(record.end).toEqual({ kind: 'finished' });
    const state = record.agents.find((agent) => agent.agentId === 'deaf')?.state;
    expect(state).toMatchObject({ kind: 'stopped', reason: 'the lease lapsed' });
    for (const sender of merge.senders) expect(sender.completeness()).toEqual({ kind: 'complete' });
  });

  it('R077 the coordinator is gone: agents stop within the lease, go on dialling, and its successor frees and uses them', async (context) => {
    const gone = await fleetOf(context);
    const proxy = await proxyTo(context, gone);
    const agent = gone.addAgent({ address: proxy.address });
    const driver = gone.coordinator.startRun(requestOf(60e9, { agents: 1, leaseNs: 2e9 }));
    await eventually('samples', () => agent.books.handedOver > 10);
    const successor = await fleetOf(context);
    proxy.retarget(1);
    const cutAt = performance.now();
    await eventually('the agent stops', () => isStill(agent));
    expect(performance.now() - cutAt).toBeLessThan(12_000);
    proxy.retarget(successor.port);
    const { record } = await successor.coordinator.startRun(requestOf(0.5e9, { agents: 1 })).ended;
    expect(record.end).toEqual({ kind: 'finished' });
    // One line for the break, not one for each attempt.
    expect(agent.notices.filter((notice) => notice.includes('Control stream')).length).toBeLessThanOrEqual(3);
    driver.stop('stop', true);
    await driver.ended;
  });
});

/** True when the agent's newest sample is more than a second old. */
function isStill(agent: HarnessAgent): boolean {
  const t0Ns = agent.books.starts[0] ?? 0;
  const newestNs = Math.max(...agent.books.lastSampleNs.values());
  return hostMonotonicNs() - t0Ns - newestNs > 1e9;
}

describe.concurrent('losses', () => {
  it('R084 one worker of two dies: its share is lost from its last hand-over on, the other goes on', async (context) => {
    const fleet = await fleetOf(context);
    const kills: ((reason: string) => void)[] = [];
    const agent = fleet.addAgent({ workers: 2, onThread: (kill) => kills.push(kill) });
    const driver = fleet.coordinator.startRun(requestOf(2e9, { agents: 1 }));
    await eventually('samples', () => agent.books.handedOver > 20);
    kills[0]?.('heap out of memory');
    const diedAtNs = agent.books.lastSampleNs.get(0);
    const { record, merge } = await driver.ended;
    expect(record.end).toEqual({ kind: 'finished' });
    expect(merge.progressOf(0)).toEqual({ decidedThroughNs: diedAtNs, state: 'lost' });
    expect(merge.progressOf(1).state).toBe('finished');
    expect(okIn(merge)).toBe(agent.books.handedOver);
    expect(merge.warnings.entries().map((entry) => entry.text)).toEqual([
      expect.stringContaining('worker slot 0 is lost: heap out of memory'),
    ]);
    // A crew with a dead thread is not used again.
    await eventually('it is dismissed', () => agent.books.dismissals === 1);
    // A thread can die between runs, too: then the crew is replaced when it is needed.
    await fleet.coordinator.startRun(requestOf(0.3e9, { agents: 1 })).ended;
    kills.at(-1)?.('out of memory');
    const after = await fleet.coordinator.startRun(requestOf(0.3e9, { agents: 1 })).ended;
    expect(after.record.end).toEqual({ kind: 'finished' });
    expect(after.merge.progressOf(1).state).toBe('finished');
  });

  it('R084 a worker that dies while arming: the run is refused with its reason', async (context) => {
    const fleet = await fleetOf(context);
    fleet.addAgent({ armDelayMs: 60_000, onThread: (kill) => setTimeout(() => kill('cannot load'), 50) });
    const { record } = await fleet.coordinator.startRun(requestOf(1e9, { agents: 1 })).ended;
    expect(record.end).toMatchObject({ kind: 'failed', reason: expect.stringContaining('cannot load') });
  });

  it('an agent that is told to leave reports what it did and goes; the run ends short', async (context) => {
    const fleet = await fleetOf(context);
    const leaving = fleet.addAgent();
    const staying = fleet.addAgent();
    const driver = fleet.coordinator.startRun(requestOf(3e9, { agents: 2 }));
    await eventually('samples', () => leaving.books.handedOver > 10 && staying.books.handedOver > 10);
    leaving.leave();
    expect(await leaving.ended).toEqual({ kind: 'left' });
    await eventually('it is no longer a member', () => fleet.coordinator.memberCount === 1);
    const { record, merge } = await driver.ended;
    expect(record.end).toEqual({ kind: 'finished' });
    expect(okIn(merge)).toBe(handedOver(fleet));
    expect(leaving.books.handedOver).toBeLessThan(staying.books.handedOver);
  });
});

describe.concurrent('R100 stopping', () => {
  it('first: arrivals stop, everything is reported; the record says when', async (context) => {
    const fleet = await fleetOf(context);
    const agent = fleet.addAgent({ workers: 2 });
    const driver = fleet.coordinator.startRun(requestOf(60e9, { agents: 1 }));
    await eventually('samples', () => agent.books.handedOver > 20);
    driver.stop('SIGINT', false);
    const { record, merge } = await driver.ended;
    expect(record.end).toMatchObject({ kind: 'interrupted', signal: 'SIGINT', abrupt: false });
    expect(okIn(merge)).toBe(agent.books.handedOver);
    expect(merge.senders[0]?.completeness()).toEqual({ kind: 'complete' });
  });

  it('second: what has come is reported at once', async (context) => {
    const fleet = await fleetOf(context);
    const agent = fleet.addAgent();
    const driver = fleet.coordinator.startRun(requestOf(60e9, { agents: 1 }));
    await eventually('samples', () => agent.books.handedOver > 60);
    driver.stop('SIGTERM', false);
    driver.stop('SIGTERM', false);
    const { record } = await driver.ended;
    expect(record.end).toMatchObject({ kind: 'interrupted', signal: 'SIGTERM', abrupt: true });
  });
});

describe.concurrent('R100 a coordinator that is told to go', () => {
  it('stops its run first: who watches gets the whole report', async () => {
    const fleet = await FleetHarness.start();
    const agent = fleet.addAgent();
    const result = runRemote({
      endpoint: { address: fleet.coordinator.address, security: { kind: 'loopback' } },
      request: requestOf(60e9, { agents: 1 }),
      stops: { subscribe: () => () => undefined },
      onProgress: () => undefined,
      onNotice: () => undefined,
    });
    await eventually('samples', () => agent.books.handedOver > 20);
    await fleet.coordinator.close('enough');
    const { outcome, files } = await result;
    expect(outcome).toMatchObject({ kind: 'interrupted', exitCode: 143 });
    const value = JSON.parse(files.get('result.json') ?? '{}') as { accounting: { ok: number } };
    expect(value.accounting.ok).toBe(agent.books.handedOver);
    expect(await agent.ended).toEqual({ kind: 'dismissed', reason: 'enough' });
  });

  it('waits for who takes longer over the result than an agent over hanging up', async (context) => {
    const fleet = await FleetHarness.start();
    const agent = fleet.addAgent();
    const proxy = await proxyTo(context, fleet);
    const request = requestOf(60e9, { agents: 1 });
    // More than the sockets on the way hold.
    const effectiveYaml = `# ${'-'.repeat(98)}\n`.repeat(300_000);
    const result = runRemote({
      endpoint: { address: proxy.address, security: { kind: 'loopback' } },
      request: { ...request, bundle: { ...request.bundle, effectiveYaml } },
      stops: { subscribe: () => () => undefined },
      onProgress: () => undefined,
      onNotice: () => undefined,
    });
    await eventually('samples', () => agent.books.handedOver > 20);
    proxy.freeze();
    const closed = fleet.coordinator.close('enough');
    await agent.ended;
    await delay(2_000);
    proxy.thaw();
    const { outcome } = await result;
    expect(outcome).toMatchObject({ kind: 'interrupted', exitCode: 143 });
    await closed;
  });
});
