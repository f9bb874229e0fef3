/**
 * The recorded instants of a trace against nginx, through the command and an embedded fleet: what was scheduled, what the report says was
 * sent, and what nginx counted. Ten times faster than recorded unless told otherwise: the hour of the Azure code trace takes six minutes.
 * Usage: node bench/versus/trace-replay.ts [--trace FILE] [--speed 10] [--port 18181]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { ResultValue } from '../../coordinator/report/result-value.ts';
import { startNginx } from './nginx-target.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values } = parseArgs({
  options: {
    trace: { type: 'string', default: join(root, 'test/data/azure-llm-2023-code.csv') },
    speed: { type: 'string', default: '10' },
    port: { type: 'string', default: '18181' },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'loadfleet-replay-'));
const nginx = await startNginx(Number(values.port), '0-1');
try {
  const plan = join(folder, 'plan.yaml');
  const trace = `{ file: "${values.trace}", column: TIMESTAMP, unit: date-time, speed: ${values.speed} }`;
  writeFileSync(
    plan,
    `seed: 1
target: { url: "${nginx.url}" }
load: [{ name: replay, arrivals: { trace: ${trace} } }]
fleet: { agents: 2, workers: 1 }
failOn: never
`,
  );
  const run = spawnSync(
    process.execPath,
    [join(root, 'cli/loadfleet.cjs'), 'run', plan, '--out', join(folder, 'out')],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  if (run.status !== 0) throw new Error(`the run ended with ${run.status}`);
  const result = JSON.parse(readFileSync(join(folder, 'out', 'result.json'), 'utf8')) as ResultValue;
  const { scheduled, sent } = result.accounting;
  const counted = await nginx.requestCount();
  console.log(`scheduled ${scheduled}, sent ${sent}, counted by nginx ${counted}; verdict ${result.verdict.status}`);
  if (sent !== scheduled || counted !== sent) process.exitCode = 1;
} finally {
  await nginx.close();
  rmSync(folder, { recursive: true, force: true });
}
