/** The battery of M§9.2 and the fidelity of M§3 in the order of the report: what shows, or explains, that the harness was a bottleneck. */
import type { GaugeSummary } from '../merge/telemetry-sums.ts';
import { backlogGate } from './backlog-gate.ts';
import { cpuStealGate } from './cpu-steal-gate.ts';
import { cpuThrottledGate } from './cpu-throttled-gate.ts';
import { fileHandlesGate } from './file-handles-gate.ts';
import { gcPauseGate } from './gc-pause-gate.ts';
import { type GeneratorFailures, generatorFailuresGate } from './generator-failures-gate.ts';
import { lagShareGate, type TimeSums } from './lag-share-gate.ts';
import { localPortsGate } from './local-ports-gate.ts';
import { loopBusyGate } from './loop-busy-gate.ts';
import { type AgentLoopGap, loopGapGate } from './loop-gap-gate.ts';
import { networkCardGate } from './network-card-gate.ts';
import { type AgentConnections, newConnectionsGate } from './new-connections-gate.ts';
import { type OwnWaits, ownWaitsGate } from './own-waits-gate.ts';
import { retransmitsGate } from './retransmits-gate.ts';
import { type FidelityEvidence, sendFidelityGate } from './send-fidelity-gate.ts';
import type { Gate } from './verdict.ts';

/** What these gates are made from. */
export interface HarnessEvidence {
  readonly fidelity: FidelityEvidence;
  readonly times: TimeSums;
  readonly loopGaps: readonly AgentLoopGap[];
  /** p99 of response of ok requests in the measured phases; null when none was ok. */
  readonly responseP99Ns: number | null;
  /** Over the whole run. */
  readonly gauges: readonly GaugeSummary[];
  readonly connections: readonly AgentConnections[];
  readonly waits: OwnWaits;
  readonly generatorFailures: GeneratorFailures;
}

/** All of them. */
export function harnessGates(evidence: HarnessEvidence): readonly Gate[] {
  const { gauges, responseP99Ns } = evidence;
  return [
    lagShareGate(evidence.times),
    sendFidelityGate(evidence.fidelity),
    backlogGate(evidence.fidelity),
    loopGapGate(evidence.loopGaps, responseP99Ns),
    loopBusyGate(gauges),
    ownWaitsGate(evidence.waits),
    generatorFailuresGate(evidence.generatorFailures),
    newConnectionsGate(evidence.connections, gauges),
    fileHandlesGate(gauges),
    localPortsGate(gauges),
    cpuStealGate(gauges),
    cpuThrottledGate(gauges),
    gcPauseGate(gauges, responseP99Ns),
    retransmitsGate(gauges),
    networkCardGate(gauges),
  ];
}
