/** Real traces of production LLM services against the reference LLM target: every recorded request arrives, with its lengths. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { DatasetValue } from '../../coordinator/report/dataset-value.ts';
import { startLlmTarget } from '../../target/llm/llm-target.ts';
import { assertBalanced, removeResultFolders, type ResultFile, runCommand } from '../support/command-run.ts';

const data = (name: string): string => fileURLToPath(new URL(`../data/${name}`, import.meta.url));

afterEach(removeResultFolders);

describe.each([
  // Input and output tokens summed over the files.
  { kind: 'azure', file: 'azure-llm-2023-code-40.csv', rows: 40, speed: 10, uniquePrompts: 40 },
  { kind: 'mooncake', file: 'mooncake-conversation-20.jsonl', rows: 20, speed: 10, uniquePrompts: 20 },
])('replay of a recorded trace ($kind)', ({ kind, file, rows, speed, uniquePrompts }) => {
  it('sends every row once, with its lengths, over a fleet', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'loadfleet-llm-'));
    const target = await startLlmTarget({ firstToken: 'constant:2ms', gap: 'constant:100us', outputTokens: 100_000 });
    try {
      const plan = join(folder, 'plan.yaml');
      writeFileSync(
        plan,
        `seed: 1
target: { url: "${target.url}" }
workload: [{ llm: { api: completions, model: m, ignoreEos: true } }]
data: { dataset: { ${kind}: { file: "${data(file)}", maxOutputTokens: 300, tooLong: cut } } }
load: [{ arrivals: { dataset: { speed: ${speed} } } }]
fleet: { agents: 2, workers: 1 }
failOn: never
`,
      );
      const { result, exitCode, stdout, stderr } = await runCommand(['run', plan, '--quiet']);
      expect(exitCode, stderr).toBe(0);
      const { accounting, dataset, metrics } = result as ResultFile & { readonly dataset: DatasetValue };
      assertBalanced(accounting);
      expect([accounting.scheduled, accounting.ok]).toEqual([rows, rows]);
      const counts = target.counts();
      expect(counts).toMatchObject({ requests: rows, uniquePrompts });
      // What the server counted is what the trace recorded: words are tokens there.
      expect(counts.promptTokens).toBe(Math.round(dataset.inputTokens.mean * rows));
      expect(counts.generationTokens).toBe(Math.round((dataset.outputTokens?.mean ?? 0) * rows));
      expect(metrics['inputTokens']?.max).toBe(dataset.inputTokens.max);
      expect(dataset.uniquePromptShare).toBe(1);
      expect(stdout).toMatch(new RegExp(`dataset ${kind}: ${rows} rows .*in-order`));
    } finally {
      await target.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
