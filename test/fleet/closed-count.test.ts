/** A closed loop that ends with its count: how fast the work got done is told over the time that it took, whatever length it was given. */
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
const LENGTH_SECONDS = 60;

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
});
