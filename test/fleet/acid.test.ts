/** The acid test of an open-loop generator (R056): the target stalls for S seconds, and nothing of that may be hidden. */
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningTarget, startTarget } from '../../target/reference-target.ts';
import {
  assertBalanced,
  type ResultFile,
  removeResultFolders,
  runCommand,
  startCommand,
  whileRunning,
} from '../support/command-run.ts';

const STALL_SECONDS = 3;
const RATE = 50;
let target: RunningTarget | null = null;

afterEach(async () => {
  await target?.close();
  target = null;
  removeResultFolders();
});

/** Runs 6 s at `RATE` with `connections`, and stalls the target as soon as it has answered its first requests. */
async function runThroughStall(connections: number): Promise<ResultFile> {
  target = await startTarget();
  const { url } = target;
  const run = startCommand([
    'run',
    '--url',
    url,
    '--rate',
    String(RATE),
    '--duration',
    '6s',
    '--seed',
    '7',
    '--connections',
    String(connections),
    '--fail-on',
    'never',
    '--quiet',
  ]);
  await whileRunning(run, 'requests', () => (target?.counts().requests ?? 0) > RATE / 2);
  target.command(`stall:${STALL_SECONDS}s`);
  const { result } = await run.ended;
  expect(result).not.toBeNull();
  const books = (result as ResultFile).accounting;
  assertBalanced(books);
  expect(books.ok).toBe(books.scheduled);
  return result as ResultFile;
}

describe('R056 the target stalls', () => {
  it('one connection: the responses show the falling waits, the service one or few, and the wait explains the difference', async () => {
    const { metrics, accounting } = await runThroughStall(1);
    const { response, service, wait, wakeLag } = metrics as Required<typeof metrics>;
    const share = (STALL_SECONDS * RATE) / accounting.scheduled;
    // About rate x S arrivals fall into the stall and wait out the rest of it, so half of them wait longer than S/2.
    expect(response?.max).toBeGreaterThan(0.8 * STALL_SECONDS * 1e9);
    expect(response?.percentiles['90']).toBeGreaterThan(0.5 * STALL_SECONDS * 1e9);
    expect(share).toBeGreaterThan(0.3);
    expect(response?.mean).toBeGreaterThan(0.5 * share * (STALL_SECONDS / 2) * 1e9);
    // Only the request on the wire saw the stall as service.
    expect(service?.max).toBeGreaterThan(0.8 * STALL_SECONDS * 1e9);
    expect(service?.percentiles['90']).toBeLessThan(0.2 * STALL_SECONDS * 1e9);
    expect(wait?.percentiles['90']).toBeGreaterThan(0.5 * STALL_SECONDS * 1e9);
    expect(wakeLag?.percentiles['50']).toBeLessThan(0.1 * STALL_SECONDS * 1e9);
  });

  it('connections enough: response and service both show the stall, and every send was on time', async () => {
    const { metrics, accounting } = await runThroughStall(1000);
    const { response, service, lag, wakeLag } = metrics;
    expect(service?.percentiles['90']).toBeGreaterThan(0.5 * STALL_SECONDS * 1e9);
    expect(response?.percentiles['90']).toBeGreaterThan(0.5 * STALL_SECONDS * 1e9);
    expect(response?.mean).toBeGreaterThan(service?.mean ?? Infinity);
    expect(lag?.percentiles['90']).toBeLessThan(0.1 * STALL_SECONDS * 1e9);
    expect(wakeLag?.percentiles['90']).toBeLessThan(0.1 * STALL_SECONDS * 1e9);
    expect(accounting.sent).toBe(accounting.scheduled);
  });
});

describe('R059 slow requests at the end of the run', () => {
  it('a target slower than run and drain leaves unfinished requests with their age, and nothing ok', async () => {
    target = await startTarget({ service: 'constant:60s' });
    const { result, exitCode } = await runCommand([
      'run',
      '--url',
      target.url,
      '--rate',
      '20',
      '--duration',
      '2s',
      '--timeout',
      '1m',
      '--drain',
      '1s',
      '--seed',
      '3',
      '--threshold',
      'p99(response)<10s',
      '--quiet',
    ]);
    const books = (result as ResultFile).accounting;
    assertBalanced(books);
    expect(books.ok).toBe(0);
    expect(books.unfinished).toBe(books.scheduled);
    expect(result?.metrics['response']).toMatchObject({ count: 0, min: null, percentiles: { '99': null } });
    expect(result?.metrics['unfinishedAge']?.min).toBeGreaterThan(0.9e9);
    expect(result?.thresholds[0]?.result).toBe('no-data');
    expect([1, 3]).toContain(exitCode);
  });
});
