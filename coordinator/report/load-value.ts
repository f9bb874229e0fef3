/**
 * What a phase asked and what its numbers cannot be read for, as `result.json` and the summary show it; and the throughput of loads that
 * have no rate of their own. The modes are kept apart: a closed loop or a batch never looks like arrivals of users (R058).
 */
import { COUNTER } from '../../shared/metrics/counters.ts';
import { type LoadMode, modeOf, notShownBy } from '../../shared/plan/load-mode.ts';
import type { Phase } from '../../shared/plan/plan.ts';
import { perSecondOver, type ScopeData } from './scope-data.ts';

/** The part of a phase about its load. */
export interface LoadValue {
  readonly mode: LoadMode;
  /** What this mode does not show, in words; null for the open loop. */
  readonly notShown: string | null;
  /** Null but for a closed loop. */
  readonly closed: ClosedValue | null;
  /** Null but for everything at once. */
  readonly offline: OfflineValue | null;
}

/** A closed loop. */
export interface ClosedValue {
  /** Slots over the fleet. */
  readonly concurrency: number;
  readonly thinkNs: number;
  /** Requests at most; null = as many as the target answers in the phase. */
  readonly count: number | null;
  /** Times a slot paused because its request had not reached the target. */
  readonly pauses: number;
  /** Slots / (mean response + think) over ended requests: what the loop settles at; null when none ended, when slots paused, or when an agent or worker was lost. */
  readonly cyclesPerSecond: number | null;
}

/** Everything at once. */
export interface OfflineValue {
  /** From the start to the last end, ns; null when nothing ended. */
  readonly lengthNs: number | null;
  /** ok / length. */
  readonly okPerSecond: number | null;
}

/** The load of a phase with its data; `isWhole`: no agent and no worker was lost. */
export function loadValue({ arrivals }: Phase, data: ScopeData, isWhole: boolean): LoadValue {
  const mode = modeOf(arrivals);
  return {
    mode,
    notShown: notShownBy(mode),
    closed: arrivals.kind === 'closed' ? closedValue(arrivals, data, isWhole) : null,
    offline: arrivals.kind === 'all-at-once' ? offlineValue(data) : null,
  };
}

function closedValue(
  {
    concurrency,
    thinkNs,
    count,
  }: { readonly concurrency: number; readonly thinkNs: number; readonly count: number | null },
  data: ScopeData,
  isWhole: boolean,
): ClosedValue {
  const ended = data.pooled('response');
  const cycleNs = ended.isEmpty() ? null : Number(ended.sum) / ended.count + thinkNs;
  const pauses = data.cell[COUNTER['closed-pauses']] as number;
  const slots = Math.min(concurrency, count ?? Infinity);
  return {
    concurrency,
    thinkNs,
    count,
    pauses,
    cyclesPerSecond: !isWhole || pauses > 0 || cycleNs === null || cycleNs === 0 ? null : (slots * 1e9) / cycleNs,
  };
}

/** All were intended at the start, so the longest response is the time to the last end. */
function offlineValue(data: ScopeData): OfflineValue {
  const { max } = data.pooled('response');
  return {
    lengthNs: max,
    okPerSecond: max === null || max === 0 ? null : perSecondOver(data.accounting.ok, max),
  };
}
