/** Runs the plan of a ladder against a target of known service time in a process of its own, and gives back the result. */

import type { ResultValue } from '../../coordinator/report/result-value.ts';
import { H2_CLIENT } from '../../shared/calibration/calibration.ts';
import { parsePlan } from '../../shared/plan/parse-plan.ts';
import { parseYaml } from '../../shared/plan/yaml-document.ts';
import { OWN_COMMAND } from '../own-command.ts';
import { createPlanSources } from '../plan-sources.ts';
import { startTargetProcess } from '../reference-process.ts';
import { runHere } from '../run-here.ts';
import type { Signals } from '../signals.ts';
import { ladderPlan, type LadderOptions } from './ladder.ts';

/** Rate per worker and length of the step that measures the floor: a nearly idle worker. */
const FLOOR_RATE = 100;
const FLOOR_SECONDS = 2;

/** How it is run. */
export interface MeasureOptions {
  readonly signals: Signals;
  readonly say: (text: string) => void;
}

/** Climbs against a target whose every request takes `serviceNs`. @throws what `runHere` and `startTargetProcess` throw. */
export async function measureLadder(
  ladder: Omit<LadderOptions, 'targetUrl'>,
  serviceNs: number,
  options: MeasureOptions,
): Promise<ResultValue> {
  const service = ['--service', `constant:${serviceNs}ns`];
  return await measure(ladder, ladder.client === H2_CLIENT ? ['--http2', ...service] : service, options);
}

/** The response of the null target to a nearly idle worker: what the path costs when nothing is waited for. */
export async function measureFloor(workers: number, options: MeasureOptions): Promise<ResultValue> {
  const ladder = { client: 'auto', workers, rates: [FLOOR_RATE], stepSeconds: FLOOR_SECONDS };
  return await measure(ladder, ['--null'], options);
}

async function measure(
  ladder: Omit<LadderOptions, 'targetUrl'>,
  targetFlags: readonly string[],
  { signals, say }: MeasureOptions,
): Promise<ResultValue> {
  const target = await startTargetProcess(OWN_COMMAND, targetFlags);
  try {
    const text = ladderPlan({ ...ladder, targetUrl: target.url });
    const tree = parseYaml(new TextEncoder().encode(text), 'the calibration plan');
    const parsed = parsePlan(tree, createPlanSources('.', {}), {
      source: 'the calibration plan',
      defaultName: 'calibrate',
      referenceUrl: null,
    });
    const { result } = await runHere(parsed, { command: 'loadfleet calibrate', signals, onNotice: say });
    return result.value;
  } finally {
    await target.stop();
  }
}
