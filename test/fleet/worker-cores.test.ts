/** `--worker-cores`: in a real run each worker has its core, and every other thread of the fleet keeps off it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { hasAffinity } from '../../agent/session/core-affinity.ts';
import { parseCoreList } from '../../agent/session/core-list.ts';
import { thisMachine } from '../../cli/calibration/calibration-file.ts';
import { type Calibration, CALIBRATION_SCHEMA } from '../../shared/calibration/calibration.ts';
import { assertBalanced, removeResultFolders, runCommand, startCommand, whileRunning } from '../support/command-run.ts';

afterEach(() => removeResultFolders());

const PLAN = ['--url', 'http://localhost:1', '--rate', '20', '--duration', '2s', '--fail-on', 'never'];
const ABSENT_CORE = 4095;
const NO_SPREAD = { p50: null, p99: null, p999: null, max: null };
/** Threads of Node's pool for names and files, and V8's own. */
const POOL_THREADS = 8;

/** Cores of each thread of a process, as the system lists them; empty once it is gone. */
function coresOfThreads(process: number | 'self'): string[] {
  try {
    return readdirSync(`/proc/${process}/task`).map(
      (thread) =>
        /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync(`/proc/${process}/task/${thread}/status`, 'utf8'))?.[1] ?? '',
    );
  } catch {
    return [];
  }
}

function childrenOf(processId: number): readonly number[] {
  const text = readFileSync(`/proc/${processId}/task/${processId}/children`, 'utf8');
  return text
    .split(' ')
    .filter((child) => child !== '')
    .map(Number);
}

/** Program and arguments of a process; empty once it is gone. */
function commandOf(processId: number): readonly string[] {
  try {
    return readFileSync(`/proc/${processId}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

const ownCores = hasAffinity ? (parseCoreList(coresOfThreads('self')[0] ?? '') ?? []) : [];
const workerCore = ownCores.at(-1) ?? 0;

describe('run --worker-cores', () => {
  it.runIf(availableParallelism() > 1 && ownCores.length > 1)(
    'gives the worker its core, and no other thread',
    async () => {
      const run = startCommand(['run', ...PLAN, '--worker-cores', `${workerCore}`]);
      const coordinator = run.process.pid ?? 0;
      const keepsOff = (cores: string): boolean => parseCoreList(cores)?.includes(workerCore) === false;
      await whileRunning(run, 'one thread of the agent is alone on the core, all others keep off it', () => {
        const [agent] = childrenOf(coordinator);
        const threads = agent === undefined ? [] : coresOfThreads(agent);
        const all = coresOfThreads(coordinator);
        const apart = threads.filter(keepsOff);
        return (
          threads.filter((cores) => cores === `${workerCore}`).length === 1 &&
          // The threads that look names up are there, and keep off as well.
          threads.length > POOL_THREADS + 2 &&
          apart.length === threads.length - 1 &&
          all.length > 0 &&
          all.every(keepsOff)
        );
      });
      const { result } = await run.ended;
      expect(result?.run.end.kind).toBe('finished');
      expect(result?.agents.length).toBe(1);
      if (result !== null) assertBalanced(result.accounting);
    },
  );

  it.runIf(ownCores.length > 1)('keeps the reference target of a plan off as well', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'loadfleet-cores-'));
    try {
      const plan = join(folder, 'plan.yaml');
      writeFileSync(plan, 'target: {reference: instant}\nload: [{rate: 20, duration: 2s}]\nfailOn: never\n');
      const run = startCommand(['run', plan, '--worker-cores', `${workerCore}`]);
      let threads: readonly string[] = [];
      await whileRunning(run, 'the target is there', () => {
        const target = childrenOf(run.process.pid ?? 0).find((child) => commandOf(child).includes('target'));
        threads = target === undefined ? [] : coresOfThreads(target);
        return threads.length > 0;
      });
      expect(threads.filter((cores) => parseCoreList(cores)?.includes(workerCore) !== false)).toEqual([]);
      const { result } = await run.ended;
      expect(result?.accounting.ok).toBeGreaterThan(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.runIf(ownCores.length > 1)('goes by the calibration of the whole machine', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'loadfleet-cores-'));
    try {
      const path = join(folder, 'calibration.json');
      const client = {
        client: 'wire',
        protocol: 'wire http/1.1',
        pacing: 'hybrid',
        workers: 1,
        serviceNs: 1e6,
        rungs: [],
      };
      const calibration: Calibration = {
        schema: CALIBRATION_SCHEMA,
        createdAt: '2026-11-30T00:00:00Z',
        machine: thisMachine(),
        timerError: NO_SPREAD,
        floorResponse: NO_SPREAD,
        clients: [{ ...client, certifiedRatePerSecond: 30, limitedBy: 'ladder' }],
      };
      writeFileSync(path, JSON.stringify(calibration));
      const options = ['run', ...PLAN, '--worker-cores', `${workerCore}`];
      const { stderr } = await runCommand(options, { LOADFLEET_CALIBRATION: path });
      expect(stderr).toContain('the plan asks each worker for up to 20.0/s, 66.67 % of its certified 30.0/s');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each([
    [['--worker-cores', 'x'], /'x' is invalid.*0\.\.4095, each once/s],
    [['--worker-cores', '1,1'], /'1,1' is invalid/],
    [['--worker-cores', '1', '--repeat', '2'], /--worker-cores 1 is for one fleet .*--repeat/],
    [['--worker-cores', '1', '--coordinator', '127.0.0.1:1'], /--worker-cores 1 is for one fleet .*--coordinator/],
    [
      ['--worker-cores', `${ABSENT_CORE}`],
      new RegExp(`--worker-cores: this process may not use cores ${ABSENT_CORE}, only`),
    ],
    [['--worker-cores', ownCores.join(',')], /takes every core that this process may use .*leave one/],
  ])('refuses %s with the limit', async (options, message) => {
    const end = await runCommand(['run', ...PLAN, ...options]);
    expect(end.stderr).toMatch(message);
    expect(end.exitCode).toBe(2);
    expect(end.result).toBeNull();
  });

  it.runIf(ownCores.length > 1)('refuses more workers than it lists cores', async () => {
    const end = await runCommand(['run', ...PLAN, '--worker-cores', `${workerCore}`, '--agents', '2']);
    expect(end.stderr).toMatch(/--worker-cores: 1 listed, 2 agents x 1 workers need 2/);
    expect(end.exitCode).toBe(2);
  });

  it('refuses an agent more workers than it lists cores', async () => {
    const agent = ['agent', '--coordinator', '127.0.0.1:1', '--workers', '2', '--worker-cores', '1'];
    const end = await runCommand(agent);
    expect(end.stderr).toMatch(/--workers 2 is not the number of --worker-cores, 1/);
    expect(end.exitCode).toBe(2);
  });
});
