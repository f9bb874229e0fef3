/** The reference LLM target as a process of its own, perhaps on a core of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Command } from './watched-process.ts';

/** The command in this checkout. */
export const LOADFLEET = fileURLToPath(new URL('../../cli/loadfleet.cjs', import.meta.url));

/** What runs `loadfleet ARGS`. */
export function loadfleetCommand(args: readonly string[]): Command {
  return [process.execPath, [LOADFLEET, ...args]];
}

/** The same command, kept on `core` where one is given. */
export function onCore(core: string | null, [program, args]: Command): Command {
  return core === null ? [program, args] : ['taskset', ['-c', core, program, ...args]];
}

export class TargetProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** Starts it with these flags and waits until it listens. */
  static async start(flags: readonly string[], core: string | null): Promise<TargetProcess> {
    const [program, args] = onCore(core, loadfleetCommand(['target', '--llm', '--quiet', ...flags]));
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const url = await new Promise<string>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', () => reject(new Error('the target ended before it listened')));
      child.stdout.once('data', (line: Buffer) => resolve(/http:\S+/.exec(line.toString())?.[0] ?? ''));
    });
    return new TargetProcess(child, url);
  }

  /** Tokens that it has generated, from its own page. */
  async generatedTokens(): Promise<number> {
    const page = await (await fetch(`${this.url}/metrics`)).text();
    return Number(/^vllm:generation_tokens_total\S* (\d+)/m.exec(page)?.[1] ?? Number.NaN);
  }

  /** Resident memory and CPU time are read by this id. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const closed = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.kill('SIGTERM');
    await closed;
  }
}
