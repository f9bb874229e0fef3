/**
 * What is known of this machine for a run on it: what its calibration certifies, said before the run where the plan asks for more
 * than it should, and, where asked for, a check of the machine before and one after.
 */

import { coresToShare, workersPerAgent } from '../../coordinator/main.ts';
import type { KnownMachine } from '../../coordinator/report/run-result.ts';
import { certifiedRateWarning, plannedAgainst } from '../../coordinator/verdict/certified-rate-gate.ts';
import type { CalibrationCheck } from '../../coordinator/verdict/recheck-gate.ts';
import { FleetError } from '../../shared/fleet-error.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { type Certification, certificationHere } from '../plan-capacity.ts';
import type { Signals } from '../signals.ts';

/** How it is found out. */
export interface KnowingOptions {
  readonly plan: Plan;
  readonly isRechecked: boolean;
  /** This process keeps off them by now. */
  readonly workerCores: readonly number[] | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signals: Signals;
  readonly say: (text: string) => void;
}

/** Looks before the run; the function that it gives back looks after it. @throws FleetError 'interrupted' during the check before. */
export async function beginKnowing(options: KnowingOptions): Promise<() => Promise<KnownMachine>> {
  const { plan, workerCores, environment, say } = options;
  const known = certificationHere(plan, environment, workerCores?.length ?? 0);
  if (known.problem !== null) say(`warning: ${known.problem}`);
  const { agents, workers } = plan.fleet;
  const slots = agents * workersPerAgent(workers, agents, coresToShare(workerCores));
  const warning = certifiedRateWarning(plannedAgainst(known.certified, plan, slots));
  if (warning !== null) say(`warning: ${warning}`);
  if (!options.isRechecked) return () => Promise.resolve({ certified: known.certified, recheck: null });
  const before = await check(known, options, 'before the run');
  return async () => {
    const after = await checkAfter(known, options);
    const calibratedFloorP50Ns = known.calibration?.floorResponse.p50 ?? null;
    return { certified: known.certified, recheck: { before, after, calibratedFloorP50Ns } };
  };
}

async function check(
  { calibration, certified }: Certification,
  { plan, signals, say }: KnowingOptions,
  when: string,
): Promise<CalibrationCheck> {
  const { checkCalibration, checkShapeOf } = await import('./recheck.ts');
  say(`checking this machine ${when}`);
  return await checkCalibration(checkShapeOf(plan, calibration, certified), { signals, say: () => undefined });
}

/** The run is over and has a result to be told, so nothing is thrown here any more. */
async function checkAfter(known: Certification, options: KnowingOptions): Promise<CalibrationCheck> {
  const interrupted = { kind: 'failed', reason: 'the run was interrupted' } as const;
  if (options.signals.first !== null) return interrupted;
  try {
    return await check(known, options, 'after the run');
  } catch (error) {
    if (error instanceof FleetError && error.code === 'interrupted') return interrupted;
    throw error;
  }
}
