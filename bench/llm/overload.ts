/**
 * Overload at 1, 2 and 4 times the capacity of the reference LLM target, at length: in an open loop throughput holds while goodput falls;
 * a closed loop of as many slots as the same load would keep busy hides it. And a replay of recorded traces given by name. Prints the
 * summaries and a table. Everything runs as processes of their own over loopback.
 * Usage: node bench/llm/overload.ts [--seconds 30] [--trace azure|mooncake:FILE[:SPEED]]...
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '30' }, trace: { type: 'string', multiple: true, default: [] } },
});
const command = fileURLToPath(new URL('../../cli/loadfleet.cjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'loadfleet-bench-'));

/** The parts of a result that the table shows. */
interface OverloadResult {
  readonly accounting: { readonly scheduled: number };
  readonly verdict: { readonly status: string };
  readonly windows: readonly { readonly startNs: number; readonly lengthNs: number; readonly ok: number }[];
  readonly slo: { readonly goodShare: number | null; readonly goodputPerSecond: number | null };
  readonly metrics: Readonly<Record<string, { readonly percentiles: Readonly<Record<string, number | null>> }>>;
}

/** Runs a plan against a fresh target with these flags, prints the summary and gives the result. */
async function runAgainstTarget(
  name: string,
  targetFlags: readonly string[],
  planOf: (url: string) => string,
): Promise<OverloadResult> {
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
    return JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')) as OverloadResult;
  } finally {
    target.kill('SIGTERM');
    await new Promise((closed) => target.once('close', closed));
  }
}

/** Slots of the target's batch: few, so that neither side is busy and only the queue matters. */
const BATCH_SLOTS = 16;
const TOKENS = 16;
/** 16 slots / (60 + 15 x 20) ms. */
const CAPACITY_PER_SECOND = 44;

/** Answers per second while the target is busy: the first window, in which it fills, and the last are left out. */
function busyRate({ windows }: OverloadResult): number | null {
  const busy = windows.filter(({ ok }) => ok > 0).slice(1, -1);
  const lengthNs = busy.reduce((sum, window) => sum + window.lengthNs, 0);
  return lengthNs === 0 ? null : busy.reduce((sum, { ok }) => sum + ok, 0) / (lengthNs / 1e9);
}

function tableRow(load: string, result: OverloadResult): string {
  const { accounting, slo, metrics } = result;
  const seconds = (metric: string, percentile: string): string => {
    const ns = metrics[metric]?.percentiles[percentile] ?? null;
    return ns === null ? '-' : `${(ns / 1e9).toFixed(2)} s`;
  };
  const rate = (perSecond: number | null): string => (perSecond === null ? '-' : `${perSecond.toFixed(0)}/s`);
  const cells = [
    load,
    rate(accounting.scheduled / Number(values.seconds)),
    rate(busyRate(result)),
    rate(slo.goodputPerSecond),
    slo.goodShare === null ? '-' : `${(slo.goodShare * 100).toFixed(1)} %`,
    seconds('ttft', '50'),
    seconds('ttft', '99'),
    seconds('ttft_send', '99'),
    result.verdict.status,
  ];
  return `| ${cells.join(' | ')} |`;
}

const rows: string[] = [];
try {
  if (values.trace.length === 0) {
    const loads = [1, 2, 4].flatMap((factor) => [
      { name: `open, ${factor} x`, load: `rate: ${CAPACITY_PER_SECOND * factor}` },
      { name: `closed, ${factor} x ${BATCH_SLOTS} slots`, load: `arrivals: closed:${BATCH_SLOTS * factor}` },
    ]);
    for (const { name, load } of loads) {
      const result = await runAgainstTarget(
        name,
        ['--slots', String(BATCH_SLOTS), '--ttft', 'gamma:60ms:4', '--gap', 'exponential:20ms'],
        (url) => `seed: 1
target: { url: "${url}" }
workload: [{ llm: { api: chat, model: m, maxTokens: ${TOKENS}, ignoreEos: true } }]
load: [{ ${load}, duration: ${values.seconds}s }]
slo: { ttft: 500ms, tpot: 40ms }
limits: { timeout: 10m }
scrape: [{ url: /metrics }]
failOn: never
`,
      );
      rows.push(tableRow(name, result));
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
  if (rows.length > 0) {
    console.log('\n| load | asked | answered | goodput | good | TTFT p50 | TTFT p99 | TTFT p99 from send | verdict |');
    console.log(`|---|---|---|---|---|---|---|---|---|\n${rows.join('\n')}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
