/** Was more planned per worker than this machine was certified for (M§9.3)? Told before the numbers are used, not as an excuse after. */
import type { CertifiedRate } from '../../shared/calibration/calibration.ts';
import { GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** What was planned, and what is certified. */
export interface PlannedAgainstCertified {
  /** The plan's peak rate / worker slots; null when closed loops leave it to the target. */
  readonly ratePerSecond: number | null;
  readonly certified: CertifiedRate;
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
