/** What this machine's calibration says about a plan: how many workers and machines its peak rate needs. */

import {
  type Calibration,
  type Capacity,
  capacityFor,
  type CertifiedRate,
  certifiedRate,
  isOfMachine,
} from '../shared/calibration/calibration.ts';
import { FleetError } from '../shared/fleet-error.ts';
import { peakRatePerSecond } from '../shared/plan/peak-rate.ts';
import type { Plan } from '../shared/plan/plan.ts';
import { calibrationPath, readCalibration, thisMachine } from './calibration/calibration-file.ts';

/** The capacity, or why there is none. */
export type PlanCapacity =
  | ({ readonly kind: 'known' } & Capacity)
  | { readonly kind: 'unknown'; readonly reason: string };

/** A calibration that holds here, and what it certifies. */
export interface Certification {
  /** null where there is none, or none for this machine. */
  readonly calibration: Calibration | null;
  readonly certified: CertifiedRate;
  /** What is wrong with the file; null where nothing is, or there is none. */
  readonly problem: string | null;
}

/**
 * What this machine is certified for with the plan's client. A broken file stops nobody: it is then the reason why nothing is certified.
 * `coresApart`: cores of the machine that this process now keeps off.
 */
export function certificationHere(
  plan: Plan,
  environment: Readonly<Record<string, string | undefined>>,
  coresApart = 0,
): Certification {
  try {
    const calibration = readCalibration(calibrationPath(environment));
    const machine = thisMachine(coresApart);
    const certified = certifiedRate(calibration, machine, plan.target);
    const isHere = calibration !== null && isOfMachine(calibration, machine);
    return { calibration: isHere ? calibration : null, certified, problem: null };
  } catch (error) {
    if (!(error instanceof FleetError)) throw error;
    const { message } = error;
    return { calibration: null, certified: { kind: 'none', reason: message }, problem: message };
  }
}

/** The capacity that `plan` with `workerSlots` needs on machines like this one. */
export function planCapacity(plan: Plan, workerSlots: number, certified: CertifiedRate): PlanCapacity {
  if (certified.kind === 'none') return { kind: 'unknown', reason: certified.reason };
  if (plan.phases.every(({ arrivals }) => arrivals.kind === 'closed'))
    return { kind: 'unknown', reason: 'a closed loop plans no rate: the target sets it' };
  const { cores } = thisMachine();
  const capacity = capacityFor(peakRatePerSecond(plan), certified.ratePerSecond, { cores, workerSlots });
  return { kind: 'known', ...capacity };
}

/** The same as a line for people, ending in a newline. */
export function capacityText(capacity: PlanCapacity): string {
  if (capacity.kind === 'unknown') return `capacity   not known: ${capacity.reason}\n`;
  const {
    peakRatePerSecond: peak,
    certifiedRatePerSecond: certified,
    workersNeeded,
    agentsNeeded,
    isEnough,
  } = capacity;
  const needs = `peak ${round(peak)}/s needs ${workersNeeded} workers at 60 % of their certified ${round(certified)}/s, so ${agentsNeeded} machines like this one`;
  return `capacity   ${needs}\n${isEnough ? '' : 'warning: the plan has fewer workers than its peak rate needs\n'}`;
}

function round(value: number): string {
  return String(Number(value.toPrecision(6)));
}
