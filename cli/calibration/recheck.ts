/**
 * `run --recheck-calibration`: is this machine, right before and right after a run, what it was when it was calibrated? Each check
 * runs the plan's workers against targets of our own: the floor, and the plan's rate per worker at a known service time.
 */

import { availableParallelism } from 'node:os';
import { workersPerAgent } from '../../coordinator/main.ts';
import type { CalibrationCheck } from '../../coordinator/verdict/recheck-gate.ts';
import {
  type Calibration,
  calibratedClient,
  type CertifiedRate,
  H2_CLIENT,
} from '../../shared/calibration/calibration.ts';
import { FleetError } from '../../shared/fleet-error.ts';
import { peakRatePerSecond } from '../../shared/plan/peak-rate.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { isCarried, rungOf } from './ladder.ts';
import { measureFloor, measureLadder, type MeasureOptions } from './measure-ladder.ts';

/** Length of the step at the checked rate. */
const STEP_SECONDS = 2;
/** Service time where no calibration says one, ns. */
const SERVICE_NS = 20_000_000;
/** Least rate per worker that is checked: p99 needs hundreds of samples. */
const RATE_LEAST = 200;

/** What is checked. */
export interface CheckShape {
  readonly client: string;
  readonly workers: number;
  readonly ratePerSecond: number;
  readonly serviceNs: number;
}

/** The check for a plan: all its workers, each at the plan's peak rate, but not above what the machine is certified for. */
export function checkShapeOf(plan: Plan, calibration: Calibration | null, certified: CertifiedRate): CheckShape {
  const { agents } = plan.fleet;
  const workers = agents * workersPerAgent(plan.fleet.workers, agents, availableParallelism());
  const asked = Math.max(RATE_LEAST, peakRatePerSecond(plan) / workers);
  const calibrated = calibration === null ? null : calibratedClient(calibration, plan.target);
  return {
    client: plan.target.httpVersion === '2' ? H2_CLIENT : plan.target.client,
    workers,
    ratePerSecond: certified.kind === 'certified' ? Math.min(asked, certified.ratePerSecond) : asked,
    serviceNs: calibrated?.serviceNs ?? SERVICE_NS,
  };
}

/** Makes one check. What goes wrong is a part of its answer; only an interruption is thrown. @throws FleetError 'interrupted'. */
export async function checkCalibration(shape: CheckShape, options: MeasureOptions): Promise<CalibrationCheck> {
  const { client, workers, ratePerSecond, serviceNs } = shape;
  try {
    const floor = await measureFloor(workers, options);
    const ladder = { client, workers, rates: [ratePerSecond], stepSeconds: STEP_SECONDS };
    const climbed = await measureLadder(ladder, serviceNs, options);
    const [response, phase] = [floor.metrics['response'], climbed.phases.find(({ warmup }) => !warmup)];
    if (phase === undefined) return { kind: 'failed', reason: 'the checked rate has no result' };
    const rung = rungOf(phase, ratePerSecond, serviceNs);
    return {
      kind: 'made',
      ratePerSecond,
      workers,
      floorP50Ns: response?.percentiles['50'] ?? null,
      floorP99Ns: response?.percentiles['99'] ?? null,
      level: rung.level,
      isCarried: isCarried(rung),
    };
  } catch (error) {
    if (!(error instanceof FleetError) || error.code === 'interrupted') throw error;
    return { kind: 'failed', reason: error.message };
  }
}
