/** The server's own numbers in the window of the run: its queue, its first tokens and the client's, side by side. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ServerValue } from '../../coordinator/report/server-value.ts';
import { startLlmTarget } from '../../target/llm/llm-target.ts';
import { removeResultFolders, type ResultFile, runCommand } from '../support/command-run.ts';

afterEach(removeResultFolders);

describe("a run that reads the target's metrics", () => {
  it('shows the queue and the first tokens of the server per phase, and warns of a page that is not there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'loadfleet-scrape-'));
    // Capacity: 2 slots / (50 + 4 x 10) ms = 22 answers a second; 60 a second build a queue.
    const target = await startLlmTarget({
      slots: 2,
      firstToken: 'constant:50ms',
      gap: 'constant:10ms',
      outputTokens: 5,
    });
    try {
      const plan = join(folder, 'plan.yaml');
      // On a busy machine the order to start may come later than the usual half second, and is refused then.
      writeFileSync(
        plan,
        `seed: 1
target: { url: "${target.url}" }
workload: [{ name: chat, llm: { api: chat, model: m } }]
load:
  - { name: calm, rate: 8, duration: 1500ms }
  - { name: storm, rate: 60, duration: 1500ms }
scrape:
  - { name: engine, url: /metrics, interval: 250ms, include: ["vllm:"] }
  - { name: absent, url: /no-such-page }
fleet: { workers: 1, startLead: 1500ms }
failOn: never
`,
      );
      const { result, exitCode, stdout, stderr } = await runCommand(['run', plan, '--quiet']);
      expect(exitCode, stderr).toBe(0);
      const { server, accounting, warnings } = result as ResultFile & {
        server: readonly ServerValue[];
        warnings: readonly string[];
      };
      const [engine, absent] = server;
      const [calm, storm] = engine?.phases ?? [];
      const maxOf = (phase: typeof calm, role: string) => phase?.gauges.find((gauge) => gauge.role === role)?.max ?? -1;
      expect(maxOf(storm, 'waiting')).toBeGreaterThan(10);
      expect(maxOf(storm, 'waiting')).toBeGreaterThan(maxOf(calm, 'waiting'));
      expect(maxOf(storm, 'running')).toBe(2);
      // Nothing is lost or counted twice between the pages: the growth of both phases is every answer.
      const done = (phase: typeof calm) =>
        phase?.counters.find(({ series }) => series.startsWith('vllm:request_success_total'))?.delta ?? 0;
      expect(done(calm) + done(storm)).toBe(accounting.ok);
      const firstTokens = (phase: typeof calm) => phase?.histograms.find(({ role }) => role === 'ttft');
      expect((firstTokens(calm)?.count ?? 0) + (firstTokens(storm)?.count ?? 0)).toBe(accounting.ok);
      expect(firstTokens(storm)?.quantiles['99']?.low).toBeGreaterThan(0.2);
      expect(absent).toMatchObject({ pages: 0, reasons: ['status 404'] });
      expect(warnings.join('\n')).toMatch(/scrape absent: \d+ of \d+ pages could not be had \(status 404\)/);
      expect(stdout).toMatch(/server engine: \d+ pages read, 0 missed/);
      expect(stdout).toMatch(/waiting max/);
    } finally {
      await target.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
