/** Processes of a test: started, watched, and ended by their own ids whatever the test does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export class Spawned {
  readonly #child: ChildProcess;
  readonly exit: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  output = '';
  hasEnded = false;

  constructor(program: string, args: readonly string[]) {
    this.#child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const take = (text: Buffer): void => void (this.output += text.toString());
    this.#child.stdout?.on('data', take);
    this.#child.stderr?.on('data', take);
    this.exit = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.hasEnded = true;
        resolve({ code, signal });
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it for certain. */
  async end(): Promise<void> {
    if (this.hasEnded) return;
    this.#child.kill('SIGCONT');
    this.#child.kill('SIGKILL');
    await this.exit;
  }
}

/** Ids of the child processes of `pid` now; null where the host has no /proc. */
export function childIdsOf(pid: number): number[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.trim().split(/\s+/).filter(Boolean).map(Number);
  } catch {
    return null;
  }
}

/** True while the process exists and is not just waiting to be collected. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
