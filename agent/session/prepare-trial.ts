/** What an agent does with the order to arm before its workers hear of it: checks it, reads the plan, fetches its files, chooses the pacing. */
import { createHash } from 'node:crypto';
import { FleetError } from '../../shared/fleet-error.ts';
import { planBlobs } from '../../shared/plan/plan-blobs.ts';
import { planFromJson } from '../../shared/plan/plan-json.ts';
import { waitsPerSecond } from '../../shared/plan/waits-per-second.ts';
import type { Arm } from '../../shared/rpc/control-message.ts';
import type { HostLimits } from '../telemetry/host-limits.ts';
import type { BlobCache } from '../uplink/blob-cache.ts';
import { resolvePacing } from './resolve-pacing.ts';
import type { TrialInput } from './trial-work.ts';

/** The agent and its host. */
export interface Preparation {
  readonly blobs: BlobCache;
  /** Worker threads offered. */
  readonly workers: number;
  /** What the host allows, and worker threads of the whole run on it. */
  readonly host: HostLimits;
  readonly hostWorkers: number;
}

/**
 * The run that `arm` orders, ready for workers.
 * @throws FleetError `refused` when it is for more workers than there are, `protocol` when the plan came damaged, and as reading the plan and
 * fetching its files do.
 */
export async function prepareTrial(arm: Arm, { blobs, workers, host, hostWorkers }: Preparation): Promise<TrialInput> {
  if (arm.grants.length > workers) {
    throw new FleetError('refused', `${arm.grants.length} worker slots, this agent offers ${workers}`);
  }
  const digest = createHash('sha256').update(arm.planJson).digest('hex');
  if (digest !== arm.planSha256) {
    throw new FleetError('protocol', `the plan has SHA-256 ${digest}, the order says ${arm.planSha256}`);
  }
  const plan = planFromJson(arm.planJson);
  const onHost = Math.max(hostWorkers, arm.grants.length);
  const waits = (waitsPerSecond(plan) * onHost) / Math.max(onHost, arm.workerSlots);
  return {
    arm,
    plan,
    blobs: await blobs.provide(planBlobs(plan)),
    pacing: resolvePacing(plan.fleet.pacing, { workers: onHost, waitsPerSecond: waits }, host),
  };
}
