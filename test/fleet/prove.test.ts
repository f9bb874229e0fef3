/** Proof experiments and repetition from end to end, in their smallest size. What they conclude here is this machine's business. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningTarget, startTarget } from '../../target/reference-target.ts';
import { removeResultFolders, runCommand, startCommand, whileRunning } from '../support/command-run.ts';

let target: RunningTarget | null = null;

afterEach(async () => {
  await target?.close();
  target = null;
  removeResultFolders();
});

interface ProofFile {
  readonly schema: string;
  readonly verdict: string;
  readonly arms: readonly {
    name: string;
    agents: number;
    workersPerAgent: number;
    scheduleDigest: string;
    runs: { runId: string; ok: number; blocks: number[] }[];
  }[];
}

async function prove(
  experiment: string,
  more: readonly string[],
): Promise<{ proof: ProofFile; exitCode: number | null }> {
  target = await startTarget({ service: 'constant:20ms' });
  const plan = [
    '--url',
    target.url,
    '--rate',
    '60',
    '--duration',
    '4s',
    '--workers',
    '1',
    '--fail-on',
    'never',
    '--quiet',
  ];
  const end = await runCommand(['prove', experiment, ...plan, '--seed', '5', '--percentile', '50', '--json', ...more]);
  expect(end.stdout, end.stderr).not.toBe('');
  return { proof: JSON.parse(end.stdout) as ProofFile, exitCode: end.exitCode };
}

const CODES: Readonly<Record<string, number>> = { equivalent: 0, different: 3, 'cannot-conclude': 1 };

describe('prove', () => {
  it('doubling sends the same schedule with twice the workers and says what it found', async () => {
    const { proof, exitCode } = await prove('doubling', []);
    const [first, second] = proof.arms;
    expect([first?.workersPerAgent, second?.workersPerAgent]).toEqual([1, 2]);
    expect(first?.scheduleDigest).toBe(second?.scheduleDigest);
    expect(first?.runs[0]?.ok).toBe(second?.runs[0]?.ok);
    expect(first?.runs[0]?.blocks.length).toBeGreaterThanOrEqual(3);
    expect(exitCode).toBe(CODES[proof.verdict]);
  });

  it('the probe sends some lanes of the very plan that the loaded fleet sends the others of', async () => {
    const { proof, exitCode } = await prove('probe', ['--probe-share', '50%']);
    expect(proof.arms.map((arm) => arm.name)).toEqual(['probe', 'loaded']);
    const [probe, loaded] = proof.arms.map((arm) => arm.runs[0]?.ok ?? 0);
    expect(target?.counts().requests).toBe((probe ?? 0) + (loaded ?? 0));
    const [first, second] = proof.arms;
    expect(first?.scheduleDigest).toBe(second?.scheduleDigest);
    // Together they are one run of the plan.
    expect(first?.runs.map((run) => run.runId)).toEqual(second?.runs.map((run) => run.runId));
    expect(probe).toBeGreaterThan(0);
    expect(exitCode).toBe(CODES[proof.verdict]);
  });
});

describe('prove --coordinator', () => {
  it('doubling runs the same schedule on twice the agents of a fleet that is there', async () => {
    const fleet = startCommand(['coordinator', '--listen', '127.0.0.1:0']);
    const started = [fleet];
    try {
      await whileRunning(fleet, 'the coordinator listens', () => /^listening \S+$/m.test(fleet.output()));
      const address = /^listening (\S+)$/m.exec(fleet.output())?.[1] ?? '';
      for (const id of ['a', 'b'])
        started.push(startCommand(['agent', '--coordinator', address, '--id', id, '--workers', '1']));
      const { proof, exitCode } = await prove('doubling', ['--coordinator', address, '--agents', '1']);
      const [first, second] = proof.arms;
      expect(proof.arms.map(({ agents, workersPerAgent }) => [agents, workersPerAgent])).toEqual([
        [1, 1],
        [2, 1],
      ]);
      expect(first?.scheduleDigest).toBe(second?.scheduleDigest);
      expect(first?.runs[0]?.ok).toBe(second?.runs[0]?.ok);
      expect(first?.runs[0]?.blocks.length).toBeGreaterThanOrEqual(3);
      expect(exitCode).toBe(CODES[proof.verdict]);
    } finally {
      for (const { process: child } of started.reverse()) child.kill('SIGKILL');
      await Promise.all(started.map(({ ended }) => ended));
    }
  });

  it('a probe needs what a coordinator elsewhere does not send: refused before anything is sent', async () => {
    const plan = ['--url', 'http://127.0.0.1:9', '--rate', '1', '--duration', '1s'];
    const end = await runCommand(['prove', 'probe', ...plan, '--coordinator', '127.0.0.1:9']);
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain('probe needs the sums of each agent apart');
  });
});

describe('run --repeat', () => {
  it('runs so often, each with arrivals and a folder of its own, and gives intervals between the runs', async () => {
    target = await startTarget();
    const plan = [
      '--url',
      target.url,
      '--rate',
      '50',
      '--duration',
      '1s',
      '--seed',
      '5',
      '--fail-on',
      'never',
      '--quiet',
    ];
    const end = await runCommand(['run', ...plan, '--repeat', '2']);
    expect(end.exitCode, end.stderr).toBe(0);
    const path = /repetition: (.*)\n/.exec(end.stdout)?.[1] ?? '';
    const value = JSON.parse(readFileSync(path, 'utf8')) as {
      runs: { seed: number }[];
      statistics: { statistic: string; values: number[]; interval: { low: number } | null }[];
    };
    expect(value.runs.map((run) => run.seed)).toEqual([5, 6]);
    const median = value.statistics.find((one) => one.statistic === 'p50(response)');
    expect(median?.values).toHaveLength(2);
    expect(median?.interval).not.toBeNull();
    for (const run of ['run-1', 'run-2'])
      expect(readFileSync(join(dirname(path), run, 'summary.txt'), 'utf8')).toContain('seed');
  });
});
