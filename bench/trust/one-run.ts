/** One run of the `loadfleet` command in a process of its own, as a user makes it, with its result read back. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ResultValue } from '../../coordinator/report/result-value.ts';
import { HostWitness, isDirty, type Look, seenBetween, type Witness } from './host-witness.ts';
import { beginSabotage, type Sabotage, spoiltCommand } from './sabotage.ts';

const COMMAND = fileURLToPath(new URL('../../cli/loadfleet.cjs', import.meta.url));

/** Start of the processes, drain and report of a run on a quiet machine, seconds: for estimates. */
export const RUN_OVERHEAD_SECONDS = 4;

/** Longest that a run may take before it is ended, ms. */
const PATIENCE_MS = 120_000;

/** How a run went. */
export interface BenchRun {
  /** null: there was no result at all. */
  readonly result: ResultValue | null;
  /** What the host did from T0 to the end of the drain; without a result, from the start to the end of the command. */
  readonly witness: Witness;
  readonly dirty: boolean;
  readonly stderr: string;
}

/** Runs `loadfleet run ARGS` under `sabotage`. */
export async function benchRun(args: readonly string[], sabotage: Sabotage): Promise<BenchRun> {
  const folder = mkdtempSync(join(tmpdir(), 'loadfleet-trust-'));
  const out = join(folder, 'result');
  const witness = new HostWitness();
  const own = [COMMAND, 'run', ...args, '--fail-on', 'never', '--quiet', '--out', out];
  const [program, programArgs] = spoiltCommand(sabotage, process.execPath, own);
  const child = spawn(program, programArgs, { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const endSabotage = beginSabotage(sabotage, child);
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  try {
    await new Promise((resolve) => child.once('close', resolve));
    const result = readResult(join(out, 'result.json'));
    const seen = seenDuring(result, witness.stop());
    return { result, witness: seen, dirty: isDirty(seen), stderr };
  } finally {
    witness.stop();
    clearTimeout(timer);
    await endSabotage();
    rmSync(folder, { recursive: true, force: true });
  }
}

function seenDuring(result: ResultValue | null, looks: readonly Look[]): Witness {
  if (result === null) return seenBetween(looks, 0, Infinity);
  const startMs = Date.parse(result.run.startedAt);
  return seenBetween(looks, startMs, startMs + result.run.durationNs / 1e6);
}

function readResult(path: string): ResultValue | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ResultValue;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
