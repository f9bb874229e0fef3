/**
 * What agents and the coordinator say to each other on the Control stream, as domain values: everything beyond `shared/rpc`
 * sees these unions and never a generated message. Field meanings are those of proto/loadfleet/v1/control.proto.
 */

/** One trial of one run. */
export interface RunKey {
  readonly runId: string;
  readonly trial: number;
}

/** True when both name the same trial of the same run. */
export function isSameRun(a: RunKey, b: RunKey): boolean {
  return a.runId === b.runId && a.trial === b.trial;
}

/** A run as people read it in messages. */
export function runText(run: RunKey): string {
  return run.trial === 0 ? `run ${run.runId}` : `run ${run.runId} trial ${run.trial}`;
}

/** Who an agent is and what it offers. */
export interface AgentIdentity {
  readonly agentId: string;
  /** New for each start of the process; a reconnect keeps it. */
  readonly incarnation: string;
  readonly region: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly cores: number;
  /** Worker threads offered. */
  readonly workers: number;
  readonly nodeVersion: string;
  readonly loadfleetVersion: string;
  /** SHA-256 of the golden schedule as this host computes it (M§1.3). */
  readonly goldenDigest: string;
}

/** The first message of an agent on each Control stream. */
export interface Join extends AgentIdentity {
  readonly kind: 'join';
  readonly protocol: number;
  /** The run it is in; null when idle. */
  readonly current: RunKey | null;
}

/** Lanes given to one worker slot (design §3). */
export interface Grant {
  readonly slot: number;
  /** Lane numbers, ascending. */
  readonly lanes: Int32Array;
  /** Grows with every re-deal of the slot's lanes. */
  readonly epoch: number;
  /** Arrivals intended before this belong to an earlier grant. */
  readonly fromNs: number;
}

/** What an agent needs to get ready for a run. */
export interface Arm {
  readonly kind: 'arm';
  readonly run: RunKey;
  /** The plan as canonical JSON. */
  readonly planJson: Uint8Array;
  /** SHA-256 of `planJson`, 64 hex digits. */
  readonly planSha256: string;
  /** One for each of the agent's worker threads that takes part. */
  readonly grants: readonly Grant[];
  /** Worker slots of the whole fleet. */
  readonly workerSlots: number;
  /** Lanes S of the plan. */
  readonly laneCount: number;
}

/** From an agent. */
export type AgentMessage =
  | Join
  | {
      readonly kind: 'probe-answer';
      readonly id: number;
      readonly receivedAgentClockNs: number;
      readonly answeredAgentClockNs: number;
    }
  | { readonly kind: 'heartbeat'; readonly seq: number }
  | { readonly kind: 'armed'; readonly run: RunKey; readonly clientName: string; readonly pacing: string }
  | { readonly kind: 'arm-refused'; readonly run: RunKey; readonly reason: string }
  | { readonly kind: 'started'; readonly run: RunKey; readonly aheadNs: number }
  | { readonly kind: 'start-refused'; readonly run: RunKey; readonly reason: string }
  | { readonly kind: 'draining'; readonly run: RunKey; readonly reason: string }
  | { readonly kind: 'leave'; readonly reason: string };

/** From the coordinator. */
export type CoordinatorMessage =
  | {
      readonly kind: 'welcome';
      /** New for each start of a coordinator process. */
      readonly coordinatorId: string;
      readonly protocol: number;
      readonly heartbeatIntervalNs: number;
    }
  | { readonly kind: 'refusal'; readonly reason: string }
  | { readonly kind: 'probe'; readonly id: number }
  | { readonly kind: 'lease'; readonly seq: number; readonly leaseNs: number }
  | Arm
  | { readonly kind: 'start'; readonly run: RunKey; readonly t0AgentClockNs: number }
  | { readonly kind: 'stop'; readonly run: RunKey; readonly drainNs: number; readonly reason: string }
  | { readonly kind: 'release'; readonly run: RunKey; readonly reason: string }
  | { readonly kind: 'dismiss'; readonly reason: string };
