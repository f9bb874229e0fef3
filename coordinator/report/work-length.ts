/** How long a phase is at work, where that is not what the plan says: rates are over that length. */
import { lastEndGauge } from '../../shared/metrics/gauges.ts';
import type { Phase, Plan } from '../../shared/plan/plan.ts';
import { rateLengthNs } from '../../shared/plan/rate-length.ts';
import { isOpenEnded } from '../../shared/plan/release-end.ts';
import type { Accounting } from '../merge/accounting.ts';
import type { GaugeSummary } from '../merge/telemetry-sums.ts';
import { highest, worst } from '../verdict/gauge-reading.ts';
import type { WorkLength } from './scope-data.ts';

/**
 * How long phase `index` is at work. A closed loop that has ended with its count is so to its last end; one that a request held up, or
 * that was stopped, has no such end.
 */
export function workLengthOf(
  { phases }: Plan,
  index: number,
  accounting: Accounting,
  gauges: readonly GaugeSummary[],
): WorkLength {
  const phase = phases[index] as Phase;
  const { arrivals, startNs, durationNs } = phase;
  if (arrivals.kind === 'all-at-once' || (arrivals.kind === 'trace' && rateLengthNs(phase) === 0))
    return 'longest-response';
  if (arrivals.kind !== 'closed' || arrivals.count === null) return 'scheduled';
  const { scheduled, unfinished, lost } = accounting;
  if (scheduled < arrivals.count || unfinished > 0 || lost > 0) return 'scheduled';
  const lastEndNs = worst(highest(gauges, lastEndGauge(index)))?.value ?? null;
  if (lastEndNs === null) return 'scheduled';
  return Math.min(isOpenEnded(phase) ? Infinity : durationNs, Math.max(0, lastEndNs - startNs));
}
