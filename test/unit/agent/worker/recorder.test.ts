import { describe, expect, it } from 'vitest';
import { BlockStore } from '../../../../agent/worker/block-store.ts';
import { FidelityMeter } from '../../../../agent/worker/fidelity-meter.ts';
import { SERIES_MAX } from '../../../../agent/worker/named-books.ts';
import { OpenRequest } from '../../../../agent/worker/open-request.ts';
import { Recorder } from '../../../../agent/worker/recorder.ts';
import { SloCheck } from '../../../../agent/worker/slo-check.ts';
import type { WorkerHandover } from '../../../../agent/worker/worker-messages.ts';
import { VALUE_MAX } from '../../../../shared/histogram/layout.ts';
import { COUNTER, type CounterName } from '../../../../shared/metrics/counters.ts';
import type { Outcome } from '../../../../shared/metrics/outcome.ts';
import { createPlan } from '../../../support/plan-fixture.ts';

const OK: Outcome = { kind: 'ok', status: 200 };
const FACTS = { completeBelowWindow: 0, pacedBelowWindow: 0, decidedThroughNs: 0, gauges: [], last: false };
const nobody = { sent: () => undefined, firstByte: () => undefined, bytes: () => undefined, ended: () => undefined };

interface Stamps {
  readonly phase?: number;
  readonly template?: number;
  readonly intendedNs?: number;
  readonly releasedNs?: number;
  readonly sendNs?: number | null;
  readonly firstByteNs?: number | null;
  readonly endNs?: number;
}

function ended(stamps: Stamps = {}): OpenRequest {
  const {
    phase = 0,
    template = 0,
    intendedNs = 0,
    releasedNs = 10,
    sendNs = 20,
    firstByteNs = 50,
    endNs = 70,
  } = stamps;
  const request = new OpenRequest(nobody, false);
  request.open(phase, template, intendedNs, releasedNs);
  if (sendNs !== null) request.onSend(sendNs);
  if (sendNs !== null && firstByteNs !== null) request.onFirstByte(firstByteNs);
  request.onEnd(OK, endNs);
  return request;
}

function recorderOf(names: readonly string[], slo: ConstructorParameters<typeof SloCheck>[0] = []): Recorder {
  return new Recorder(new BlockStore(), names, new SloCheck(slo), 0, new FidelityMeter(createPlan().phases));
}

function book(handover: WorkerHandover, kind: 'window' | 'request', name: CounterName): number {
  return handover.counters
    .filter(({ scope }) => scope.kind === kind)
    .reduce((sum, { cell }) => sum + cell[COUNTER[name]]!, 0);
}

