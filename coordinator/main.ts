/**
 * A coordinator as a process: listening for a fleet, or embedded in `loadfleet run` with agents of its own on this host. The
 * embedded fleet goes the same way over loopback as any other (design §8).
 */
import { availableParallelism } from 'node:os';
import { FleetError } from '../shared/fleet-error.ts';
import type { ListenAddress } from '../shared/listen-address.ts';
import { hostTimekeeper, repeatEvery } from '../shared/time/timekeeper.ts';
import { Coordinator } from './coordinator.ts';
import { AgentProcesses } from './embedded/agent-processes.ts';
import type { ProgressState } from './report/progress.ts';
import type { EndedRun } from './run/ended-run.ts';
import type { RunRequest } from './run/run-request.ts';
import type { StopRequests } from './run/stop-requests.ts';

/** How long agents may take to hang up once they are dismissed, ns. */
const CLOSE_PATIENCE_NS = 1_000_000_000;
/** How often progress is shown, ns. */
const PROGRESS_INTERVAL_NS = 1_000_000_000;

/** Starts a coordinator that serves agents and the Runs service. @throws FleetError `refused`, `io`. */
export function startCoordinator(options: {
  readonly listen: ListenAddress;
  readonly onNotice: (text: string) => void;
}): Promise<Coordinator> {
  return Coordinator.listen({ ...options, security: { kind: 'loopback' }, timekeeper: hostTimekeeper });
}

export interface EmbeddedRunOptions {
  readonly request: RunRequest;
  /** How to start an agent: program and arguments up to the verb `agent` included. */
  readonly agentCommand: readonly [program: string, ...args: string[]];
  /** Cores that worker threads have to themselves, one each, shared out to the agents in order; null or absent leaves them to the system. */
  readonly workerCores?: readonly number[] | null;
  readonly stops: StopRequests;
  readonly onProgress: (state: ProgressState) => void;
  readonly onNotice: (text: string) => void;
  /** The run is over; awaited before the fleet is taken down, which may take longer than a second signal leaves (R100). */
  readonly onEnded?: (ended: EndedRun) => Promise<void>;
}

/** Worker threads of each agent: the plan's, else all cores but one for the target, shared out (design §6). */
export function workersPerAgent(asked: number | null, agents: number, cores: number): number {
  return asked ?? Math.max(1, Math.floor((cores - 1) / agents));
}

/** Cores that the plan's workers are reckoned by: those at hand, or the workers' own and one for the rest. */
export function coresToShare(workerCores: readonly number[] | null): number {
  return workerCores === null ? availableParallelism() : workerCores.length + 1;
}

/** Runs a plan with a coordinator in this process and agents in processes of their own, and resolves when the run is over. */
export async function runEmbedded(options: EmbeddedRunOptions): Promise<EndedRun> {
  const { request, onNotice, workerCores = null } = options;
  const { fleet } = request.bundle.plan;
  const workers = workersPerAgent(fleet.workers, fleet.agents, coresToShare(workerCores));
  if (workerCores !== null && workers * fleet.agents !== workerCores.length) {
    throw new FleetError(
      'usage',
      `--worker-cores: ${workerCores.length} listed, ${fleet.agents} agents x ${workers} workers need ${workers * fleet.agents}`,
    );
  }
  const coordinator = await startCoordinator({ listen: { host: '127.0.0.1', port: 0 }, onNotice });
  let agents: AgentProcesses | null = null;
  let isHasty = false;
  try {
    const driver = coordinator.startRun(request);
    const unsubscribe = options.stops.subscribe((signal) => driver.stop(signal, false));
    const progress = repeatEvery(hostTimekeeper, PROGRESS_INTERVAL_NS, () => options.onProgress(driver.progress()));
    try {
      agents = new AgentProcesses({
        count: fleet.agents,
        workers,
        workerCores,
        probe: request.probe?.agentId ?? null,
        address: coordinator.address,
        command: options.agentCommand,
        timekeeper: hostTimekeeper,
        onExit: (agentId, reason) => coordinator.declareGone(agentId, reason),
      });
      const ended = await driver.ended;
      progress.cancel();
      isHasty = ended.record.end.kind === 'interrupted' && ended.record.end.abrupt;
      await options.onEnded?.(ended);
      return ended;
    } finally {
      progress.cancel();
      unsubscribe();
    }
  } finally {
    // Whoever asked twice waits for nobody's manners.
    if (isHasty) agents?.kill();
    await coordinator.close('the run is over', isHasty ? 0 : CLOSE_PATIENCE_NS);
    await agents?.ended();
  }
}
