/**
 * What a reader may think of one stretch of a run: the gates that can be asked of one stretch, asked of it alone. A stretch judges
 * nothing: the gates of the verdict look at the run, and a short stretch may fail where the run passes.
 */
import type { StretchPace } from '../merge/stretch-paces.ts';
import type { GaugeName } from '../../shared/metrics/gauges.ts';
import { type Level, levelOf } from './gate-making.ts';
import { EXPLAINING_GATES, GATES, type GateName, STEAL_PEAK_SHARE } from './thresholds-table.ts';
import type { VerdictStatus } from './verdict.ts';
import { wakeLagLevel } from './wake-lag-gate.ts';

/** What is known of one stretch. */
export interface StretchFacts {
  /** Planned against sent; null when no worker told of it. */
  readonly pace: StretchPace | null;
  /** Whether most of the lag is the fleet's own; asked only where sends were late. */
  readonly isOwnLag: () => boolean;
  /** Arrivals intended here, those of them that were dropped, and those dropped because a cap of the plan was full. */
  readonly scheduled: number;
  readonly dropped: number;
  readonly droppedByCap: number;
  /** Requests that were attempted here, and that failed here by our own fault. */
  readonly attempted: number;
  readonly generatorFailures: number;
  /** Of ok requests, ns; null without one. */
  readonly wakeLagP99Ns: number | null;
  readonly serviceP50Ns: number | null;
  readonly responseP99Ns: number | null;
  /** Highest value of a gauge over agents and workers; null when none was read. */
  readonly highest: (name: GaugeName) => number | null;
}

/** What the gates say of a stretch. */
export interface StretchVerdict {
  /** `not-measured`: nothing was planned, sent or answered here that could be judged. */
  readonly status: VerdictStatus | 'not-measured';
  /** Names of the gates that the stretch alone would break, in the order of the table. */
  readonly marks: readonly GateName[];
}

/** Asks every gate that can be asked. Gates that explain are marks only. */
export function stretchVerdict(facts: StretchFacts): StretchVerdict {
  const levels: readonly (readonly [GateName, Level])[] = [...levelsOfLoad(facts), ...levelsOfHosts(facts)];
  const broken = levels.filter(([, level]) => level !== 'pass');
  const judging = broken.filter(([name]) => !EXPLAINING_GATES.has(name));
  const isMeasured = facts.pace !== null || facts.wakeLagP99Ns !== null || facts.scheduled > 0;
  const status = judging.some(([, level]) => level === 'fail')
    ? 'invalid'
    : judging.length > 0
      ? 'degraded'
      : isMeasured
        ? 'valid'
        : 'not-measured';
  return { status, marks: broken.map(([name]) => name) };
}

function levelsOfLoad(facts: StretchFacts): readonly (readonly [GateName, Level])[] {
  const { pace, wakeLagP99Ns, serviceP50Ns, scheduled, attempted } = facts;
  const deviation = Math.max(pace?.fine?.deviation ?? 0, pace?.coarse?.deviation ?? 0);
  const shareOf = (part: number, whole: number): number => (whole === 0 ? Math.min(part, 1) : part / whole);
  const notSent = shareOf(facts.dropped, scheduled);
  return [
    ['sent-share', notSent > 1 - GATES['sent-share'].failBeyond ? 'fail' : 'pass'],
    ['wake-lag', wakeLagP99Ns === null || serviceP50Ns === null ? 'pass' : wakeLagLevel(wakeLagP99Ns, serviceP50Ns)],
    ['send-fidelity', ifOwn(facts, levelOf(deviation, GATES['send-fidelity']))],
    ['backlog', ifOwn(facts, levelOf(pace?.behindShare ?? 0, GATES.backlog))],
    ['own-waits', levelOf(facts.droppedByCap, GATES['own-waits'])],
    ['generator-failures', levelOf(shareOf(facts.generatorFailures, attempted), GATES['generator-failures'])],
  ];
}

/** Late sends are as grave as they look only where the lag is the fleet's own, as for the run. */
function ifOwn({ isOwnLag }: StretchFacts, level: Level): Level {
  return level === 'fail' && !isOwnLag() ? 'warn' : level;
}

function levelsOfHosts({ highest, responseP99Ns }: StretchFacts): readonly (readonly [GateName, Level])[] {
  const warnAbove = (name: GaugeName, limit: number): Level => ((highest(name) ?? 0) > limit ? 'warn' : 'pass');
  return [
    ['loop-busy', levelOf(highest('loopBusyShare') ?? 0, GATES['loop-busy'])],
    ['cpu-steal', warnAbove('hostCpuStealPeakShare', STEAL_PEAK_SHARE)],
    [
      'cpu-throttled',
      warnAbove('cgroupThrottledNs', 0) === 'pass'
        ? warnAbove('cgroupThrottledPeriods', GATES['cpu-throttled'].warnBeyond)
        : 'warn',
    ],
    [
      'gc-pause',
      responseP99Ns === null ? 'pass' : warnAbove('gcPauseMaxNs', responseP99Ns * GATES['gc-pause'].warnBeyond),
    ],
  ];
}
