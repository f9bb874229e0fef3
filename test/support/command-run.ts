/** Runs the `loadfleet` command as a user does: its own process, its own exit code, its result folder read back. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.ts';

const COMMAND = fileURLToPath(new URL('../../cli/loadfleet.cjs', import.meta.url));

/** One metric in `result.json`. */
export interface ResultMetric {
  readonly unit: string;
  readonly count: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  readonly percentiles: Readonly<Record<string, number | null>>;
}

/** Accounting in `result.json`. */
export interface ResultAccounting {
  readonly scheduled: number;
  readonly attempted: number;
  readonly sent: number;
  readonly dropped: Readonly<Record<string, number>>;
  readonly cancelled: number;
  readonly lost: number;
  readonly ok: number;
  readonly failed: Readonly<Record<string, number>>;
  readonly unfinished: number;
}

/** The parts of `result.json` that tests read. */
export interface ResultFile {
  readonly run: { readonly seed: string; readonly plan: unknown; readonly end: { readonly kind: string } };
  readonly verdict: { readonly status: string; readonly reasons: readonly string[] };
  readonly accounting: ResultAccounting;
  readonly measured: { readonly accounting: ResultAccounting };
  readonly failureShare: number | null;
  readonly rate: Readonly<Record<string, number | null>>;
  readonly metrics: Readonly<Record<string, ResultMetric>>;
  readonly metricsFailed: Readonly<Record<string, ResultMetric>>;
  readonly thresholds: readonly { readonly text: string; readonly result: string }[];
  readonly workload: readonly {
    readonly name: string;
    readonly accounting: Pick<ResultAccounting, 'attempted' | 'ok' | 'failed' | 'unfinished'>;
  }[];
  readonly phases: readonly { readonly name: string; readonly accounting: ResultAccounting }[];
  readonly agents: readonly { readonly id: string; readonly accounting: ResultAccounting }[];
}

/** How a command ended. */
export interface CommandEnd {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Content of the result folder; null when it was not written. */
  readonly result: ResultFile | null;
  /** Reads one more file of the result folder. */
  readonly file: (name: string) => string;
}

/** A command that runs. */
export interface RunningCommand {
  readonly process: ChildProcess;
  readonly ended: Promise<CommandEnd>;
  /** Text printed so far, both streams. */
  output(): string;
}

const folders: string[] = [];

/** Removes the result folders of all commands; call it after each test. */
export function removeResultFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/**
 * Starts `loadfleet ARGS`; verbs that write results also get `--out` to a folder of the test's own. `output` takes the standard output:
 * the test reads it, or it is an open file.
 */
export function startCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  output: 'pipe' | number = 'pipe',
): RunningCommand {
  const folder = mkdtempSync(join(tmpdir(), 'loadfleet-test-'));
  folders.push(folder);
  const out = join(folder, 'result');
  const withOut = args[0] === 'run' ? [...args, '--out', out] : args;
  const child = spawn(process.execPath, [COMMAND, ...withOut], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', output, 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = new Promise<CommandEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => {
      const path = join(out, 'result.json');
      const result = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as ResultFile) : null;
      resolve({ exitCode, stdout, stderr, result, file: (name) => readFileSync(join(out, name), 'utf8') });
    });
  });
  return { process: child, ended, output: () => stdout + stderr };
}

/** Resolves when `isTrue` returns true while the command runs; fails with all that it said if it ends before. */
export async function whileRunning(run: RunningCommand, what: string, isTrue: () => boolean): Promise<void> {
  const endedEarly = run.ended.then(({ exitCode, stdout, stderr }) => {
    throw new Error(`${what}: not before the command ended with ${String(exitCode)}: ${stdout}${stderr}`);
  });
  await Promise.race([eventually(what, isTrue), endedEarly]);
  endedEarly.catch(() => undefined);
}

/** Runs `loadfleet ARGS` to its end. */
export function runCommand(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<CommandEnd> {
  return startCommand(args, environment).ended;
}

/** Checks both equations of the books (design P4) on one accounting. @throws when one does not hold. */
export function assertBalanced(books: ResultAccounting): void {
  const sum = (parts: Readonly<Record<string, number>>): number =>
    Object.values(parts).reduce((total, part) => total + part, 0);
  const decided = books.attempted + sum(books.dropped) + books.cancelled + books.lost;
  const ended = books.ok + sum(books.failed) + books.unfinished;
  if (books.scheduled !== decided || books.attempted !== ended || books.sent > books.attempted) {
    throw new Error(`the books do not balance: ${JSON.stringify(books)}`);
  }
}
