/**
 * Everything that can be wrong with a report is found here, before anything of it is applied: all or nothing (R070).
 * The wire's own checks have been made; here the report is held against the plan and the deal.
 */
import { FleetError } from '../../shared/fleet-error.ts';
import { type DecodedSparse, readDecodedSparse } from '../../shared/histogram/sparse-form.ts';
import type { AgentReport, CellScope } from '../../shared/metrics/agent-report.ts';
import { COUNTER_LENGTH, COUNTERS, type CounterCell } from '../../shared/metrics/counters.ts';
import { EDGES_PER_WINDOW, type SlotFidelity } from '../../shared/metrics/fidelity.ts';
import { METRICS } from '../../shared/metrics/metric.ts';

/** The name under which samples of requests beyond the limit are counted (R095). */
export const OTHER_REQUEST = 'other';

/** Windows are far below this: 2^31 seconds are 68 years. */
const WINDOW_MAX = 2 ** 31;

/** What a report must fit. */
export interface ReportFrame {
  readonly phaseCount: number;
  /** Names of the plan's requests, and `OTHER_REQUEST`. */
  readonly requestNames: ReadonlySet<string>;
  /** Global worker slots of the sender. */
  readonly ownSlots: ReadonlySet<number>;
}

const metricNames: ReadonlySet<string> = new Set(METRICS);

/**
 * Checks `report` and decodes its series, in their order.
 * @throws FleetError code `protocol` that names the field, its value and the limit.
 */
export function checkReport(report: AgentReport, frame: ReportFrame): readonly DecodedSparse[] {
  for (const delta of report.counters) {
    checkScope(delta.scope, frame);
    checkCell('counters', delta.cell);
  }
  if (report.final !== null) checkCell('final', report.final);
  for (const worker of report.workers) {
    if (!frame.ownSlots.has(worker.slot)) fail(`worker slot ${worker.slot} is not one that it was given`);
    checkCount('decidedThroughNs', worker.decidedThroughNs);
  }
  for (const failure of report.failures) checkCount(`failures of class ${failure.class}`, failure.count);
  for (const fidelity of report.fidelity) checkFidelity(fidelity, frame);
  for (const sample of report.telemetry) {
    if (sample.value !== null && !Number.isFinite(sample.value)) {
      fail(`telemetry ${sample.name} is ${sample.value}, must be finite or missing`);
    }
  }
  return report.series.map((delta) => {
    checkScope(delta.scope, frame);
    if (!metricNames.has(delta.metric)) fail(`metric ${JSON.stringify(delta.metric)} is not one this build knows`);
    return readDecodedSparse(delta.samples);
  });
}

function checkFidelity(fidelity: SlotFidelity, frame: ReportFrame): void {
  if (!frame.ownSlots.has(fidelity.slot)) fail(`fidelity of worker slot ${fidelity.slot}, which it was not given`);
  checkCount('fidelity.window', fidelity.window);
  checkCount('fidelity.backlogBefore', fidelity.backlogBefore);
  for (const side of ['planned', 'sent', 'unsent'] as const) {
    const counts = fidelity[side];
    if (counts.length !== EDGES_PER_WINDOW) {
      fail(`fidelity.${side} has ${counts.length} counts, must have ${EDGES_PER_WINDOW}`);
    }
    for (const count of counts) checkCount(`fidelity.${side}`, count);
  }
  for (const { phase, fine, coarse } of fidelity.phases) {
    checkPhase(phase, frame);
    for (const sums of [fine, coarse]) {
      for (const [field, value] of Object.entries(sums)) checkCount(`fidelity.${field}`, value as number);
    }
  }
}

function checkPhase(phase: number, frame: ReportFrame): void {
  if (Number.isInteger(phase) && phase >= 0 && phase < frame.phaseCount) return;
  fail(`phase is ${phase}, must be an integer in 0..${frame.phaseCount - 1}`);
}

function checkScope(scope: CellScope, frame: ReportFrame): void {
  checkPhase(scope.phase, frame);
  if (scope.kind === 'window') {
    if (!Number.isInteger(scope.window) || scope.window < 0 || scope.window >= WINDOW_MAX) {
      fail(`window is ${scope.window}, must be an integer in 0..${WINDOW_MAX - 1}`);
    }
  } else if (!frame.requestNames.has(scope.request)) {
    fail(`request ${JSON.stringify(scope.request.slice(0, 80))} is not in the plan`);
  }
}

function checkCell(name: string, cell: CounterCell): void {
  if (cell.length !== COUNTER_LENGTH) fail(`${name} holds ${cell.length} counters, must be ${COUNTER_LENGTH}`);
  for (let index = 0; index < COUNTER_LENGTH; index += 1) {
    const value = cell[index] as number;
    if (!Number.isSafeInteger(value) || value < 0) checkCount(`${name}.${COUNTERS[index] as string}`, value);
  }
}

function checkCount(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) fail(`${name} is ${value}, must be an integer in 0..2^53 - 1`);
}

function fail(what: string): never {
  throw new FleetError('protocol', what);
}
