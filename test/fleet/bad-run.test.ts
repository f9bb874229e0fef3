/** Runs that go badly: the report is as complete and as honest as that of one that went well, and the exit code says what happened. */
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningTarget, startTarget } from '../../target/reference-target.ts';
import {
  assertBalanced,
  type CommandEnd,
  type ResultFile,
  removeResultFolders,
  runCommand,
  startCommand,
  whileRunning,
} from '../support/command-run.ts';
import { childIdsOf, isAlive } from '../support/spawned.ts';

let target: RunningTarget | null = null;

afterEach(async () => {
  await target?.close();
  target = null;
  removeResultFolders();
});

/** A loopback port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Every file of a bad run is there, balanced, and free of NaN and Infinity. */
function checkReport(end: CommandEnd): ResultFile {
  const result = end.result as ResultFile;
  expect(end.stderr + end.stdout).not.toMatch(/\bNaN\b|\bundefined\b/);
  assertBalanced(result.accounting);
  for (const name of ['result.json', 'summary.txt', 'windows.csv', 'plan.effective.yaml']) {
    expect(end.file(name)).not.toMatch(/\bNaN\b|Infinity|\bundefined\b/);
  }
  expect(end.file('summary.txt')).toMatch(/verdict/i);
  return result;
}

const COMMON = ['--duration', '1s', '--seed', '9', '--timeout', '2s', '--quiet'];

describe('R093 R099 runs in which nothing goes well', () => {
  it('target refused: every request is connect-refused, nothing is ok, exit 1 or 3', async () => {
    const end = await runCommand([
      'run',
      '--url',
      `http://127.0.0.1:${await freePort()}`,
      '--rate',
      '50',
      '--fail-on',
      'never',
      ...COMMON,
    ]);
    const result = checkReport(end);
    expect(result.accounting.scheduled).toBeGreaterThan(20);
    expect(result.accounting.failed['connect-refused']).toBe(result.accounting.attempted);
    expect(result.accounting.sent).toBe(0);
    expect(result.failureShare).toBe(1);
    expect(result.metrics['response']).toMatchObject({
      count: 0,
      min: null,
      max: null,
      mean: null,
      percentiles: { '50': null },
    });
    expect(end.exitCode).toBe(1);
  });

  it('R017 the name cannot be resolved: every request is a dns failure', async () => {
    const end = await runCommand([
      'run',
      '--url',
      'http://no-such-host.invalid/',
      '--rate',
      '20',
      '--fail-on',
      'never',
      ...COMMON,
    ]);
    const result = checkReport(end);
    expect(result.accounting.failed['dns']).toBe(result.accounting.attempted);
    expect(end.exitCode).toBe(1);
  });

  it('R098 100 % failures: a threshold on response times has no data, and fails the run', async () => {
    target = await startTarget({ faults: ['status:503'] });
    const end = await runCommand([
      'run',
      '--url',
      target.url,
      '--rate',
      '50',
      '--threshold',
      'p99(response)<200ms',
      '--fail-on',
      'never',
      ...COMMON,
    ]);
    const result = checkReport(end);
    expect(result.accounting.failed['http-status']).toBe(result.accounting.attempted);
    expect(result.thresholds).toMatchObject([{ result: 'no-data' }]);
    expect(end.exitCode).toBe(1);
  });

  it('a plan of rate 0 sends nothing, says so, and is not a success', async () => {
    target = await startTarget();
    const end = await runCommand(['run', '--url', target.url, '--rate', '0', '--fail-on', 'never', ...COMMON]);
    const result = checkReport(end);
    expect(result.accounting.scheduled).toBe(0);
    expect(target.counts().requests).toBe(0);
    expect(end.exitCode).toBe(1);
  });

  it('R060 a mixed target: 70 % ok, 10 % 503, 10 % reset, 10 % never answers: every counter adds up', async () => {
    target = await startTarget({ faults: ['status:503,share=0.1', 'reset,share=0.1', 'never,share=0.1'] });
    const end = await runCommand([
      'run',
      '--url',
      target.url,
      '--rate',
      '150',
      '--identify',
      '--fail-on',
      'never',
      ...COMMON,
      '--drain',
      '3s',
    ]);
    const { accounting } = checkReport(end);
    expect(accounting.ok).toBeGreaterThan(0.5 * accounting.scheduled);
    // A connection that was reset is told apart by whether it had carried a request before (R016).
    const { failed } = accounting;
    expect(failed['http-status']).toBeGreaterThan(0);
    expect((failed['reset'] ?? 0) + (failed['stale-connection'] ?? 0)).toBeGreaterThan(0);
    expect(failed['timeout']).toBeGreaterThan(0);
    expect(target.counts().requests).toBe(accounting.sent);
  });

  it('R005 a cap that cannot carry the rate drops the rest, counts it, and the run is not valid', async () => {
    target = await startTarget({ service: 'constant:1s' });
    const end = await runCommand([
      'run',
      '--url',
      target.url,
      '--rate',
      '100',
      '--max-in-flight',
      '10',
      '--duration',
      '3s',
      '--seed',
      '9',
      '--quiet',
    ]);
    const result = checkReport(end);
    expect(result.accounting.dropped['max-in-flight']).toBeGreaterThan(0.6 * result.accounting.scheduled);
    expect(result.verdict.status).toBe('invalid');
    expect(end.exitCode).toBe(3);
  });
});

