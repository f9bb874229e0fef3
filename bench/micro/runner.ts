/**
 * Runs micro benches: a fixed amount of work, several rounds, the best and the median time per operation, and a hash of the
 * result, so that a change of speed can be told from a change of behaviour. `--smoke` does a small amount once; the tests
 * run every bench that way. Figures are for comparing on one machine, never for a test to assert.
 */
import { parseArgs } from 'node:util';

/** One thing to measure. */
export interface MicroBench {
  /** e.g. `schedule/time-order-4096-lanes`. */
  readonly name: string;
  /** What is counted, in the plural: `arrivals`. */
  readonly unit: string;
  /** Operations per round, in full and in smoke mode. */
  readonly count: number;
  readonly smokeCount: number;
  /** Does `count` operations from a fresh start and returns a hash of what came out. */
  run(count: number): string;
}

/** What the rounds of a bench gave. */
export interface MicroResult {
  readonly name: string;
  readonly count: number;
  /** Wall time per operation in ns: the fastest and the middle round. */
  readonly bestNs: number;
  readonly medianNs: number;
  /** Processor time per operation in ns, of the round that used least: steadier on a shared machine. */
  readonly bestCpuNs: number;
  readonly hash: string;
}

/** Measures one bench. @throws Error if two rounds of the same work give different results. */
export function measure(bench: MicroBench, mode: { readonly smoke: boolean; readonly rounds: number }): MicroResult {
  const count = mode.smoke ? bench.smokeCount : bench.count;
  const wallNs: number[] = [];
  const cpuNs: number[] = [];
  const hashes = new Set<string>();
  for (let round = 0; round < (mode.smoke ? 1 : mode.rounds); round++) {
    const cpuBefore = process.cpuUsage();
    const wallBefore = process.hrtime.bigint();
    hashes.add(bench.run(count));
    wallNs.push(Number(process.hrtime.bigint() - wallBefore) / count);
    cpuNs.push((process.cpuUsage(cpuBefore).user * 1e3) / count);
  }
  const [hash = '', ...others] = hashes;
  if (others.length > 0) throw new Error(`${bench.name}: rounds of the same work gave ${[...hashes].join(', ')}`);
  wallNs.sort((a, b) => a - b);
  return {
    name: bench.name,
    count,
    bestNs: wallNs[0] ?? Number.NaN,
    medianNs: wallNs[Math.floor(wallNs.length / 2)] ?? Number.NaN,
    bestCpuNs: Math.min(...cpuNs),
    hash,
  };
}

/**
 * Runs the benches whose name contains the first argument (all without one) and prints a line for each.
 * Flags: `--smoke`, `--rounds N` (default 5).
 */
export function runFromCommandLine(
  benches: readonly MicroBench[],
  args: readonly string[],
  print: (line: string) => void,
): void {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { smoke: { type: 'boolean', default: false }, rounds: { type: 'string', default: '5' } },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds ${values.rounds} is not an integer >= 1`);
  print(`node ${process.version}, ${process.arch}${values.smoke ? ', smoke' : `, ${rounds} rounds`}`);
  for (const bench of benches.filter(({ name }) => name.includes(positionals[0] ?? ''))) {
    const { count, bestNs, medianNs, bestCpuNs, hash } = measure(bench, { smoke: values.smoke, rounds });
    const millionsPerSecond = 1e3 / bestNs;
    print(
      [
        bench.name.padEnd(36),
        `${count.toExponential(0)} ${bench.unit}`.padEnd(16),
        `best ${bestNs.toFixed(1)} ns`,
        `median ${medianNs.toFixed(1)} ns`,
        `cpu ${bestCpuNs.toFixed(1)} ns`,
        `${millionsPerSecond.toFixed(2)} M/s`,
        `result ${hash}`,
      ].join('  '),
    );
  }
}
