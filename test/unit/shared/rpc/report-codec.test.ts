import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import * as pb from '../../../../proto/gen/loadfleet/v1/report_pb.ts';
import { encodeSparse } from '../../../../shared/histogram/sparse-histogram.ts';
import { COUNTER_LENGTH } from '../../../../shared/metrics/counters.ts';
import { decodeReport, encodeReport } from '../../../../shared/rpc/report-codec.ts';
import { histogramOf } from '../../../support/histogram-of.ts';

const key = { runId: 'run-1', trial: 0, agentId: 'agent-1', incarnation: 'start-1', seq: 7 };

function payloadOf(report: Parameters<typeof create<typeof pb.ReportSchema>>[1]): Uint8Array {
  return toBinary(pb.ReportSchema, create(pb.ReportSchema, report));
}

describe('a report that cannot be right is refused, and the field is named (R070)', () => {
  const window = { phase: 0, part: { case: 'window', value: 3 } } as const;
  const good = encodeSparse(histogramOf([5, 5, 900]));
  const samples = {
    layout: good.layoutId,
    buckets: good.buckets,
    count: 3n,
    min: 5n,
    max: 900n,
    sum: 910n,
    overflow: 0n,
  };
  const seriesOf = (change: object) => ({
    series: [{ scope: window, metric: 0, status: pb.SeriesStatus.OK, samples: { ...samples, ...change } }],
  });

  it('accepts the one that all the others are made from', () => {
    const report = decodeReport({ key, payload: payloadOf(seriesOf({})) });
    expect(report.series[0]?.samples).toEqual(good);
    expect(decodeReport({ key, payload: new Uint8Array(0) }).series).toEqual([]);
  });

  it.each([
    ['a count beyond exact integers', seriesOf({ count: 2n ** 60n }), 'samples.count'],
    ['an unknown metric', { series: [{ scope: window, metric: 99, status: 1, samples }] }, 'series.metric is 99'],
    ['no status', { series: [{ scope: window, metric: 0, samples }] }, 'series.status is 0'],
    ['no scope', { series: [{ metric: 0, status: 1, samples }] }, 'series.scope is missing'],
    ['a scope of nothing', { counters: [{ scope: { phase: 0 }, cell: {} }] }, 'neither a window nor a request'],
    ['a phase out of range', { counters: [{ scope: { ...window, phase: 256 }, cell: {} }] }, 'phase is 256'],
    [
      'more counters than this build has',
      { counters: [{ scope: window, cell: { counts: new Array<bigint>(COUNTER_LENGTH + 1).fill(1n) } }] },
      `counters.cell.counts length is ${COUNTER_LENGTH + 1}`,
    ],
    ['windows upside down', { firstWindow: 5, lastWindow: 4 }, 'first_window is 5, the limit is 4'],
    ['a worker in no state', { workers: [{ slot: 0 }] }, 'workers.state is 0'],
    ['a text without end', { warnings: ['x'.repeat(2000)] }, 'warnings has 2000 characters'],
  ] as const)('%s', (_what, report, message) => {
    expect(() => decodeReport({ key, payload: payloadOf(report as never) })).toThrow(
      expect.objectContaining({ code: 'protocol', message: expect.stringContaining(message) }),
    );
  });

  it('bytes that are no message', () => {
    expect(() => decodeReport({ key, payload: Uint8Array.of(0xff, 0xff, 0xff) })).toThrow(
      'payload of 3 bytes is no report',
    );
  });

  it('a gauge that is not finite was not measured', () => {
    const payload = payloadOf({ telemetry: [{ window: 1, name: 'cpu', value: Number.NaN }] });
    expect(decodeReport({ key, payload }).telemetry).toEqual([{ window: 1, slot: null, name: 'cpu', value: null }]);
  });
});

describe('counts on the wire', () => {
  it('are packed, and zeros at the end cost nothing', () => {
    const cell = new Float64Array(COUNTER_LENGTH);
    cell[1] = 300;
    const { payload } = encodeReport({
      key,
      firstWindow: 0,
      lastWindow: 0,
      counters: [{ scope: { kind: 'window', phase: 0, window: 0 }, cell }],
      series: [],
      workers: [],
      failures: [],
      telemetry: [],
      fidelity: [],
      requests: [],
      warnings: [],
      final: null,
    });
    expect(fromBinary(pb.ReportSchema, payload).counters[0]?.cell?.counts).toEqual([0n, 300n]);
    expect(payload.length).toBeLessThan(16);
  });
});
