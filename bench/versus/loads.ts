/** The programs of ours that the comparison starts, each as a process of its own on given cores, and what they print. */
import { fileURLToPath } from 'node:url';
import { runMeasured } from './measured-process.ts';
import type { NodeH2Result } from './node-h2-load.ts';
import type { WorkerLoadResult } from './worker-load.ts';

const workerFile = fileURLToPath(new URL('./worker-load.ts', import.meta.url));
const h2File = fileURLToPath(new URL('./node-h2-load.ts', import.meta.url));

/** What a load cost: requests that were answered, over the time after its warm-up. */
export interface Cost {
  readonly requestsPerCpuSecond: number;
  readonly requestsPerSecond: number;
}

/** The cost of what a program of ours printed. */
export function costOf({ ok, cpuSeconds, seconds }: { ok: number; cpuSeconds: number; seconds: number }): Cost {
  return { requestsPerCpuSecond: ok / cpuSeconds, requestsPerSecond: ok / seconds };
}

/** Runs our worker; `args` as `worker-load.ts` takes them. @throws when it ends badly. */
export async function runWorker(
  url: string,
  args: readonly (string | number)[],
  cores: string,
  secondsMax: number,
): Promise<WorkerLoadResult> {
  return (await runJson(workerFile, [url, ...args.map(String)], cores, secondsMax)) as WorkerLoadResult;
}

/** Runs one of Node's HTTP/2 clients. @throws when it ends badly. */
export async function runNodeH2(
  engine: string,
  url: string,
  size: { readonly count: number; readonly connections: number; readonly streams: number },
  cores: string,
  secondsMax: number,
): Promise<NodeH2Result> {
  const args = [engine, url, ...[size.count, size.connections, size.streams].map(String)];
  return (await runJson(h2File, args, cores, secondsMax)) as NodeH2Result;
}

async function runJson(file: string, args: readonly string[], cores: string, secondsMax: number): Promise<unknown> {
  const run = await runMeasured(process.execPath, [file, ...args], cores, '', secondsMax);
  if (run.exitCode !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${run.exitCode}: ${run.stdout}`);
  return JSON.parse(run.stdout);
}

/** The middle value. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A line for each name: medians over its rounds, and `first` divided by it. */
export function costTable(costs: ReadonlyMap<string, readonly Cost[]>, first: string): string {
  const perCpuOf = (list: readonly Cost[]): number => median(list.map((one) => one.requestsPerCpuSecond));
  const ours = perCpuOf(costs.get(first) ?? []);
  const lines = [...costs].map(([name, list]) => {
    const perCpu = perCpuOf(list);
    const perSecond = median(list.map((one) => one.requestsPerSecond));
    return [
      name.padEnd(26),
      perCpu.toFixed(0).padStart(14),
      perSecond.toFixed(0).padStart(12),
      (ours / perCpu).toFixed(2).padStart(9),
    ].join('');
  });
  return [`${'tool'.padEnd(26)}requests/CPU-s  requests/s  ${first} / it`, ...lines].join('\n');
}
