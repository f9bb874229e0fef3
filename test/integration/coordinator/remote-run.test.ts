import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { runRemote } from '../../../coordinator/api/remote-run.ts';
import { startCoordinator } from '../../../coordinator/main.ts';
import { removeLargeFiles } from '../../../coordinator/report/request-file.ts';
import { createPlan } from '../../support/plan-fixture.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** The result of a run with `requests.jsonl` for which no agent comes; `whileItWaits` gets the folder of temporary files. */
async function resultOf(whileItWaits: (folder: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'loadfleet-remote-'));
  vi.stubEnv('TMPDIR', folder);
  closers.push(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const coordinator = await startCoordinator({ listen: { host: '127.0.0.1', port: 0 }, onNotice: () => undefined });
  closers.push(() => coordinator.close('test over', 0));
  const base = createPlan({ durationNs: 1e9 });
  const plan = {
    ...base,
    fleet: { ...base.fleet, armTimeoutNs: 1e9 },
    output: { ...base.output, perRequestLimit: 10 },
  };
  let isWaiting = false;
  const result = await runRemote({
    endpoint: { address: coordinator.address, security: { kind: 'loopback' } },
    request: { bundle: { plan, blobs: new Map(), effectiveYaml: '', secrets: [] }, command: 'test' },
    stops: { subscribe: () => () => undefined },
    onProgress: () => {
      if (!isWaiting) whileItWaits(folder);
      isWaiting = true;
    },
    onNotice: () => undefined,
  });
  closers.push(() => removeLargeFiles(result.largeFiles));
  return result;
}

it('R102 a run for which no agent comes has its whole result, the empty file of requests too', async () => {
  const { outcome, files, largeFiles, missing } = await resultOf(() => undefined);
  expect(outcome.kind).toBe('run-failed');
  expect(files.has('result.json')).toBe(true);
  expect([[...largeFiles.keys()], [...missing]]).toEqual([['requests.jsonl'], []]);
});

it('R100 a file that the coordinator could not send is named as missing, beside all others', async () => {
  const { files, largeFiles, missing } = await resultOf((folder) => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  });
  expect(files.has('result.json')).toBe(true);
  expect([[...largeFiles], [...missing.keys()]]).toEqual([[], ['requests.jsonl']]);
});
