/**
 * The agent processes of an embedded fleet: started here, told apart by id, and noticed at once when one ends. They are
 * ordinary agents; the channel to their parent carries nothing, its closing tells them that the parent is gone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Timekeeper } from '../../shared/time/timekeeper.ts';

/** How long a dismissed agent may take to leave before it is killed, ns. */
const LEAVE_TIMEOUT_NS = 3_000_000_000;

/** What to start. */
export interface AgentProcessOptions {
  readonly count: number;
  /** Worker threads of each agent. */
  readonly workers: number;
  /** A core for each worker thread of these agents, in order; null leaves them to the system. */
  readonly workerCores: readonly number[] | null;
  /** Id of one more agent with a single worker thread; null for none. */
  readonly probe: string | null;
  /** `HOST:PORT` of the coordinator. */
  readonly address: string;
  /** Program and arguments up to the verb `agent` included; the options of each agent are added. */
  readonly command: readonly [program: string, ...args: string[]];
  readonly timekeeper: Timekeeper;
  /** An agent's process ended. */
  readonly onExit: (agentId: string, reason: string) => void;
}

export class AgentProcesses {
  readonly #options: AgentProcessOptions;
  readonly #children = new Map<string, ChildProcess>();
  readonly #allEnded = Promise.withResolvers<null>();

  /** Starts them all. */
  constructor(options: AgentProcessOptions) {
    this.#options = options;
    for (let index = 0; index < options.count; index += 1) {
      const from = index * options.workers;
      const cores = options.workerCores?.slice(from, from + options.workers) ?? null;
      this.#start(`agent-${index + 1}`, options.workers, cores);
    }
    if (options.probe !== null) this.#start(options.probe, 1, null);
  }

  /** Waits until every dismissed agent has left; those that do not are killed. */
  async ended(): Promise<void> {
    if (this.#children.size === 0) return;
    const timer = this.#options.timekeeper.after(LEAVE_TIMEOUT_NS, () => this.kill());
    await this.#allEnded.promise;
    timer.cancel();
  }

  /** Ends them all now. */
  kill(): void {
    for (const child of this.#children.values()) child.kill('SIGKILL');
  }

  #start(agentId: string, threads: number, cores: readonly number[] | null): void {
    const { command, address, workers, workerCores, count, probe } = this.#options;
    const [program, ...args] = command;
    const own = [
      '--coordinator',
      address,
      '--id',
      agentId,
      '--workers',
      `${threads}`,
      '--host-workers',
      `${workers * count + (probe === null ? 0 : 1)}`,
      ...(cores === null ? [] : ['--worker-cores', cores.join(',')]),
      ...(workerCores === null ? [] : ['--cores-apart', `${workerCores.length}`]),
    ];
    const child = spawn(program, [...args, ...own, '--embedded'], {
      // Standard output belongs to the run's own summary.
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    this.#children.set(agentId, child);
    child.once('error', (error) => this.#gone(agentId, `it could not be started: ${error.message}`));
    child.once('exit', (code, signal) =>
      this.#gone(agentId, `its process ended (${signal ?? `exit code ${code ?? 0}`})`),
    );
  }

  #gone(agentId: string, reason: string): void {
    if (!this.#children.delete(agentId)) return;
    this.#options.onExit(agentId, reason);
    if (this.#children.size === 0) this.#allEnded.resolve(null);
  }
}
