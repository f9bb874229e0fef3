/**
 * Reports between their domain form and the bytes that a message of the Report stream carries. Decoding checks what the
 * wire can get wrong, the merge holds the figures against plan and deal; either way a fault costs that one report only (R070).
 */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import * as pb from '../../proto/gen/loadfleet/v1/report_pb.ts';
import { assertNever } from '../assert-never.ts';
import { FleetError } from '../fleet-error.ts';
import type { SparseHistogram } from '../histogram/sparse-form.ts';
import type {
  AgentReport,
  CellScope,
  CounterDelta,
  FailureExample,
  SeriesDelta,
  TelemetrySample,
  WorkerProgress,
} from '../metrics/agent-report.ts';
import { COUNTER_LENGTH, type CounterCell, createCounterCell } from '../metrics/counters.ts';
import { METRICS } from '../metrics/metric.ts';
import { fidelityFromProto, fidelityToProto } from './fidelity-codec.ts';
import { PHASE_MAX, SLOT_MAX, TEXT_LENGTH_MAX, WINDOW_MAX } from './report-limits.ts';
import type { ReportMessage } from './report-message.ts';
import { toFleetError } from './rpc-status.ts';
import { atMostFromWire, exactFromWire, exactToWire, requiredFromWire, textFromWire } from './wire-integer.ts';

/** The message that carries `report`; the same report always gives the same bytes. */
export function encodeReport(report: AgentReport): ReportMessage {
  const message = create(pb.ReportSchema, {
    firstWindow: report.firstWindow,
    lastWindow: report.lastWindow,
    counters: report.counters.map(({ scope, cell }) => ({ scope: scopeToProto(scope), cell: cellToProto(cell) })),
    series: report.series.map(seriesToProto),
    workers: report.workers.map((worker) => ({
      slot: worker.slot,
      decidedThroughNs: exactToWire('workers.decided_through_ns', worker.decidedThroughNs),
      state: WORKER_STATES[worker.state],
    })),
    failures: report.failures.map((failure) => ({
      class: failure.class,
      detail: failure.detail,
      count: exactToWire('failures.count', failure.count),
    })),
    telemetry: report.telemetry.map(({ slot, value, ...sample }) => ({
      ...sample,
      ...(slot === null ? {} : { slot }),
      ...(value === null ? {} : { value }),
    })),
    fidelity: report.fidelity.map(fidelityToProto),
    requests: report.requests.map(({ slot, count, bytes, leftOut }) => ({
      slot,
      count,
      rows: bytes,
      leftOut: exactToWire('requests.left_out', leftOut),
    })),
    warnings: [...report.warnings],
    ...(report.final === null ? {} : { final: cellToProto(report.final) }),
  });
  return { key: report.key, payload: toBinary(pb.ReportSchema, message) };
}

/** The report that `message` carries. @throws FleetError `protocol` for bytes or figures that cannot be right. */
export function decodeReport(message: ReportMessage): AgentReport {
  const report = reportFromBytes(message.payload);
  atMostFromWire('last_window', report.lastWindow, WINDOW_MAX);
  atMostFromWire('first_window', report.firstWindow, report.lastWindow);
  return {
    key: message.key,
    firstWindow: report.firstWindow,
    lastWindow: report.lastWindow,
    counters: report.counters.map(counterFromProto),
    series: report.series.map(seriesFromProto),
    workers: report.workers.map(workerFromProto),
    failures: report.failures.map(failureFromProto),
    telemetry: report.telemetry.map(telemetryFromProto),
    fidelity: report.fidelity.map(fidelityFromProto),
    // The rows stay bytes here: whoever takes the report reads and checks them, once.
    requests: report.requests.map(({ slot, count, rows, leftOut }) => ({
      slot: atMostFromWire('requests.slot', slot, SLOT_MAX),
      count,
      bytes: rows,
      leftOut: exactFromWire('requests.left_out', leftOut),
    })),
    warnings: report.warnings.map((warning) => textFromWire('warnings', warning, TEXT_LENGTH_MAX)),
    final: report.final === undefined ? null : cellFromProto('final', report.final),
  };
}

const WORKER_STATES = {
  running: pb.WorkerState.RUNNING,
  finished: pb.WorkerState.FINISHED,
  lost: pb.WorkerState.LOST,
} as const;

function reportFromBytes(payload: Uint8Array): pb.Report {
  try {
    return fromBinary(pb.ReportSchema, payload);
  } catch (thrown) {
    throw new FleetError(
      'protocol',
      `payload of ${payload.length} bytes is no report: ${toFleetError(thrown).message}`,
      {
        cause: thrown,
      },
    );
  }
}

function scopeToProto(scope: CellScope): pb.CellScope {
  switch (scope.kind) {
    case 'window':
      return create(pb.CellScopeSchema, { phase: scope.phase, part: { case: 'window', value: scope.window } });
    case 'request':
      return create(pb.CellScopeSchema, { phase: scope.phase, part: { case: 'request', value: scope.request } });
    default:
      return assertNever(scope);
  }
}

