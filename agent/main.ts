/**
 * An agent process: joins a coordinator, serves one run after the other, and ends when it is dismissed, refused, told to leave,
 * or orphaned. The one place of the agent that builds the real clock, threads and sockets.
 */
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { FleetError } from '../shared/fleet-error.ts';
import type { AgentIdentity } from '../shared/rpc/control-message.ts';
import { type FleetEndpoint, fetchBlob } from '../shared/rpc/fleet-client.ts';
import { randomId, randomShare } from '../shared/rpc/random-id.ts';
import { goldenScheduleDigest } from '../shared/schedule/golden-schedule.ts';
import { hostTimekeeper } from '../shared/time/timekeeper.ts';
import { LOADFLEET_VERSION } from '../shared/version.ts';
import { AgentSession } from './session/agent-session.ts';
import type { StartCrew } from './session/worker-crew.ts';
import { findCard } from './telemetry/find-card.ts';
import { readHostLimits } from './telemetry/host-limits.ts';
import { HostSampler, type ProcessFacts } from './telemetry/host-sampler.ts';
import { HostFiles } from './telemetry/text-source.ts';
import { WindowTelemetry } from './telemetry/window-telemetry.ts';
import { BlobCache } from './uplink/blob-cache.ts';
import { ControlLink, type LinkOver } from './uplink/control-link.ts';
import { fetchAgain } from './uplink/fetch-again.ts';
import { ReportLink } from './uplink/report-link.ts';

/** How long an agent that was told to leave tries to get its last reports out, ns: drain, final report and a reconnect. */
const LEAVE_TIMEOUT_NS = 8_000_000_000;

/** How to run an agent. */
export interface AgentOptions {
  readonly endpoint: FleetEndpoint;
  /** Name of the agent in the report, unique in the fleet; null = made up. */
  readonly agentId: string | null;
  readonly region: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** Worker threads offered; null = one for each core but one. */
  readonly workers: number | null;
  /** Worker threads of the whole run on this host, those of other agents included; null = its own. */
  readonly hostWorkers: number | null;
  /** Cores on this machine that workers have to themselves, and this process was started without or keeps off. */
  readonly coresApart?: number;
  readonly startCrew: StartCrew;
  /** Told to go: a running share is stopped, drained shortly and reported, then the agent ends. */
  readonly leave: AbortSignal;
  /** The parent is gone: everything stops at once. */
  readonly orphaned: AbortSignal;
  /** A coordinator took the agent in, for the first time or again. */
  readonly onJoined: (coordinatorId: string) => void;
  /** One line for an operator. */
  readonly onNotice: (text: string) => void;
}

const ownProcess: ProcessFacts = {
  cpuNs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) * 1e3;
  },
  memoryBytes: () => {
    try {
      return process.memoryUsage.rss();
    } catch {
      // Out of file handles: it opens one.
      return null;
    }
  },
};

/** Why an agent ended. */
export type AgentEnd = LinkOver | { readonly kind: 'left' } | { readonly kind: 'orphaned' };

/** Runs an agent until it ends; never rejects for anything the coordinator or the network does. */
export async function runAgent(options: AgentOptions): Promise<AgentEnd> {
  const { endpoint, onNotice } = options;
  const cores = availableParallelism() + (options.coresApart ?? 0);
  const workers = options.workers ?? Math.max(1, cores - 1);
  if (!(workers >= 1)) throw new FleetError('usage', `workers: ${workers} is below the least of 1`);
  const identity = identityOf(options, workers, cores);
  const files = new HostFiles();
  const over = Promise.withResolvers<AgentEnd>();
  let leaving = false;

  const session = new AgentSession({
    sender: identity,
    timekeeper: hostTimekeeper,
    startCrew: options.startCrew,
    blobs: new BlobCache(fetchAgain((blob) => fetchBlob(endpoint, blob), hostTimekeeper, randomShare)),
    workers,
    host: readHostLimits(files, cores),
    hostWorkers: options.hostWorkers ?? workers,
    telemetry: telemetryOf(files),
    send: (message) => control.send(message),
    onReports: () => reports.pump(),
    onTrial: () => reports.restart(),
    onIdle: () => {
      if (leaving) over.resolve({ kind: 'left' });
    },
    onNotice,
  });
  const reports = new ReportLink({
    endpoint,
    timekeeper: hostTimekeeper,
    randomShare,
    waitingAfter: (seq) => session.waitingAfter(seq),
    onAck: (ack) => session.onAck(ack),
    onNotice,
  });
  const control = new ControlLink({
    endpoint,
    identity,
    timekeeper: hostTimekeeper,
    randomShare,
    handlers: {
      currentRun: () => session.currentRun,
      askLease: () => session.askLease(),
      leaseNs: () => session.leaseNs,
      onLease: (seq, leaseNs) => session.onLease(seq, leaseNs),
      onWelcome: (coordinatorId) => {
        options.onJoined(coordinatorId);
        session.onWelcome();
      },
      onOrder: (order) => session.onOrder(order),
      onOver: (end) => over.resolve(end),
      onNotice,
    },
  });
  const leave = (): void => {
    leaving = true;
    if (session.state.kind === 'idle') {
      over.resolve({ kind: 'left' });
      return;
    }
    session.leave('the agent was told to leave');
    hostTimekeeper.after(LEAVE_TIMEOUT_NS, () => over.resolve({ kind: 'left' }));
  };
  onceAborted(options.leave, leave);
  onceAborted(options.orphaned, () => over.resolve({ kind: 'orphaned' }));

  const end = await over.promise;
  await session.shutdown();
  control.close();
  reports.close();
  return end;
}

function telemetryOf(files: HostFiles): WindowTelemetry {
  return new WindowTelemetry(hostTimekeeper, new HostSampler(files, ownProcess), (target) => findCard(files, target));
}

function identityOf(options: AgentOptions, workers: number, cores: number): AgentIdentity {
  return {
    agentId: options.agentId ?? randomId('agent'),
    incarnation: randomId('start'),
    region: options.region,
    labels: options.labels,
    cores,
    workers,
    nodeVersion: process.version,
    loadfleetVersion: LOADFLEET_VERSION,
    goldenDigest: goldenScheduleDigest((bytes) => createHash('sha256').update(bytes).digest('hex')),
  };
}

function onceAborted(signal: AbortSignal, callback: () => void): void {
  if (signal.aborted) callback();
  else signal.addEventListener('abort', callback, { once: true });
}
