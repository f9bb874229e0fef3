/**
 * Overload at 1, 2 and 4 times the capacity of the reference LLM target, at length: throughput holds while goodput falls. And a replay of
 * recorded traces given by name. Prints the summaries. Everything runs as processes of their own over loopback.
 * Usage: node bench/llm/overload.ts [--seconds 30] [--trace azure|mooncake:FILE[:SPEED]]...
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '30' }, trace: { type: 'string', multiple: true, default: [] } },
});
const command = fileURLToPath(new URL('../../cli/loadfleet.cjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'loadfleet-bench-'));

/** Runs a plan against a fresh target with these flags and prints the summary. */
async function runAgainstTarget(
  name: string,
  targetFlags: readonly string[],
  planOf: (url: string) => string,
): Promise<void> {
  const target = spawn(process.execPath, [command, 'target', '--llm', '--quiet', ...targetFlags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const url = await new Promise<string>((found) =>
      target.stdout.once('data', (line: Buffer) => found(/http:\S+/.exec(line.toString())?.[0] ?? '')),
    );
    const plan = join(folder, 'plan.yaml');
    writeFileSync(plan, planOf(url));
    console.log(`\n=== ${name}`);
    const out = join(folder, 'results');
    const { status } = spawnSync(process.execPath, [command, 'run', plan, '--quiet', '--out', out], {
      stdio: 'inherit',
    });
    if (status !== 0) process.exitCode = 1;
  } finally {
    target.kill('SIGTERM');
    await new Promise((closed) => target.once('close', closed));
  }
}

try {
  if (values.trace.length === 0) {
    // 64 slots / (60 + 63 x 5) ms = 170 answers a second.
    for (const factor of [1, 2, 4]) {
      await runAgainstTarget(
        `${factor} x capacity`,
        ['--slots', '64', '--ttft', 'gamma:60ms:4', '--gap', 'exponential:5ms'],
        (url) => `seed: 1
target: { url: "${url}" }
workload: [{ llm: { api: chat, model: m, maxTokens: 64, ignoreEos: true } }]
load: [{ rate: ${170 * factor}, duration: ${values.seconds}s }]
slo: { ttft: 500ms, tpot: 10ms }
limits: { timeout: 10m }
scrape: [{ url: /metrics }]
failOn: never
`,
      );
    }
  }
  for (const trace of values.trace) {
    const [kind = '', file = '', speed = '60'] = trace.split(':');
    await runAgainstTarget(
      trace,
      ['--ttft', 'lognormal:50ms:0.5', '--gap', 'constant:2ms'],
      (url) => `seed: 1
target: { url: "${url}" }
workload: [{ llm: { api: completions, model: m, ignoreEos: true } }]
data: { dataset: { ${kind}: { file: "${resolve(file)}" } } }
load: [{ arrivals: { dataset: { speed: ${speed} } } }]
slo: { ttft: 500ms, tpot: 10ms }
scrape: [{ url: /metrics }]
failOn: never
`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
