/** Real arrivals against a real server: the instants of a production LLM service, 100 times faster, to nginx; its log is the judge. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { assertBalanced, type ResultFile, removeResultFolders, runCommand } from '../support/command-run.ts';
import { hasNginx, startNginx } from '../support/nginx-server.ts';

const TRACE = fileURLToPath(new URL('../data/azure-llm-2023-code.csv', import.meta.url));
const ROWS = 8819;

afterEach(removeResultFolders);

describe.skipIf(!hasNginx)('replay against nginx (skipped where nginx is not installed)', () => {
  it("the access log's count equals the report's sent, and every recorded instant is sent once", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'loadfleet-trace-'));
    const nginx = await startNginx();
    try {
      const plan = join(folder, 'plan.yaml');
      writeFileSync(
        plan,
        `name: azure code trace
seed: 1
target: { url: "${nginx.url}" }
workload: [{ name: code, url: /code }]
load: [{ name: replay, arrivals: { trace: { file: "${TRACE}", column: TIMESTAMP, unit: date-time, speed: 100 } } }]
fleet: { agents: 2, workers: 1 }
limits: { phaseGrace: 60s }
failOn: never
`,
      );
      const { result, exitCode, stderr } = await runCommand(['run', plan, '--quiet']);
      expect(exitCode, stderr).toBe(0);
      const { accounting } = result as ResultFile;
      assertBalanced(accounting);
      const log = await nginx.stop();
      expect(accounting.scheduled).toBe(ROWS);
      expect(accounting.sent).toBe(ROWS);
      expect(log).toHaveLength(accounting.sent);
      expect(new Set(log)).toEqual(new Set(['GET /code 200']));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
