/**
 * The plan against what this host allows, before anything is sent (R032): a warning before, not an excuse after. It never refuses
 * a run: limits that are never reached harm nobody.
 */
import type { Plan } from '../../shared/plan/plan.ts';
import type { HostLimits } from '../telemetry/host-limits.ts';

/** Warnings for `workers` worker threads of this agent, `hostWorkers` of the run on this host; empty when all fits. */
export function preflight(plan: Plan, workers: number, hostWorkers: number, host: HostLimits): string[] {
  const warnings: string[] = [];
  const each = Math.min(plan.limits.connections, connectionsFor(plan.limits.maxInFlight, plan));
  const connections = each * workers;
  const free = host.fileHandles === null ? Infinity : host.fileHandles - (host.fileHandlesOpen ?? 0);
  if (connections > free) {
    warnings.push(
      `pre-flight: up to ${connections} connections (${each} for each of ${workers} workers), but only ${free} of ` +
        `${host.fileHandles ?? 0} file handles are free; raise the limit (ulimit -n) or lower limits.connections`,
    );
  }
  const onHost = each * hostWorkers;
  if (host.localPorts !== null && onHost > host.localPorts) {
    warnings.push(
      `pre-flight: up to ${onHost} connections from this host, but only ${host.localPorts} local ports to one address; ` +
        'lower limits.connections or use more hosts',
    );
  }
  if (hostWorkers > host.cores) {
    warnings.push(`pre-flight: ${hostWorkers} worker threads on ${host.cores} cores will wait for each other`);
  }
  if (host.quotaCores !== null && host.quotaCores < hostWorkers) {
    warnings.push(
      `pre-flight: a cgroup quota leaves ${host.quotaCores} cores to ${hostWorkers} worker threads: they will be throttled`,
    );
  }
  return warnings;
}

/** Connections that so many requests in flight can need. */
function connectionsFor(maxInFlight: number, plan: Plan): number {
  return plan.target.httpVersion === '2' ? 1 : maxInFlight;
}
