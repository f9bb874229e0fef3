/**
 * Names of the gauges that agents and their workers send with reports, so that who samples and who judges mean the same. A value
 * is of one window; one that could not be read is null, never 0. Gauges marked "adds up" are integers whose sum has a meaning.
 */

/** Of an agent's process and its host, sampled on its main thread. */
export const HOST_GAUGES = [
  /** CPU time of the host in ticks, all cores: all of it, busy, taken by a hypervisor. Add up. */
  'hostCpuTicks',
  'hostCpuBusyTicks',
  'hostCpuStealTicks',
  /** Largest share of steal in 100 ms. */
  'hostCpuStealPeakShare',
  /** CPU time of the agent's process, all threads, ns. Adds up. */
  'processCpuNs',
  /** Throttled periods and time, ns, of its cgroup and all ancestors. Add up. */
  'cgroupThrottledPeriods',
  'cgroupThrottledNs',
  /** Cores that the tightest cgroup quota leaves; no sample where there is none. */
  'cgroupQuotaCores',
  /** TCP segments of the host, sent and sent again. Add up. */
  'tcpSegmentsSent',
  'tcpSegmentsRetransmitted',
  /** 1 when the target is reached over loopback, 0 when over a card. */
  'networkIsLoopback',
  /** Of the card that leads to the target, all processes together: bytes, and frames damaged or dropped for want of room. Add up. */
  'networkBytesSent',
  'networkBytesReceived',
  'networkProblems',
  /** Bits per second of its busier direction as a share of its speed; no sample where the system does not tell its speed. */
  'networkUseShare',
  /** Resident memory, bytes. */
  'memoryBytes',
  'fileHandles',
  /** No sample where there is no limit. */
  'fileHandleLimit',
  /** TCP sockets of the host by state. */
  'socketsInUse',
  'socketsTimeWait',
  'socketsOrphan',
  /** Local ports for outgoing connections: all, and taken. */
  'localPortsTotal',
  'localPortsTaken',
  /** Longest lateness of the main thread's own 100 ms timer, ns. */
  'mainThreadLateNs',
  /** Length of the stretch that was sampled, ns. Adds up. */
  'sampledNs',
] as const;

/** Of one worker, by its own accounting. */
export const WORKER_GAUGES = [
  /** Highest number of requests with the client, and waiting above `maxInFlight`. */
  'inFlightMax',
  'queueMax',
  /** Margin of the hybrid pacing, ns. */
  'pacingMarginNs',
  /** Time the loop was at work, and all of its time, ns. Add up. */
  'loopBusyNs',
  'loopTotalNs',
  /** The first as a share of the second. */
  'loopBusyShare',
  /** Longest time between two turns of the loop, ns. */
  'loopGapMaxNs',
  /** Longest garbage collection, and all of them, ns. The second adds up. */
  'gcPauseMaxNs',
  'gcPauseTotalNs',
] as const;

/**
 * Of one worker and one counted closed loop: run time at which a request of phase `phase` last ended, ns. A sample only where one has ended
 * since the one before; what was given up at the end of the run has no end.
 */
export function lastEndGauge(phase: number): LastEndGauge {
  return `lastEndNs.${phase}`;
}

type LastEndGauge = `lastEndNs.${number}`;

export type GaugeName = (typeof HOST_GAUGES)[number] | (typeof WORKER_GAUGES)[number] | LastEndGauge;
