/** Evidence on a harness that did everything right, and pieces of it, for tests of the gates. */
import type { GaugeSummary } from '../../coordinator/merge/telemetry-sums.ts';
import { TelemetrySums } from '../../coordinator/merge/telemetry-sums.ts';
import type { HarnessEvidence } from '../../coordinator/verdict/harness-gates.ts';
import { createBinSums } from '../../shared/metrics/fidelity.ts';
import type { GaugeName } from '../../shared/metrics/gauges.ts';

/** Gauges by name: values of one sample each, of one worker (`loop...`, `gc...`) or of the agent; null = could not be read. */
export function gaugesOf(values: Partial<Record<GaugeName, number | null>>, agentId = 'agent-1'): GaugeSummary[] {
  const sums = new TelemetrySums();
  for (const [name, value] of Object.entries(values)) {
    const slot = name.startsWith('loop') || name.startsWith('gc') ? 0 : null;
    sums.add(agentId, { window: 0, slot, name, value: value ?? null });
  }
  return [...sums.summaries()];
}

/** A quiet host and a quiet worker. */
export const QUIET: Partial<Record<GaugeName, number | null>> = {
  hostCpuTicks: 1000,
  hostCpuStealTicks: 0,
  hostCpuStealPeakShare: 0,
  cgroupThrottledPeriods: 0,
  cgroupThrottledNs: 0,
  tcpSegmentsSent: 100_000,
  tcpSegmentsRetransmitted: 0,
  fileHandles: 50,
  fileHandleLimit: 1024,
  localPortsTotal: 28_232,
  localPortsTaken: 100,
  loopBusyNs: 200_000_000,
  loopTotalNs: 1_000_000_000,
  gcPauseMaxNs: 300_000,
};

/** Everything as it should be. */
export function cleanHarness(changes: Partial<HarnessEvidence> = {}): HarnessEvidence {
  const bins = { ...createBinSums(), bins: 10_000, planned: 1000, plannedSquares: 1100, sent: 1000, sentSquares: 1100 };
  const backlog = { edges: 100, edgesAbove: 0, max: 1 };
  return {
    fidelity: {
      slots: [
        {
          slot: 0,
          phase: 0,
          fine: bins,
          coarse: { ...bins, bins: 1000, plannedSquares: 2000, sentSquares: 2000 },
          backlog,
        },
      ],
      fleet: [],
      phaseName: () => 'load',
      isOwnLag: true,
    },
    times: { requests: 1000, responseNs: 1e10, wakeLagNs: 2e7, ownWaitNs: 0, waitNs: 1e6 },
    loopGaps: [{ agentId: 'agent-1', p999Ns: 100_000, longestNs: 400_000 }],
    responseP99Ns: 20_000_000,
    gauges: gaugesOf(QUIET),
    connections: [{ agentId: 'agent-1', perSecond: 1 }],
    waits: { queued: 0, forStream: 0, dropped: 0, behindDecoding: 0 },
    generatorFailures: { count: 0, attempted: 1000, details: [] },
    ...changes,
  };
}
