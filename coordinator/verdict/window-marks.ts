/**
 * Which stretches of a run a reader should not trust by themselves: the gates that can be asked of one stretch, asked of it alone.
 * Marks judge nothing: a gate looks at the run, and a short stretch may fail where the run passes.
 */
import type { GaugeName } from '../../shared/metrics/gauges.ts';
import { GATES, type GateName, STEAL_PEAK_SHARE, WAKE_LAG_SLACK_NS } from './thresholds-table.ts';

/** What is known of one stretch. */
export interface StretchFacts {
  /** A worker was behind its plan. */
  readonly isBehind: boolean;
  /** Of ok requests, ns; null without one. */
  readonly wakeLagP99Ns: number | null;
  readonly serviceP50Ns: number | null;
  readonly responseP99Ns: number | null;
  /** Highest value of a gauge over agents and workers; null when none was read. */
  readonly highest: (name: GaugeName) => number | null;
}

/** Names of the gates that mark the stretch, in the order of the table. */
export function windowMarks(facts: StretchFacts): readonly GateName[] {
  const isAbove = (name: GaugeName, limit: number): boolean => (facts.highest(name) ?? 0) > limit;
  const marks: readonly (readonly [GateName, boolean])[] = [
    ['wake-lag', isLate(facts)],
    ['backlog', facts.isBehind],
    ['loop-busy', isAbove('loopBusyShare', GATES['loop-busy'].warnBeyond)],
    ['cpu-steal', isAbove('hostCpuStealPeakShare', STEAL_PEAK_SHARE)],
    ['cpu-throttled', isAbove('cgroupThrottledPeriods', GATES['cpu-throttled'].warnBeyond)],
    [
      'gc-pause',
      facts.responseP99Ns !== null && isAbove('gcPauseMaxNs', facts.responseP99Ns * GATES['gc-pause'].warnBeyond),
    ],
  ];
  return marks.filter(([, isMarked]) => isMarked).map(([name]) => name);
}

function isLate({ wakeLagP99Ns, serviceP50Ns }: StretchFacts): boolean {
  if (wakeLagP99Ns === null || serviceP50Ns === null) return false;
  return wakeLagP99Ns > Math.max(serviceP50Ns * GATES['wake-lag'].failBeyond, WAKE_LAG_SLACK_NS);
}
