/** Goodput of a part of a run: ok requests that met every bound of the SLO. Failed, dropped and unfinished ones never do (R058). */
import { COUNTER } from '../../shared/metrics/counters.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { droppedTotal } from '../merge/accounting.ts';
import type { SloValue } from './result-value.ts';
import type { ScopeData } from './scope-data.ts';

/** The goodput of `data`; null where the plan has no SLO. */
export function sloOf(plan: Plan, data: ScopeData): SloValue | null {
  if (plan.slo.length === 0) return null;
  const good = data.cell[COUNTER.good] as number;
  const whole = data.accounting.attempted + droppedTotal(data.accounting);
  return {
    bounds: plan.slo.map(({ metric, maxNs }) => ({ metric, maxNs })),
    good,
    goodShare: whole === 0 ? null : good / whole,
    goodputPerSecond: data.perSecondOfWork(good),
  };
}
