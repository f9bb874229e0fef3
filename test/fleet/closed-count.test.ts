/** A closed loop that ends with its count: how fast the work got done is told over the time that it took, whatever length it was given. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RunningLlmTarget, startLlmTarget } from '../../target/llm/llm-target.ts';
import { assertBalanced, removeResultFolders, type ResultFile, runCommand } from '../support/command-run.ts';

const SLOTS = 2;
const COUNT = 6;
const TOKENS = 5;
/** 40 ms to the first token, 3 ms to each of the others. */
const ANSWER_SECONDS = 0.04 + 0.003 * (TOKENS - 1);
/** A length that the loop never needs. */
const LENGTH_SECONDS = 8;

type LlmResult = ResultFile & {
  readonly llm: { readonly outputTokens: number; readonly outputTokensPerSecond: number | null };
  readonly slo: { readonly goodputPerSecond: number | null };
  readonly run: { readonly durationNs: number };
};

let target: RunningLlmTarget;
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loadfleet-closed-'));
  target = await startLlmTarget({ firstToken: 'constant:40ms', gap: 'constant:3ms' });
});

afterAll(async () => {
  await target.close();
  rmSync(folder, { recursive: true, force: true });
});

afterEach(removeResultFolders);

/** Answers after so long, of the first and of all other requests; null = never. */
async function startServer(firstMs: number | null): Promise<{ readonly url: string; readonly close: () => void }> {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    const delayMs = requests === 1 ? firstMs : 5;
    if (delayMs !== null) setTimeout(() => response.end('x'), delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface RateAndBooks {
  readonly accounting: ResultFile['accounting'];
  readonly measured: number | null;
  readonly gauges: readonly { readonly name: string; readonly unread: number }[];
}

/** What `rate(ok)` came to, and the books, of a plan with this load. */
async function rateOf(url: string, load: string, limits: string): Promise<RateAndBooks> {
  const plan = join(folder, 'plan.yaml');
  writeFileSync(
    plan,
    `seed: 3
target: { url: "${url}" }
load: [${load}]
limits: { ${limits} }
thresholds: ["rate(ok)>0.1"]
fleet: { workers: 1 }
failOn: never
`,
  );
  const { result, exitCode, stderr } = await runCommand(['run', plan, '--quiet']);
  expect(exitCode, stderr).toBe(0);
  const whole = result as ResultFile & {
    readonly thresholds: readonly { readonly measured: number | null }[];
    readonly gauges: RateAndBooks['gauges'];
  };
  assertBalanced(whole.accounting);
  return { accounting: whole.accounting, measured: whole.thresholds[0]?.measured ?? null, gauges: whole.gauges };
}

describe('a closed loop that ends with its count', () => {
  it.each([
    ['', 'nothing else'],
    [`, duration: ${LENGTH_SECONDS}s`, 'a length as well'],
  ])('has rates over the time to its last end, given %s%s', async (length) => {
    const plan = join(folder, 'plan.yaml');
    writeFileSync(
      plan,
      `seed: 3
target: { url: "${target.url}" }
workload: [{ llm: { api: chat, model: m, maxTokens: ${TOKENS}, ignoreEos: true } }]
load: [{ arrivals: closed:${SLOTS}, count: ${COUNT}${length} }]
slo: { ttft: 50s }
fleet: { workers: 1 }
failOn: never
`,
    );
    const { result, exitCode, stderr } = await runCommand(['run', plan, '--quiet']);
    expect(exitCode, stderr).toBe(0);
    const { accounting, llm, slo, run } = result as LlmResult;
    assertBalanced(accounting);
    expect(accounting.ok).toBe(COUNT);
    expect(llm.outputTokens).toBe(COUNT * TOKENS);
    const workSeconds = (COUNT * TOKENS) / (llm.outputTokensPerSecond ?? 0);
    expect(workSeconds).toBeGreaterThan((COUNT / SLOTS) * ANSWER_SECONDS);
    expect(workSeconds).toBeLessThan(Math.min(LENGTH_SECONDS / 2, run.durationNs / 1e9));
    expect(slo.goodputPerSecond).toBeCloseTo(COUNT / workSeconds, 6);
  });

  it('is told over its work wherever it stands in the plan, whatever follows', async () => {
    const server = await startServer(5);
    try {
      const load = '{ arrivals: closed:2, count: 20, duration: 3s }, { rate: 10, duration: 1s, warmup: true }';
      const { accounting, measured } = await rateOf(server.url, load, 'timeout: 60s, drain: 30s');
      expect(accounting.ok).toBe(accounting.scheduled);
      // Over the length of the phase it would be 20 in three seconds.
      expect(measured).toBeGreaterThan(20 / 1.5);
    } finally {
      server.close();
    }
  });

  it('has no reading that failed for the windows in which nothing ended', async () => {
    const server = await startServer(5);
    try {
      const load = '{ rate: 10, duration: 2s }, { arrivals: closed:2, count: 4 }';
      const { gauges } = await rateOf(server.url, load, 'timeout: 60s, drain: 30s');
      const ends = gauges.filter(({ name }) => name.startsWith('lastEndNs'));
      expect(ends.map(({ name, unread }) => [name, unread])).toEqual([['lastEndNs.1', 0]]);
    } finally {
      server.close();
    }
  });

  it('is not as fast as its free slot when a request holds it up', async () => {
    const server = await startServer(null);
    try {
      const load = '{ arrivals: closed:2, count: 20, duration: 4s }';
      const { accounting, measured } = await rateOf(server.url, load, 'timeout: 60s, drain: 1s');
      expect(accounting.unfinished).toBe(1);
      expect(measured).toBeCloseTo(accounting.ok / 4, 6);
    } finally {
      server.close();
    }
  });

  it('is not held up by an answer of the phase before it', async () => {
    const slowMs = 6000;
    const server = await startServer(slowMs);
    try {
      const load = '{ rate: 10, duration: 1s, warmup: true }, { arrivals: closed:2, count: 20 }';
      const { accounting, measured } = await rateOf(server.url, load, 'timeout: 60s, drain: 30s');
      expect(accounting.ok).toBe(accounting.scheduled);
      // Up to that answer it would be less than 20 in the five seconds after the phase's start.
      expect(measured).toBeGreaterThan(20 / (slowMs / 1000 - 2));
    } finally {
      server.close();
    }
  });
});
