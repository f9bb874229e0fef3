/** Output tokens that came too late for the length that rates of tokens are over. */
import type { RunMerge } from '../merge/run-merge.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { rateLengthNs } from '../../shared/plan/rate-length.ts';

/** Of ok answers of the measured phases that ended in a window behind their phase's scheduled end; phases without a length have none. */
export function lateTokensOf({ phases }: Plan, { rows }: Pick<RunMerge, 'rows'>): number {
  return phases.reduce((sum, { warmup, startNs, durationNs, arrivals }, phase) => {
    if (warmup || rateLengthNs({ arrivals, durationNs }) === 0) return sum;
    const late = rows.ofPhase(phase).filter((row) => row.startNs >= startNs + durationNs);
    return sum + late.reduce((tokens, { totals }) => tokens + Number(totals.histogram('outputTokens', 'ok').sum), 0);
  }, 0);
}
