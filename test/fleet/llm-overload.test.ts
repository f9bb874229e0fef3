/**
 * Overload of the reference LLM target at 1/2, 2 and 4 times its capacity: throughput holds, goodput falls, and the report shows both. A closed
 * loop of as many slots as the same load would keep busy hides it, and says so.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RunningLlmTarget, startLlmTarget } from '../../target/llm/llm-target.ts';
import { assertBalanced, removeResultFolders, type ResultFile, runCommand } from '../support/command-run.ts';

/** 8 slots / (40 + 20 x 3) ms = 80 answers a second. */
const BATCH_SLOTS = 8;
const CAPACITY_PER_SECOND = 80;
const LENGTH_SECONDS = 2;

interface Load {
  readonly result: ResultFile & {
    readonly slo: { readonly goodShare: number; readonly goodputPerSecond: number };
    readonly run: { readonly durationNs: number };
    readonly windows: readonly { readonly startNs: number; readonly lengthNs: number; readonly ok: number }[];
  };
  readonly stdout: string;
}

let target: RunningLlmTarget;
let folder = '';

async function loadOf(load: string): Promise<Load> {
  const plan = join(folder, 'plan.yaml');
  writeFileSync(
    plan,
    `seed: 3
target: { url: "${target.url}" }
workload: [{ llm: { api: chat, model: m, maxTokens: 21, ignoreEos: true } }]
load: [{ ${load}, duration: ${LENGTH_SECONDS}s }]
slo: { ttft: 300ms }
scrape: [{ url: /metrics, interval: 500ms }]
fleet: { workers: 1 }
failOn: never
`,
  );
  const { result, exitCode, stdout, stderr } = await runCommand(['run', plan, '--quiet']);
  expect(exitCode, stderr).toBe(0);
  return { result: result as Load['result'], stdout };
}

function openLoop(factor: number): Promise<Load> {
  return loadOf(`rate: ${factor * CAPACITY_PER_SECOND}`);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loadfleet-overload-'));
  target = await startLlmTarget({ slots: BATCH_SLOTS, firstToken: 'constant:40ms', gap: 'constant:3ms' });
});

afterAll(async () => {
  await target.close();
  rmSync(folder, { recursive: true, force: true });
});

afterEach(removeResultFolders);

describe('an overloaded LLM server', () => {
  it('keeps its throughput while goodput falls', { timeout: 120_000 }, async () => {
    const calm = await openLoop(0.5);
    const double = await openLoop(2);
    const quadruple = await openLoop(4);
    for (const { result } of [calm, double, quadruple]) {
      assertBalanced(result.accounting);
      expect(result.accounting.ok).toBe(result.accounting.scheduled);
    }
    const goodShares = [calm, double, quadruple].map(({ result }) => result.slo.goodShare);
    expect(goodShares[0]).toBeGreaterThan(0.9);
    // A backlog grows at 80/s and 240/s; with 300 ms of patience about half and a quarter of a second's arrivals are in time.
    expect(goodShares[1]).toBeLessThan(0.6);
    expect(goodShares[2]).toBeLessThan((goodShares[1] ?? 0) * 0.8);
    // What the server finishes a second does not fall: from the start to its last answer it is busy.
    const throughputs = [double, quadruple].map(({ result }) => {
      const whole = result.windows.filter(({ ok }) => ok > 0).slice(1, -1);
      return (
        whole.reduce((sum, { ok }) => sum + ok, 0) / (whole.reduce((sum, { lengthNs }) => sum + lengthNs, 0) / 1e9)
      );
    });
    expect((throughputs[1] ?? 0) / (throughputs[0] ?? Number.NaN)).toBeGreaterThan(0.85);
    expect(throughputs[1]).toBeLessThan(1.1 * CAPACITY_PER_SECOND);
    // The wait in front of the batch is in the client's first token and in the server's queue alike.
    expect(quadruple.result.metrics['ttft']?.percentiles['99']).toBeGreaterThan(2e9);
    expect(quadruple.stdout).toMatch(/goodput/);
    expect(quadruple.stdout).toMatch(/waiting max/);

    // The same in a closed loop: it asks for what the server can do, whatever users would have asked for.
    const closedDouble = await loadOf(`arrivals: closed:${2 * BATCH_SLOTS}`);
    const closedQuadruple = await loadOf(`arrivals: closed:${4 * BATCH_SLOTS}`);
    for (const { result, stdout } of [closedDouble, closedQuadruple]) {
      assertBalanced(result.accounting);
      expect(result.accounting.scheduled / LENGTH_SECONDS).toBeLessThan(1.5 * CAPACITY_PER_SECOND);
      expect(stdout).toMatch(/closed-loop does not show queueing or overload/);
    }
    expect(closedDouble.result.slo.goodShare).toBeGreaterThan(goodShares[1] ?? Number.NaN);
    const wait = ({ result }: Load): number => result.metrics['ttft']?.percentiles['99'] ?? Number.NaN;
    expect(wait(closedQuadruple)).toBeLessThan(0.6 * wait(quadruple));
  });
});
