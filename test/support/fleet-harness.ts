/** A coordinator and agents in the test's own process, over real loopback connections; workers are fake. */
import type { TestContext } from 'vitest';
import { type AgentEnd, type AgentOptions, runAgent } from '../../agent/main.ts';
import type { Coordinator } from '../../coordinator/coordinator.ts';
import { startCoordinator } from '../../coordinator/main.ts';
import type { RunRequest } from '../../coordinator/run/run-request.ts';
import { COUNTER } from '../../shared/metrics/counters.ts';
import type { RunMerge } from '../../coordinator/merge/run-merge.ts';
import type { FleetShape, Plan } from '../../shared/plan/plan.ts';
import { FakeCrewBooks, fakeCrew, type FakeCrewOptions } from './fake-crew.ts';
import { createPlan } from './plan-fixture.ts';

/** One agent of a harness. */
export interface HarnessAgent {
  readonly books: FakeCrewBooks;
  readonly ended: Promise<AgentEnd>;
  readonly notices: string[];
  /** How often a coordinator has taken it in. */
  joins(): number;
  leave(): void;
  orphan(): void;
}

export class FleetHarness {
  readonly coordinator: Coordinator;
  readonly notices: string[];
  readonly #agents: HarnessAgent[] = [];

  private constructor(coordinator: Coordinator, notices: string[]) {
    this.coordinator = coordinator;
    this.notices = notices;
  }

  static async start(port = 0): Promise<FleetHarness> {
    const notices: string[] = [];
    const coordinator = await startCoordinator({
      listen: { host: '127.0.0.1', port },
      onNotice: (text) => notices.push(text),
    });
    return new FleetHarness(coordinator, notices);
  }

  /** Port the coordinator listens on. */
  get port(): number {
    return Number(this.coordinator.address.split(':').at(-1));
  }

  /** Starts an agent that dials `address` (default: the coordinator itself). */
  addAgent(
    options: Partial<Pick<AgentOptions, 'agentId' | 'workers'>> &
      Omit<FakeCrewOptions, 'books'> & { readonly address?: string } = {},
  ): HarnessAgent {
    const books = new FakeCrewBooks();
    const notices: string[] = [];
    let joins = 0;
    const leave = new AbortController();
    const orphaned = new AbortController();
    const ended = runAgent({
      endpoint: { address: options.address ?? this.coordinator.address, security: { kind: 'loopback' } },
      agentId: options.agentId ?? `agent-${this.#agents.length + 1}`,
      region: null,
      labels: {},
      workers: options.workers ?? 1,
      hostWorkers: null,
      startCrew: fakeCrew({ ...options, books }),
      leave: leave.signal,
      orphaned: orphaned.signal,
      onJoined: () => {
        joins += 1;
      },
      onNotice: (text) => notices.push(text),
    });
    const agent = {
      books,
      ended,
      notices,
      joins: () => joins,
      leave: () => leave.abort(),
      orphan: () => orphaned.abort(),
    };
    this.#agents.push(agent);
    return agent;
  }

  get agents(): readonly HarnessAgent[] {
    return this.#agents;
  }

  /** Ends everything that is still there. */
  async close(): Promise<void> {
    for (const agent of this.#agents) agent.orphan();
    await Promise.all(this.#agents.map((agent) => agent.ended));
    await this.coordinator.close('the test is over', 0);
  }
}

/** A fleet that ends with the test. */
export async function fleetOf(context: TestContext): Promise<FleetHarness> {
  const fleet = await FleetHarness.start();
  context.onTestFinished(() => fleet.close());
  return fleet;
}

/** Fleet and coordinator share one event loop here, which a busy machine may hold up for longer than the usual half second, ns. */
const START_LEAD_NS = 1_500_000_000;

/** A request to run `durationNs` on as many agents as `fleet` says. */
export function requestOf(durationNs: number, fleet: Partial<FleetShape>): RunRequest {
  const base: Plan = createPlan({ durationNs });
  const plan = { ...base, fleet: { ...base.fleet, workers: null, startLeadNs: START_LEAD_NS, ...fleet } };
  return { bundle: { plan, blobs: new Map(), effectiveYaml: '', secrets: [] }, command: 'test' };
}

/** `ok` over all senders of a merge. */
export function okIn(merge: RunMerge): number {
  return merge.senders.reduce((sum, sender) => sum + (sender.total()[COUNTER.ok] as number), 0);
}

/** Samples that the workers of all agents gave away. */
export function handedOver(fleet: FleetHarness): number {
  return fleet.agents.reduce((sum, agent) => sum + agent.books.handedOver, 0);
}