describe('R100 signals', () => {
  it('the first SIGINT ends arrivals and gives a full report marked interrupted, exit 130', async () => {
    target = await startTarget({ service: 'constant:5ms' });
    const run = startCommand([
      'run',
      '--url',
      target.url,
      '--rate',
      '100',
      '--duration',
      '60s',
      '--seed',
      '9',
      '--quiet',
    ]);
    await whileRunning(run, 'answers', () => (target?.counts().answered ?? 0) > 50);
    run.process.kill('SIGINT');
    const end = await run.ended;
    const result = checkReport(end);
    expect(end.exitCode).toBe(130);
    expect(result.run.end.kind).toBe('interrupted');
    expect(result.accounting.cancelled).toBeGreaterThan(1000);
    expect(result.accounting.lost).toBe(0);
    expect(result.accounting.sent).toBe(target.counts().requests);
  });

  it('SIGTERM does the same with exit 143', async () => {
    target = await startTarget();
    const run = startCommand(['run', '--url', target.url, '--rate', '50', '--duration', '60s', '--quiet']);
    await whileRunning(run, 'answers', () => (target?.counts().answered ?? 0) > 20);
    run.process.kill('SIGTERM');
    const end = await run.ended;
    checkReport(end);
    expect(end.exitCode).toBe(143);
  });

  it('a terminal that goes away is as SIGTERM, however often it is told and whichever process hears of it', async () => {
    // Slow enough that it drains when it is told again.
    target = await startTarget({ service: 'constant:1s' });
    const run = startCommand(['run', '--url', target.url, '--rate', '50', '--duration', '60s', '--quiet']);
    await whileRunning(run, 'answers', () => (target?.counts().answered ?? 0) > 20);
    const { pid = 0 } = run.process;
    for (let told = 0; told < 2; told += 1) {
      for (const id of [...(childIdsOf(pid) ?? []), pid].filter(isAlive)) process.kill(id, 'SIGHUP');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const end = await run.ended;
    const result = checkReport(end);
    expect(end.exitCode).toBe(143);
    expect(result.run.end).toMatchObject({ kind: 'interrupted', abrupt: false });
    expect(result.agents).toEqual([expect.objectContaining({ state: 'finished' })]);
    expect(result.accounting.lost).toBe(0);
  });

  it('a second SIGINT leaves at once with what exists', async () => {
    target = await startTarget({ service: 'constant:30s' });
    const run = startCommand([
      'run',
      '--url',
      target.url,
      '--rate',
      '50',
      '--duration',
      '60s',
      '--drain',
      '60s',
      '--quiet',
    ]);
    await whileRunning(run, 'requests', () => (target?.counts().requests ?? 0) > 20);
    run.process.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 300));
    const before = performance.now();
    run.process.kill('SIGINT');
    const end = await run.ended;
    // Without the second signal it would drain for a minute.
    expect(performance.now() - before).toBeLessThan(20_000);
    expect(end.exitCode).toBe(130);
    expect(end.result?.run.end.kind).toBe('interrupted');
  });
});
