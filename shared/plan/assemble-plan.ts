/** Puts a plan together: what its sections say, with the defaults that follow from other sections, and the parts that had to be built. */
import type { DataRows, Limits, Phase, Plan, RequestTemplate, Scrape, Target } from './plan.ts';
import type { PlanText } from './plan-grammar.ts';
import type { TargetText } from './target-grammar.ts';

/** What is not in the plan's text as it is. */
export interface PlanParts {
  readonly seed: bigint;
  readonly targetUrl: string;
  /** `direct`, or a proxy's URL. */
  readonly proxy: string;
  readonly requests: readonly RequestTemplate[];
  readonly data: DataRows | null;
  readonly phases: readonly Phase[];
  readonly scrapes: readonly Scrape[];
}

/** The plan of `text` and `parts`; `defaultName` where the text has none. */
export function assemblePlan(text: PlanText, defaultName: string, parts: PlanParts): Plan {
  return {
    name: text.name ?? defaultName,
    seed: parts.seed,
    laneCount: text.lanes,
    target: targetOf(text.target.value, parts),
    requests: parts.requests,
    data: parts.data,
    phases: parts.phases,
    limits: limitsOf(text.limits),
    fleet: fleetOf(text.fleet),
    slo: text.slo,
    thresholds: text.thresholds,
    failOn: text.failOn,
    scrapes: parts.scrapes,
    output: { directory: text.output.dir, quiet: text.output.quiet, perRequestLimit: text.output.perRequest },
  };
}

function targetOf(target: TargetText, { targetUrl, proxy }: PlanParts): Target {
  return {
    url: targetUrl,
    client: target.client,
    identify: target.identify,
    tlsServerName: target.tls.serverName,
    insecure: target.tls.insecure,
    connectTo: target.connectTo,
    proxy,
    httpVersion: target.http,
  };
}

function limitsOf(limits: PlanText['limits']): Limits {
  return {
    maxInFlight: limits.maxInFlight,
    maxQueue: limits.maxQueue,
    connections: limits.connections ?? limits.maxInFlight,
    connectionAgeNs: limits.connectionAge,
    timeoutNs: limits.timeout,
    idleTimeoutNs: limits.idleTimeout,
    drainNs: limits.drain ?? limits.timeout,
    phaseGraceNs: limits.phaseGrace,
    late: limits.late,
  };
}

function fleetOf(fleet: PlanText['fleet']): Plan['fleet'] {
  return {
    agents: fleet.agents,
    workers: fleet.workers,
    pacing: fleet.pacing,
    leaseNs: fleet.lease,
    onAgentLoss: fleet.onAgentLoss,
    startLeadNs: fleet.startLead,
    armTimeoutNs: fleet.armTimeout,
  };
}
