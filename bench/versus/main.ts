/**
 * Side by side in one run: client on one core, nginx on another, our worker and every other tool found, in turn, several rounds.
 * Prints medians: requests per client CPU-second (all of a tool's processes and threads), and the ratio of ours to each. Then our
 * worker in open loop at half its own saturation rate and at 100/s: lag and response.
 * Usage: npm run bench:versus -- [--rounds 3] [--seconds 5] [--connections 50] [--port 18081] [--client-core 0] [--target-core 1]
 */
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runMeasured } from './measured-process.ts';
import { startNginx } from './nginx-target.ts';
import { PEERS, versionOf } from './peers.ts';
import type { WorkerLoadResult } from './worker-load.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '50' },
    port: { type: 'string', default: '18081' },
    'client-core': { type: 'string', default: '0' },
    'target-core': { type: 'string', default: '1' },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const connections = Number(values.connections);
const core = values['client-core'];
const workerFile = fileURLToPath(new URL('./worker-load.ts', import.meta.url));

interface Measured {
  readonly requestsPerCpuSecond: number;
  readonly requestsPerSecond: number;
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

async function runOurs(url: string, args: readonly string[], secondsMax: number): Promise<WorkerLoadResult> {
  const run = await runMeasured(process.execPath, [workerFile, url, ...args], core, '', secondsMax);
  if (run.exitCode !== 0) throw new Error(`our worker ended with ${run.exitCode}: ${run.stdout}`);
  return JSON.parse(run.stdout) as WorkerLoadResult;
}

const target = await startNginx(Number(values.port), values['target-core']);
try {
  const peers = PEERS.map((peer) => ({ peer, version: versionOf(peer) }));
  console.log(
    `${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores; node ${process.version}; nginx on core ${values['target-core']}, clients on core ${core}`,
  );
  for (const { peer, version } of peers) console.log(`${peer.name.padEnd(12)} ${version ?? 'not installed'}`);
  const found = peers.filter(({ version }) => version !== null).map(({ peer }) => peer);

  const results = new Map<string, Measured[]>();
  const note = (name: string, measured: Measured): void =>
    void results.set(name, [...(results.get(name) ?? []), measured]);
  let saturationRate = 20_000;
  for (let round = 0; round < rounds; round += 1) {
    for (const client of ['auto', 'undici']) {
      const ours = await runOurs(
        target.url,
        ['saturate', String(Math.round(saturationRate * seconds)), String(connections), '3', client],
        20 * seconds + 60,
      );
      note(`loadfleet ${client === 'auto' ? 'wire' : client}`, {
        requestsPerCpuSecond: ours.ok / ours.cpuSeconds,
        requestsPerSecond: ours.ok / ours.seconds,
      });
      if (client === 'auto') saturationRate = ours.ok / ours.seconds;
    }
    for (const peer of found) {
      const before = await target.requestCount();
      const run = await runMeasured(
        peer.program,
        peer.saturate(target.url, connections, seconds),
        core,
        `GET ${target.url}\n`,
        seconds + 60,
      );
      const requests = (await target.requestCount()) - before;
      note(peer.name, {
        requestsPerCpuSecond: requests / run.cpuSeconds,
        requestsPerSecond: requests / run.wallSeconds,
      });
    }
  }
  const ours = median((results.get('loadfleet wire') ?? []).map((one) => one.requestsPerCpuSecond));
  console.log(`\nsaturating, ${connections} connections, ${rounds} rounds of ${seconds} s, medians`);
  console.log('tool              requests/CPU-s  requests/s  loadfleet wire / tool');
  for (const [name, list] of results) {
    const perCpu = median(list.map((one) => one.requestsPerCpuSecond));
    const perSecond = median(list.map((one) => one.requestsPerSecond));
    console.log(
      `${name.padEnd(18)}${perCpu.toFixed(0).padStart(14)}${perSecond.toFixed(0).padStart(12)}${(ours / perCpu).toFixed(2).padStart(23)}`,
    );
  }

  console.log('\nopen loop, Poisson, after a warm-up of 5 s; microseconds');
  console.log('rate/s    wakeLag p50    p99   p99.9   response p50    p99   p99.9   of one core');
  const us = (ns: number | null | undefined): string => (ns === null || ns === undefined ? '-' : (ns / 1e3).toFixed(0));
  for (const rate of [100, 1000, 10_000, Math.round(saturationRate / 2)]) {
    const run = await runOurs(target.url, ['poisson', String(rate), String(2 * seconds), '5'], 3 * seconds + 60);
    const { wakeLag, response } = run.percentiles;
    const share = run.cpuSeconds / run.seconds;
    console.log(
      [
        String(rate).padEnd(9),
        us(wakeLag?.['50']).padStart(12),
        us(wakeLag?.['99']).padStart(7),
        us(wakeLag?.['99.9']).padStart(8),
        us(response?.['50']).padStart(14),
        us(response?.['99']).padStart(7),
        us(response?.['99.9']).padStart(8),
        `${(100 * share).toFixed(0)} %`.padStart(12),
      ].join(''),
    );
  }
} finally {
  await target.close();
}
