/**
 * A fleet of one real agent with one real worker against a reference target in the test's own process, for runs in which
 * something is done to the agent. Everything that is started is ended by `close`.
 */
import { fileURLToPath } from 'node:url';
import { runAgent } from '../../agent/main.ts';
import { createStartCrew } from '../../agent/worker/pool.ts';
import type { Coordinator } from '../../coordinator/coordinator.ts';
import { startCoordinator } from '../../coordinator/main.ts';
import { buildRunResult } from '../../coordinator/report/run-result.ts';
import type { ResultValue } from '../../coordinator/report/result-value.ts';
import type { Gate } from '../../coordinator/verdict/verdict.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { type RunningTarget, startTarget, type TargetOptions } from '../../target/reference-target.ts';
import { createPlan } from './plan-fixture.ts';
import { Spawned } from './spawned.ts';

const LOADFLEET = fileURLToPath(new URL('../../cli/loadfleet.cjs', import.meta.url));

/** The plan of a run: a steady Poisson load. */
export interface SabotagedPlan {
  readonly ratePerSecond: number;
  readonly durationNs: number;
  readonly overrides?: Partial<Plan>;
}

export class SabotagedFleet {
  readonly target: RunningTarget;
  readonly #coordinator: Coordinator;
  readonly #closers: (() => unknown)[] = [];

  private constructor(target: RunningTarget, coordinator: Coordinator) {
    this.target = target;
    this.#coordinator = coordinator;
  }

  static async start(options: TargetOptions = {}): Promise<SabotagedFleet> {
    const target = await startTarget(options);
    const listen = { host: '127.0.0.1', port: 0 };
    const coordinator = await startCoordinator({ listen, onNotice: () => undefined });
    return new SabotagedFleet(target, coordinator);
  }

  /** An agent process; `command` is what starts it, from the program to all that stands before the agent's own command line. */
  spawnAgent(command: (agent: readonly string[]) => readonly [string, ...string[]]): Spawned {
    const own = [process.execPath, LOADFLEET, 'agent', '--coordinator', this.#coordinator.address];
    const [program, ...args] = command([...own, '--id', 'victim', '--workers', '1', '--host-workers', '1']);
    return this.spawn(program, args);
  }

  /** Any other process. */
  spawn(program: string, args: readonly string[]): Spawned {
    const spawned = new Spawned(program, args);
    this.#closers.push(() => spawned.end());
    return spawned;
  }

  /** An agent in this process whose worker thread runs `entry`. */
  runAgentWith(entry: URL): void {
    const orphaned = new AbortController();
    const ended = runAgent({
      endpoint: { address: this.#coordinator.address, security: { kind: 'loopback' } },
      agentId: 'victim',
      region: null,
      labels: {},
      workers: 1,
      hostWorkers: 1,
      startCrew: createStartCrew({ entry }),
      leave: new AbortController().signal,
      orphaned: orphaned.signal,
      onJoined: () => undefined,
      onNotice: () => undefined,
    });
    this.#closers.push(() => {
      orphaned.abort();
      return ended;
    });
  }

  /** Runs a plan on the agent and gives the value of `result.json`. */
  async run({ ratePerSecond, durationNs, overrides = {} }: SabotagedPlan): Promise<ResultValue> {
    const base = createPlan({ targetUrl: this.target.url, ratePerSecond, durationNs });
    const fleet = { ...base.fleet, pacing: 'auto' as const };
    const plan = { ...base, fleet, ...overrides };
    const bundle = { plan, blobs: new Map(), effectiveYaml: 'name: test\n', secrets: [] };
    const { record, merge, blobs } = await this.#coordinator.startRun({ bundle, command: 'test' }).ended;
    return buildRunResult(record, merge, blobs).value;
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
    await this.#coordinator.close('the test is over', 0);
    await this.target.close();
  }
}

/** One gate of a result. */
export function gateOf({ verdict }: ResultValue, name: string): Gate {
  const gate = verdict.gates.find((one) => one.name === name);
  if (gate === undefined) throw new Error(`no gate ${name}`);
  return gate;
}
