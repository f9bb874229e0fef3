/** One run, or one part of a run, as a side of a proof: its percentiles, its blocks, and how much of it can be the fleet. */

import { blockPercentiles } from '../../coordinator/report/block-percentiles.ts';
import { excessOf, observedWorkerNs, receiveDelayOf } from '../../coordinator/report/excess-part.ts';
import { PERCENTILES } from '../../coordinator/report/metric-summary.ts';
import { partData } from '../../coordinator/report/scope-data.ts';
import type { ScopeData } from '../../coordinator/report/scope-data.ts';
import { failureShareOf } from '../../coordinator/merge/accounting.ts';
import type { RunMerge } from '../../coordinator/merge/run-merge.ts';
import type { RunRecord } from '../../coordinator/run/run-record.ts';
import { InvariantError } from '../../shared/fleet-error.ts';
import type { RunHere } from '../run-here.ts';
import type { ArmRun } from './proof.ts';

/** A whole run as one side. */
export function armRunOf({ ended, result }: RunHere, percentile: number): ArmRun {
  const { record, merge } = ended;
  return armRun({ record, merge, data: result.measured, status: result.value.verdict.status }, percentile);
}

/** A run with a probe as both sides: the probe, and the loaded agents. */
export function probeArmRuns({ ended, result }: RunHere, percentile: number): readonly [ArmRun, ArmRun] {
  const { record, parts } = ended;
  const { probe } = record;
  if (parts === null || probe === null) throw new InvariantError('a proof by probe needs a run with a probe');
  const { agents, verdict } = result.value;
  const own = agents.find(({ workerSlots }) => workerSlots.includes(probe.slot))?.verdict?.status;
  const side = (merge: RunMerge, isProbe: boolean, status: string): ArmRun => {
    const of = {
      ...record,
      agents: record.agents.filter(({ slots }) => slots.includes(probe.slot) === isProbe),
      workerSlots: isProbe ? 1 : record.workerSlots - 1,
    };
    return armRun({ record: of, merge, data: partData(record.plan, merge), status }, percentile);
  };
  return [side(parts.probe, true, own ?? verdict.status), side(parts.loaded, false, verdict.status)];
}

interface Side {
  /** With the worker slots of this side. */
  readonly record: RunRecord;
  readonly merge: RunMerge;
  /** Of the measured phases. */
  readonly data: ScopeData;
  readonly status: string;
}

function armRun({ record, merge, data, status }: Side, percentile: number): ArmRun {
  const measured = record.plan.phases.filter((phase) => !phase.warmup);
  const receiveDelay = receiveDelayOf(data, observedWorkerNs(record, measured, 0));
  const response = data.histogram('response', 'ok');
  return {
    runId: record.runId,
    seed: String(record.plan.seed),
    status,
    ok: data.accounting.ok,
    failureShare: failureShareOf(data.accounting),
    percentiles: Object.fromEntries(
      [...PERCENTILES, String(percentile)].map((key) => [key, response.percentile(Number(key))]),
    ),
    blocks: blockPercentiles(record.plan, merge, percentile),
    excessBound: excessOf(data, 'response', percentile, receiveDelay)?.excess ?? null,
  };
}
