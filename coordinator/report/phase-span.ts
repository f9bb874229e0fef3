/** How long phases were on, which is less than their scheduled length where a run was stopped: what its counts are turned into rates by. */
import type { Phase } from '../../shared/plan/plan.ts';
import { rateLengthNs } from '../../shared/plan/rate-length.ts';
import type { RunEnd } from '../run/run-record.ts';

/** What of a phase says when it is on. */
type Spanned = Pick<Phase, 'startNs' | 'durationNs' | 'arrivals'>;

/** A stretch of run time, ns from T0. */
interface Stretch {
  readonly startNs: number;
  readonly lengthNs: number;
}

/** For how many ns of `stretch` a phase was on in a run that ended as `end`; null for a phase without a length of its own. */
export function phaseNsWithin(
  { startNs, durationNs, arrivals }: Spanned,
  end: RunEnd,
  stretch: Stretch,
): number | null {
  if (rateLengthNs({ arrivals, durationNs }) === 0) return null;
  const stopNs = end.kind === 'finished' ? Infinity : (end.atNs ?? 0);
  const endNs = Math.min(startNs + durationNs, stopNs, stretch.startNs + stretch.lengthNs);
  return Math.max(0, Math.round(endNs - Math.max(startNs, stretch.startNs)));
}

/** For how many ns the phases that have a length were on together. */
export function ranNsOf(phases: readonly Spanned[], end: RunEnd): number {
  return phases.reduce(
    (sum, phase) => sum + (phaseNsWithin(phase, end, { startNs: phase.startNs, lengthNs: phase.durationNs }) ?? 0),
    0,
  );
}
