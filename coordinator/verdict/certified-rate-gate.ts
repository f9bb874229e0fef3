/** Was more planned per worker than this machine was certified for (M§9.3)? Told before the numbers are used, not as an excuse after. */
import { type CertifiedRate, PLANNED_SHARE_MAX } from '../../shared/calibration/calibration.ts';
import { peakRatePerSecond } from '../../shared/plan/peak-rate.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { percentText } from './gate-making.ts';
import { GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** What was planned, and what is certified. */
export interface PlannedAgainstCertified {
  /** The plan's peak rate / worker slots; null when closed loops leave it to the target. */
  readonly ratePerSecond: number | null;
  readonly certified: CertifiedRate;
}

/** What `plan` asks of each of its worker slots, against what is certified. */
export function plannedAgainst(certified: CertifiedRate, plan: Plan, workerSlots: number): PlannedAgainstCertified {
  const isClosedOnly = plan.phases.filter(({ warmup }) => !warmup).every(({ arrivals }) => arrivals.kind === 'closed');
  return { ratePerSecond: isClosedOnly ? null : peakRatePerSecond(plan) / Math.max(1, workerSlots), certified };
}

/** What is worth a word before the run: beyond 60 % of the certified rate requests begin to wait for their worker; null = nothing. */
export function certifiedRateWarning({ ratePerSecond, certified }: PlannedAgainstCertified): string | null {
  if (certified.kind === 'none' || ratePerSecond === null) return null;
  const share = ratePerSecond / certified.ratePerSecond;
  if (share <= PLANNED_SHARE_MAX) return null;
  return (
    `pre-flight: the plan asks each worker for up to ${ratePerSecond.toFixed(1)}/s, ${percentText(share)} of its certified ` +
    `${certified.ratePerSecond.toFixed(1)}/s with client ${certified.client}; plan at most ${PLANNED_SHARE_MAX * 100} %: use more workers or agents`
  );
}

/** Warns above the certified rate; without a calibration for this machine it is not measured. */
export function certifiedRateGate({ ratePerSecond, certified }: PlannedAgainstCertified): Gate {
  const { warnBeyond: limit, unit } = GATES['certified-rate'];
  const name = 'certified-rate';
  if (certified.kind === 'none') {
    return { kind: 'not-measured', name, measured: null, limit, unit, reason: certified.reason };
  }
  if (ratePerSecond === null) {
    const reason = 'a closed loop plans no rate: the target sets it';
    return { kind: 'not-measured', name, measured: null, limit, unit, reason };
  }
  const measured = ratePerSecond / certified.ratePerSecond;
  const numbers = `planned ${ratePerSecond.toFixed(1)}/s per worker, certified ${certified.ratePerSecond.toFixed(1)}/s with client ${certified.client}`;
  const kind = measured > limit ? 'warn' : 'pass';
  const reason = kind === 'pass' ? numbers : `${numbers}: use more workers or agents`;
  return { kind, name, measured, limit, unit, reason };
}