describe('Recorder', () => {
  it('has a sample for what happened and none for what did not', () => {
    const recorder = recorderOf(['a']);
    recorder.ended(ended(), OK);
    recorder.ended(ended({ sendNs: null }), {
      kind: 'failed',
      class: 'connect-refused',
      status: null,
      detail: 'ECONNREFUSED',
    });
    const { series } = recorder.handOver({ ...FACTS, last: true });
    const seen = (status: string) =>
      series
        .filter((one) => one.scope.kind === 'window' && one.status === status)
        .map(({ metric, block }) => [metric, block.min]);
    expect(Object.fromEntries(seen('ok'))).toEqual({
      response: 70,
      service: 50,
      lag: 20,
      wakeLag: 10,
      wait: 10,
      waitQueue: 0,
      waitConnect: 0,
      firstByte: 50,
      firstByteSend: 30,
    });
    expect(Object.fromEntries(seen('failed'))).toEqual({ response: 70, wakeLag: 10 });
  });

  it('books by window: decided by intended, attempted by release, sent by send, outcomes by end', () => {
    const recorder = recorderOf(['a']);
    const request = ended({ intendedNs: 0.9e9, releasedNs: 1.1e9, sendNs: 2.1e9, firstByteNs: 3e9, endNs: 3.5e9 });
    recorder.attempted(0, 0, request.intendedNs, request.releasedNs);
    recorder.sent(request);
    recorder.ended(request, OK);
    const windows = recorder.handOver(FACTS).counters.flatMap(({ scope, cell }) => {
      if (scope.kind !== 'window') return [];
      return (['decided', 'attempted', 'sent', 'ok'] as const)
        .filter((name) => cell[COUNTER[name]] === 1)
        .map((name) => [name, scope.window]);
    });
    expect(Object.fromEntries(windows)).toEqual({ decided: 0, attempted: 1, sent: 2, ok: 3 });
  });

  it('R062 clamps and counts what is out of range, and never throws', () => {
    const recorder = recorderOf(['a', 'b']);
    recorder.ended(ended({ sendNs: 20, firstByteNs: 30, endNs: 2 * VALUE_MAX }), OK);
    const handover = recorder.handOver({ ...FACTS, last: true });
    expect(book(handover, 'window', 'overflow')).toBe(2);
    expect(book(handover, 'request', 'overflow')).toBe(2);
    const response = handover.series.find(({ metric }) => metric === 'response');
    expect(response?.block).toMatchObject({ count: 1, max: VALUE_MAX, overflow: 1 });
  });

  it('keeps no second set of books where the plan has one name: they are those of its phases', () => {
    const recorder = recorderOf(['a']);
    recorder.attempted(0, 0, 10, 20);
    recorder.ended(ended({ sendNs: 20, firstByteNs: 30, endNs: 40 }), OK);
    const { counters, series } = recorder.handOver({ ...FACTS, last: true });
    expect([...counters, ...series].map(({ scope }) => scope.kind)).not.toContain('request');
    expect(series.length).toBeGreaterThan(0);
  });

  it('R095 keeps at most 128 series of names; the rest goes to other, counted, with one warning', () => {
    const names = Array.from({ length: 100 }, (_unused, index) => `request ${index}`);
    const recorder = recorderOf(names);
    for (const template of names.keys()) recorder.ended(ended({ template }), OK);
    const handover = recorder.handOver({ ...FACTS, last: true });
    const named = handover.series.filter(({ scope }) => scope.kind === 'request' && scope.request !== 'other');
    const other = handover.series.filter(({ scope }) => scope.kind === 'request' && scope.request === 'other');
    expect(named.length).toBeGreaterThan(SERIES_MAX / 2);
    expect(named.length).toBeLessThanOrEqual(SERIES_MAX);
    const count = (list: typeof named): number =>
      list.filter(({ metric }) => metric === 'response').reduce((sum, { block }) => sum + block.count, 0);
    expect(count(named) + count(other)).toBe(100);
    expect(book(handover, 'request', 'ok')).toBe(100);
    expect(book(handover, 'window', 'series-other')).toBe(other.reduce((sum, { block }) => sum + block.count, 0));
    expect(handover.warnings).toHaveLength(1);
  });

  it('flushes names in turns: all within ten hand-overs, only a part in each', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const recorder = recorderOf(names);
    for (const template of names.keys()) recorder.ended(ended({ template }), OK);
    const flushed: number[] = [];
    for (let n = 0; n < 10; n += 1) {
      flushed.push(recorder.handOver(FACTS).counters.filter(({ scope }) => scope.kind === 'request').length);
    }
    expect(Math.max(...flushed)).toBe(1);
    expect(flushed.reduce((sum, count) => sum + count, 0)).toBe(5);
  });

  it('gives everything away once', () => {
    const recorder = recorderOf(['a']);
    recorder.ended(ended(), OK);
    expect(recorder.handOver({ ...FACTS, last: true }).series.length).toBeGreaterThan(0);
    const second = recorder.handOver({ ...FACTS, last: true });
    expect([second.series, second.counters, second.failures, second.warnings]).toEqual([[], [], [], []]);
  });

  it('counts goodput only for ok requests that meet every bound', () => {
    const recorder = recorderOf(
      ['a'],
      [
        { metric: 'response', maxNs: 70 },
        { metric: 'firstByteSend', maxNs: 30 },
      ],
    );
    recorder.ended(ended(), OK);
    recorder.ended(ended({ endNs: 71 }), OK);
    recorder.ended(ended({ firstByteNs: 51 }), OK);
    recorder.ended(ended({ firstByteNs: null }), OK);
    recorder.ended(ended(), { kind: 'failed', class: 'http-status', status: 500, detail: 'status 500' });
    const handover = recorder.handOver({ ...FACTS, last: true });
    expect(book(handover, 'window', 'good')).toBe(1);
    expect(book(handover, 'window', 'ok')).toBe(4);
    expect(() => new SloCheck([{ metric: 'speed', maxNs: 1 }])).toThrow(/"speed".*response/);
  });
});
