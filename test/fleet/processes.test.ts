import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { runRemote } from '../../coordinator/api/remote-run.ts';
import { runEmbedded, startCoordinator } from '../../coordinator/main.ts';
import { removeLargeFiles } from '../../coordinator/report/request-file.ts';
import type { RunRequest } from '../../coordinator/run/run-request.ts';
import { COUNTER } from '../../shared/metrics/counters.ts';
import type { FleetShape } from '../../shared/plan/plan.ts';
import { type RunningTarget, startTarget } from '../../target/reference-target.ts';
import { eventually } from '../support/eventually.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { createPlan } from '../support/plan-fixture.ts';
import { requestLinesOf } from '../support/request-lines.ts';
import { childIdsOf, isAlive, Spawned } from '../support/spawned.ts';

const LOADFLEET = fileURLToPath(new URL('../../cli/loadfleet.cjs', import.meta.url));
const security = { kind: 'loopback' } as const;
const neverStopped = { subscribe: () => () => undefined };
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function loadfleet(...args: string[]): Spawned {
  const spawned = new Spawned(process.execPath, [LOADFLEET, ...args]);
  closers.push(() => spawned.end());
  return spawned;
}

function agent(address: string, id: string): Spawned {
  return loadfleet('agent', '--coordinator', address, '--id', id, '--workers', '1', '--host-workers', '2');
}

/** Bytes of the body of each answer. */
const BODY_BYTES = 1234;

async function targetOf(): Promise<RunningTarget> {
  const target = await startTarget({ bodyBytes: String(BODY_BYTES) });
  closers.push(() => target.close());
  return target;
}

function requestTo(target: RunningTarget, durationNs: number, fleet: Partial<FleetShape>): RunRequest {
  const base = createPlan({ targetUrl: target.url, ratePerSecond: 200, durationNs });
  // On a busy machine the order to start may come later than the usual half second, and is refused then.
  const plan = { ...base, failOn: 'never' as const, fleet: { ...base.fleet, startLeadNs: 1_500_000_000, ...fleet } };
  return { bundle: { plan, blobs: new Map(), effectiveYaml: 'name: test\n', secrets: [] }, command: 'test' };
}

/** The request with `requests.jsonl` of at most `limit` lines. */
function withLines(request: RunRequest, limit: number): RunRequest {
  const { plan } = request.bundle;
  const output = { ...plan.output, perRequestLimit: limit };
  return { ...request, bundle: { ...request.bundle, plan: { ...plan, output } } };
}

/** True when the target has got nothing for a second. */
function stillness(target: RunningTarget): () => boolean {
  let seen = -1;
  let since = performance.now();
  return () => {
    const now = target.counts().requests;
    if (now !== seen) {
      seen = now;
      since = performance.now();
    }
    return performance.now() - since > 1000;
  };
}

describe('the embedded fleet', () => {
  it('runs real agents with real workers: what they say they sent is what the target got, and they are gone afterwards', async () => {
    const target = await targetOf();
    const ids = new Set<number>();
    const { record, merge } = await runEmbedded({
      request: requestTo(target, 2e9, { agents: 2, workers: 2 }),
      agentCommand: [process.execPath, LOADFLEET, 'agent'],
      stops: neverStopped,
      onProgress: () => childIdsOf(process.pid)?.forEach((id) => ids.add(id)),
      onNotice: () => undefined,
    });
    expect(record.end).toEqual({ kind: 'finished' });
    expect(record.workerSlots).toBe(4);
    expect(record.agents.map((each) => each.state.kind)).toEqual(['finished', 'finished']);
    const sent = merge.senders.reduce((sum, sender) => sum + (sender.total()[COUNTER.sent] as number), 0);
    expect(sent).toBe(target.counts().requests);
    expect(sent).toBeGreaterThan(100);
    if (childIdsOf(process.pid) !== null) expect(ids.size).toBeGreaterThanOrEqual(2);
    expect([...ids].filter(isAlive)).toEqual([]);
  });

  it('R102 an agent that ends before it has joined ends the run at once, with its reason', async () => {
    const { record } = await runEmbedded({
      request: requestTo(await targetOf(), 2e9, { agents: 2, armTimeoutNs: 3600e9 }),
      agentCommand: [process.execPath, '-e', 'process.exit(3)', '--'],
      stops: neverStopped,
      onProgress: () => undefined,
      onNotice: () => undefined,
    });
    expect(record.end).toMatchObject({ kind: 'failed', reason: expect.stringContaining('exit code 3') });
  });

  it('R100 the process that started them is killed: its agents stop and leave by themselves', async (context) => {
    const target = await targetOf();
    const flags = [
      '--url',
      `${target.url}/`,
      '--rate',
      '200',
      '--duration',
      '60s',
      '--agents',
      '2',
      '--workers',
      '1',
      '--quiet',
    ];
    const run = loadfleet('run', ...flags);
    await eventually('requests arrive', () => target.counts().requests > 50 || run.hasEnded);
    expect(run.output).not.toContain('error');
    const agents = childIdsOf(run.pid);
    if (agents === null) {
      context.skip('the host has no /proc');
      return;
    }
    expect(agents.length).toBeGreaterThanOrEqual(2);
    run.signal('SIGKILL');
    await eventually('the agents are gone', () => agents.every((id) => !isAlive(id)));
    await eventually('the target hears no more', stillness(target));
  });
});

