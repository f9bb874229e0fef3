import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { RunsService } from '../../../../coordinator/api/runs-service.ts';
import { RunDriver } from '../../../../coordinator/run/run-driver.ts';
import { planToJson } from '../../../../shared/plan/plan-json.ts';
import type { SubmitMessage, WatchEvent } from '../../../../shared/rpc/runs-message.ts';
import { FakeTimekeeper } from '../../../support/fake-timekeeper.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { PROTOCOL } from '../../../../shared/rpc/protocol.ts';

/** A run that waits for agents for a long time, submitted by a command line. */
async function submitted(perRequestLimit: number | null = null) {
  const timekeeper = new FakeTimekeeper();
  const drivers: RunDriver[] = [];
  const notices: string[] = [];
  const startRun = (request: ConstructorParameters<typeof RunDriver>[0]['request']): RunDriver => {
    const run = { runId: 'run-1', trial: 0 };
    const none = { readyMembers: () => [], isLoopback: true, onNotice: () => undefined };
    const driver = new RunDriver({ run, request, timekeeper, ...none });
    drivers.push(driver);
    return driver;
  };
  const service = new RunsService(timekeeper, startRun, (text) => notices.push(text));
  const base = createPlan({ durationNs: 1e9 });
  const planJson = planToJson({
    ...base,
    fleet: { ...base.fleet, armTimeoutNs: 3600e9 },
    output: { ...base.output, perRequestLimit },
  });
  const planSha256 = createHash('sha256').update(planJson).digest('hex');
  async function* messages(): AsyncIterable<SubmitMessage> {
    yield {
      kind: 'header',
      header: { protocol: PROTOCOL, planJson, planSha256, effectiveYaml: '', secrets: [], command: 'test' },
    };
  }
  const runId = await service.submit(messages());
  const watch = () => service.watch(runId, () => true)[Symbol.asyncIterator]();
  const ended = async () => await (drivers[0] as RunDriver).ended;
  return { timekeeper, notices, service, runId, watch, ended, state: () => drivers[0]?.state };
}

/** Bytes of each file of the result that a watcher gets. */
async function filesOf(events: AsyncIterator<WatchEvent>): Promise<ReadonlyMap<string, number>> {
  const files = new Map<string, number>();
  for (;;) {
    const { value, done } = await events.next();
    if (done === true) return files;
    if (value.kind === 'piece') files.set(value.name, (files.get(value.name) ?? 0) + value.content.length);
  }
}

const STOPPED = { kind: 'interrupted', end: { signal: 'stop' } };

it('R100 a run is stopped when nobody follows it: whoever asked for it is gone', async () => {
  const { timekeeper, notices, state } = await submitted();
  timekeeper.advance(15e9);
  expect(state()).toMatchObject({ kind: 'planned' });
  timekeeper.advance(10e9);
  expect(state()).toMatchObject(STOPPED);
  expect(notices).toEqual([expect.stringContaining('nobody has watched it')]);
});

it('R083 a watcher whose link breaks may come back in the meantime', async () => {
  const { timekeeper, watch, state } = await submitted();
  const first = watch();
  await first.next();
  timekeeper.advance(600e9);
  await first.return?.();
  timekeeper.advance(15e9);
  const second = watch();
  await second.next();
  timekeeper.advance(600e9);
  expect(state()).toMatchObject({ kind: 'planned' });
  await second.return?.();
  timekeeper.advance(25e9);
  expect(state()).toMatchObject(STOPPED);
});

it('one of two watchers is enough', async () => {
  const { timekeeper, watch, state } = await submitted();
  const [first, second] = [watch(), watch()];
  await first.next();
  await second.next();
  await first.return?.();
  timekeeper.advance(600e9);
  expect(state()).toMatchObject({ kind: 'planned' });
  await second.return?.();
});

it('R100 a run that was stopped before a request ended has the file of its requests all the same, an empty one', async () => {
  const { service, runId, watch } = await submitted(10);
  service.stop(runId, 'SIGINT', true);
  const pieces = await filesOf(watch());
  await service.close();
  expect(pieces.get('requests.jsonl')).toBe(0);
  expect(pieces.get('result.json')).toBeGreaterThan(0);
});

it('R100 a file of requests that is gone from the coordinator’s disk costs no other file of the result', async () => {
  const { service, runId, watch, ended, notices } = await submitted(10);
  service.stop(runId, 'SIGINT', true);
  const { requestFile } = (await ended()).record;
  await rm(dirname(requestFile?.path ?? ''), { recursive: true });
  const files = await filesOf(watch());
  await service.close();
  expect(files.has('requests.jsonl')).toBe(false);
  expect(files.get('result.json')).toBeGreaterThan(0);
  expect(notices).toEqual([expect.stringContaining('requests.jsonl cannot be sent: ENOENT')]);
});
