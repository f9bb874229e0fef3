/** One run of the `loadfleet` command in a process of its own, as a user makes it, with its result read back. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ResultValue } from '../../coordinator/report/result-value.ts';
import { isDirty, startWitness, type Witness } from './host-witness.ts';
import { beginSabotage, type Sabotage, spoiltCommand } from './sabotage.ts';

const COMMAND = fileURLToPath(new URL('../../cli/loadfleet.cjs', import.meta.url));

/** Start of the processes, drain and report of a run on a quiet machine, seconds: for estimates. */
export const RUN_OVERHEAD_SECONDS = 3;

/** Longest that a run may take before it is ended, ms. */
const PATIENCE_MS = 120_000;

/** How a run went. */
export interface BenchRun {
  /** null: there was no result at all. */
  readonly result: ResultValue | null;
  readonly witness: Witness;
  readonly dirty: boolean;
  readonly stderr: string;
}

/** Runs `loadfleet run ARGS` under `sabotage`. */
export async function benchRun(args: readonly string[], sabotage: Sabotage): Promise<BenchRun> {
  const folder = mkdtempSync(join(tmpdir(), 'loadfleet-trust-'));
  const out = join(folder, 'result');
  const seen = startWitness();
  const own = [COMMAND, 'run', ...args, '--fail-on', 'never', '--quiet', '--out', out];
  const [program, programArgs] = spoiltCommand(sabotage, process.execPath, own);
  const child = spawn(program, programArgs, { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const endSabotage = beginSabotage(sabotage, child);
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  try {
    await new Promise((resolve) => child.once('close', resolve));
    const witness = seen();
    return { result: readResult(join(out, 'result.json')), witness, dirty: isDirty(witness), stderr };
  } finally {
    clearTimeout(timer);
    endSabotage();
    rmSync(folder, { recursive: true, force: true });
  }
}

function readResult(path: string): ResultValue | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ResultValue;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