function scopeFromProto(field: string, wire: pb.CellScope | undefined): CellScope {
  const scope = requiredFromWire(`${field}.scope`, wire);
  const phase = atMostFromWire(`${field}.scope.phase`, scope.phase, PHASE_MAX);
  switch (scope.part.case) {
    case 'window':
      return { kind: 'window', phase, window: atMostFromWire(`${field}.scope.window`, scope.part.value, WINDOW_MAX) };
    case 'request':
      return {
        kind: 'request',
        phase,
        request: textFromWire(`${field}.scope.request`, scope.part.value, TEXT_LENGTH_MAX),
      };
    case undefined:
      throw new FleetError('protocol', `${field}.scope has neither a window nor a request`);
    default:
      return assertNever(scope.part);
  }
}

/** Zeros at the end are left out: most failure classes never happen. */
function cellToProto(cell: CounterCell): pb.CounterCell {
  let length = cell.length;
  while (length > 0 && cell[length - 1] === 0) length -= 1;
  return create(pb.CounterCellSchema, {
    counts: Array.from(cell.subarray(0, length), (count) => exactToWire('counts', count)),
  });
}

function cellFromProto(field: string, wire: pb.CounterCell | undefined): CounterCell {
  const { counts } = requiredFromWire(field, wire);
  atMostFromWire(`${field}.counts length`, counts.length, COUNTER_LENGTH);
  const cell = createCounterCell();
  for (let index = 0; index < counts.length; index += 1) {
    cell[index] = exactFromWire(`${field}.counts[${index}]`, counts[index] as bigint);
  }
  return cell;
}

function counterFromProto(delta: pb.CounterDelta): CounterDelta {
  return { scope: scopeFromProto('counters', delta.scope), cell: cellFromProto('counters.cell', delta.cell) };
}

function seriesToProto({ scope, metric, status, samples }: SeriesDelta): pb.SeriesDelta {
  return create(pb.SeriesDeltaSchema, {
    scope: scopeToProto(scope),
    metric: METRICS.indexOf(metric),
    status: status === 'ok' ? pb.SeriesStatus.OK : pb.SeriesStatus.FAILED,
    samples: {
      layout: samples.layoutId,
      buckets: samples.buckets,
      count: exactToWire('samples.count', samples.count),
      ...(samples.min === null ? {} : { min: exactToWire('samples.min', samples.min) }),
      ...(samples.max === null ? {} : { max: exactToWire('samples.max', samples.max) }),
      sum: samples.sum,
      overflow: exactToWire('samples.overflow', samples.overflow),
    },
  });
}

function seriesFromProto(delta: pb.SeriesDelta): SeriesDelta {
  const metric = METRICS[delta.metric];
  if (metric === undefined) throw new FleetError('protocol', `series.metric is ${delta.metric}, which is no metric`);
  if (delta.status !== pb.SeriesStatus.OK && delta.status !== pb.SeriesStatus.FAILED) {
    throw new FleetError('protocol', `series.status is ${delta.status}, which is no status`);
  }
  return {
    scope: scopeFromProto('series', delta.scope),
    metric,
    status: delta.status === pb.SeriesStatus.OK ? 'ok' : 'failed',
    samples: samplesFromProto(requiredFromWire('series.samples', delta.samples)),
  };
}

/** The buckets stay bytes here: whoever adds them up reads and checks them, once. */
function samplesFromProto(wire: pb.SparseHistogram): SparseHistogram {
  return {
    layoutId: wire.layout,
    count: exactFromWire('samples.count', wire.count),
    min: wire.min === undefined ? null : exactFromWire('samples.min', wire.min),
    max: wire.max === undefined ? null : exactFromWire('samples.max', wire.max),
    sum: wire.sum,
    overflow: exactFromWire('samples.overflow', wire.overflow),
    buckets: wire.buckets,
  };
}

function workerFromProto(worker: pb.WorkerProgress): WorkerProgress {
  const state = workerStateFromProto(worker.state);
  return {
    slot: atMostFromWire('workers.slot', worker.slot, SLOT_MAX),
    decidedThroughNs: exactFromWire('workers.decided_through_ns', worker.decidedThroughNs),
    state,
  };
}

function workerStateFromProto(state: pb.WorkerState): WorkerProgress['state'] {
  switch (state) {
    case pb.WorkerState.RUNNING:
      return 'running';
    case pb.WorkerState.FINISHED:
      return 'finished';
    case pb.WorkerState.LOST:
      return 'lost';
    case pb.WorkerState.UNSPECIFIED:
    default:
      throw new FleetError('protocol', `workers.state is ${state}, which is no state`);
  }
}

function failureFromProto(failure: pb.FailureExample): FailureExample {
  return {
    class: textFromWire('failures.class', failure.class, TEXT_LENGTH_MAX),
    detail: textFromWire('failures.detail', failure.detail, TEXT_LENGTH_MAX),
    count: exactFromWire('failures.count', failure.count),
  };
}

function telemetryFromProto(sample: pb.TelemetrySample): TelemetrySample {
  return {
    window: atMostFromWire('telemetry.window', sample.window, WINDOW_MAX),
    slot: sample.slot === undefined ? null : atMostFromWire('telemetry.slot', sample.slot, SLOT_MAX),
    name: textFromWire('telemetry.name', sample.name, TEXT_LENGTH_MAX),
    // A gauge that is not a finite number was not measured.
    value: sample.value !== undefined && Number.isFinite(sample.value) ? sample.value : null,
  };
}