it('R100 a run that is killed leaves no reference target behind', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'loadfleet-killed-'));
  closers.push(() => rmSync(folder, { recursive: true }));
  const plan = join(folder, 'plan.yaml');
  writeFileSync(plan, 'target: {reference: instant}\nload: [{rate: 10, duration: 60s}]\nfleet: {workers: 1}\n');
  const run = loadfleet('run', plan, '--quiet', '--out', join(folder, 'out'));
  // The target and one agent.
  await eventually('both are there', () => run.hasEnded || (childIdsOf(run.pid)?.length ?? 2) >= 2);
  const children = childIdsOf(run.pid);
  if (children === null) return context.skip('the host has no /proc');
  expect(children).toHaveLength(2);
  run.signal('SIGKILL');
  await eventually('all are gone', () => children.every((id) => !isAlive(id)));
  return undefined;
});

describe('a fleet of its own processes', () => {
  it('runs what is submitted, and gives the result back over the wire', async () => {
    const target = await targetOf();
    const coordinator = loadfleet('coordinator', '--listen', '127.0.0.1:0');
    await eventually('it listens', () => coordinator.output.includes('listening '));
    const address = /listening (\S+)/.exec(coordinator.output)?.[1] ?? '';
    const agents = [agent(address, 'left'), agent(address, 'right')];
    const states = new Set<string>();
    const request = withLines(requestTo(target, 2e9, { agents: 2 }), 300);
    const result = await runRemote({
      endpoint: { address, security },
      request,
      stops: neverStopped,
      onProgress: (progress) => states.add(progress.state),
      onNotice: () => undefined,
    });
    expect(result.outcome).toMatchObject({ kind: 'ok', exitCode: 0 });
    const value = JSON.parse(result.files.get('result.json') ?? '{}') as {
      accounting: { sent: number; attempted: number };
      requests: object;
      agents: { agentId: string }[];
    };
    expect(value.accounting.sent).toBe(target.counts().requests);
    expect(value.agents).toHaveLength(2);
    expect(result.files.get('summary.txt')).toBe(result.summary);
    const lines = requestLinesOf(readFileSync(result.largeFiles.get('requests.jsonl') ?? '', 'utf8'));
    await removeLargeFiles(result.largeFiles);
    expect(new Set(lines.map(({ metadata }) => metadata.x_request_id)).size).toBe(300);
    expect(new Set(lines.map(({ loadfleet }) => loadfleet.bodyBytes))).toEqual(new Set([BODY_BYTES]));
    expect(value.requests).toMatchObject({ written: 300, leftOut: value.accounting.attempted - 300, problem: null });
    expect([...states]).toContain('running');
    // An agent that is told to leave while idle does so at once.
    agents[0]?.signal('SIGTERM');
    expect(await agents[0]?.exit).toEqual({ code: 143, signal: null });
    coordinator.signal('SIGTERM');
    expect(await coordinator.exit).toMatchObject({ code: 143 });
    expect(await agents[1]?.exit).toEqual({ code: 0, signal: null });
  });

  it('a stop from the command line ends the run early, with a full report', async () => {
    const target = await targetOf();
    const coordinator = await startCoordinator({ listen: { host: '127.0.0.1', port: 0 }, onNotice: () => undefined });
    closers.push(() => coordinator.close('test over', 0));
    agent(coordinator.address, 'only');
    let stop: (signal: 'SIGINT') => void = () => undefined;
    const result = runRemote({
      endpoint: { address: coordinator.address, security },
      request: requestTo(target, 60e9, { agents: 1 }),
      stops: {
        subscribe: (ask) => {
          stop = ask;
          return () => undefined;
        },
      },
      onProgress: () => undefined,
      onNotice: () => undefined,
    });
    await eventually('requests arrive', () => target.counts().requests > 20);
    stop('SIGINT');
    const { outcome, files } = await result;
    expect(outcome).toMatchObject({ kind: 'interrupted', exitCode: 130 });
    const value = JSON.parse(files.get('result.json') ?? '{}') as { accounting: { sent: number } };
    expect(value.accounting.sent).toBe(target.counts().requests);
  });

  it('R083 a link of the command line that breaks costs neither the result nor a stop', async () => {
    const target = await targetOf();
    const coordinator = await startCoordinator({ listen: { host: '127.0.0.1', port: 0 }, onNotice: () => undefined });
    closers.push(() => coordinator.close('test over', 0));
    agent(coordinator.address, 'only');
    const port = Number(coordinator.address.split(':')[1]);
    const proxy = await TcpProxy.start(port);
    closers.push(() => proxy.close());
    let stop: (signal: 'SIGINT') => void = () => undefined;
    const notices: string[] = [];
    const result = runRemote({
      endpoint: { address: proxy.address, security },
      request: withLines(requestTo(target, 60e9, { agents: 1 }), 300),
      stops: {
        subscribe: (ask) => {
          stop = ask;
          return () => undefined;
        },
      },
      onProgress: () => undefined,
      onNotice: (text) => notices.push(text),
    });
    await eventually('requests arrive', () => target.counts().requests > 20);
    const NOBODY = 1;
    proxy.retarget(NOBODY);
    await eventually('the loss is noticed', () => notices.some((text) => text.endsWith('dialling again')));
    stop('SIGINT');
    await eventually('the stop could not be delivered', () => notices.some((text) => text.startsWith('stop: ')));
    proxy.retarget(port);
    const { outcome, files, largeFiles } = await result;
    await removeLargeFiles(largeFiles);
    expect(outcome).toMatchObject({ kind: 'interrupted', exitCode: 130 });
    const value = JSON.parse(files.get('result.json') ?? '{}') as { accounting: { sent: number } };
    expect(value.accounting.sent).toBe(target.counts().requests);
    expect(largeFiles.size).toBe(1);
  });

  it('R074 an agent is killed: the other one goes on, and the record says from when on it was missed', async () => {
    const target = await targetOf();
    const coordinator = await startCoordinator({ listen: { host: '127.0.0.1', port: 0 }, onNotice: () => undefined });
    closers.push(() => coordinator.close('test over', 0));
    const doomed = agent(coordinator.address, 'doomed');
    agent(coordinator.address, 'survivor');
    const driver = coordinator.startRun(requestTo(target, 3e9, { agents: 2, leaseNs: 2e9 }));
    await eventually('requests arrive', () => target.counts().requests > 100);
    doomed.signal('SIGKILL');
    const { record, merge } = await driver.ended;
    expect(record.end).toEqual({ kind: 'finished' });
    const states = Object.fromEntries(record.agents.map(({ agentId, state }) => [agentId, state.kind]));
    expect(states).toEqual({ doomed: 'lost', survivor: 'finished' });
    const survivor = merge.senders.find((sender) => sender.agentId === 'survivor');
    expect(survivor?.completeness()).toEqual({ kind: 'complete' });
  });

  it('R075 R083 an agent that was frozen beyond its lease sends nothing when it wakes up', async () => {
    const target = await targetOf();
    const notices: string[] = [];
    const coordinator = await startCoordinator({
      listen: { host: '127.0.0.1', port: 0 },
      onNotice: (text) => notices.push(text),
    });
    closers.push(() => coordinator.close('test over', 0));
    const frozen = agent(coordinator.address, 'frozen');
    const driver = coordinator.startRun(requestTo(target, 60e9, { agents: 1, leaseNs: 2e9 }));
    await eventually('requests arrive', () => target.counts().requests > 50);
    frozen.signal('SIGSTOP');
    const { record } = await driver.ended;
    expect(record.end).toMatchObject({ kind: 'failed', reason: expect.stringContaining('no agent is left') });
    const before = target.counts().requests;
    frozen.signal('SIGCONT');
    await eventually(
      'it is back and has been told',
      () => frozen.output.includes('released from') || frozen.output.includes('lost'),
    );
    await eventually('the target hears nothing', stillness(target));
    // What was handed to the network before it froze may still arrive; arrivals of the frozen time may not.
    expect(target.counts().requests - before).toBeLessThan(20);
    expect(frozen.hasEnded).toBe(false);
    const next = await coordinator.startRun(requestTo(target, 1e9, { agents: 1 })).ended;
    expect(next.record.end).toEqual({ kind: 'finished' });
  });

  it('R077 the coordinator is killed: agents stop within their lease and stay for the next one', async () => {
    const target = await targetOf();
    const coordinator = loadfleet('coordinator', '--listen', '127.0.0.1:0');
    await eventually('it listens', () => coordinator.output.includes('listening '));
    const address = /listening (\S+)/.exec(coordinator.output)?.[1] ?? '';
    const survivor = agent(address, 'survivor');
    const lost = runRemote({
      endpoint: { address, security },
      request: requestTo(target, 60e9, { agents: 1, leaseNs: 2e9 }),
      stops: neverStopped,
      onProgress: () => undefined,
      onNotice: () => undefined,
    });
    lost.catch(() => undefined);
    await eventually('requests arrive', () => target.counts().requests > 50);
    coordinator.signal('SIGKILL');
    const killedAt = performance.now();
    await expect(lost).rejects.toMatchObject({ code: 'lost' });
    await eventually('the target hears no more', stillness(target));
    expect(performance.now() - killedAt).toBeLessThan(15_000);
    expect(survivor.hasEnded).toBe(false);
    const port = Number(address.split(':').at(-1));
    const successor = await startCoordinator({ listen: { host: '127.0.0.1', port }, onNotice: () => undefined });
    closers.push(() => successor.close('test over', 0));
    const { record } = await successor.startRun(requestTo(target, 1e9, { agents: 1 })).ended;
    expect(record.end).toEqual({ kind: 'finished' });
    expect(record.agents[0]?.agentId).toBe('survivor');
  });
});
