import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scopeKey } from '../../../../agent/merge/scope-key.ts';
import { WorkerMerge } from '../../../../agent/merge/worker-merge.ts';
import type { WorkerHandover } from '../../../../agent/worker/worker-messages.ts';
import { createRecordingBlock, record } from '../../../../shared/histogram/recording-block.ts';
import { decodeSparse } from '../../../../shared/histogram/sparse-histogram.ts';
import type { CellScope } from '../../../../shared/metrics/agent-report.ts';
import { COUNTER, createCounterCell } from '../../../../shared/metrics/counters.ts';
import { EMPTY_HANDOVER } from '../../../support/handover-fixture.ts';
import { histogramOf } from '../../../support/histogram-of.ts';

const windowScope = (window: number): CellScope => ({ kind: 'window', phase: 0, window });

function handoverOf(
  window: number,
  values: readonly number[],
  options: Partial<WorkerHandover> & { readonly scope?: CellScope } = {},
): WorkerHandover {
  const { scope = windowScope(window), ...rest } = options;
  const block = createRecordingBlock();
  for (const value of values) record(block, value);
  const cell = createCounterCell();
  cell[COUNTER.ok] = values.length;
  return {
    ...EMPTY_HANDOVER,
    completeBelowWindow: window,
    decidedThroughNs: (window + 1) * 1e9,
    counters: [{ scope, cell }],
    series: [{ scope, metric: 'response', status: 'ok', block }],
    ...rest,
  };
}

describe('merging the workers of an agent', () => {
  it('P5 the merged series is the histogram of the pooled samples, whoever recorded them and however often it was compacted', () => {
    const sample = fc.integer({ min: 0, max: 4e12 });
    const part = fc.record({
      slot: fc.constantFrom(0, 1, 2),
      window: fc.nat({ max: 2 }),
      values: fc.array(sample, { maxLength: 20 }),
      compact: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const merge = new WorkerMerge([0, 1, 2]);
        for (const { slot, window, values, compact } of parts) {
          merge.take(slot, handoverOf(window, values));
          if (compact) merge.compact();
        }
        const report = merge.takeReport(true);
        for (const window of [0, 1, 2]) {
          const pooled = histogramOf(parts.filter((each) => each.window === window).flatMap((each) => each.values));
          const found = report.series.find(({ scope }) => scopeKey(scope) === scopeKey(windowScope(window)));
          if (found === undefined) expect(pooled.isEmpty()).toBe(true);
          else expect(decodeSparse(found.samples).equals(pooled)).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('gives the buffers back empty', () => {
    const merge = new WorkerMerge([0]);
    const [block] = merge.take(0, handoverOf(0, [5, 7]));
    expect(block).toMatchObject({ count: 0, touchedCount: 0 });
    expect(block?.counts.every((count) => count === 0)).toBe(true);
  });

  it('a report holds what is new; the final one also everything that was ever counted by window, and by window only', () => {
    const merge = new WorkerMerge([0, 1]);
    merge.take(0, handoverOf(3, [1, 2]));
    merge.take(1, handoverOf(4, [3]));
    merge.take(1, handoverOf(4, [3, 3], { scope: { kind: 'request', phase: 0, request: 'get' } }));
    const first = merge.takeReport(false);
    expect([first.firstWindow, first.lastWindow, first.final]).toEqual([3, 4, null]);
    expect(merge.hasNews).toBe(false);
    merge.take(0, handoverOf(5, [9]));
    const last = merge.takeReport(true);
    expect([last.firstWindow, last.lastWindow]).toEqual([5, 5]);
    expect(last.counters).toHaveLength(1);
    expect(last.final?.[COUNTER.ok]).toBe(4);
  });

  it('does not share its cells with hand-overs', () => {
    const merge = new WorkerMerge([0]);
    const handover = handoverOf(0, [1]);
    merge.take(0, handover);
    merge.take(0, handoverOf(0, [1]));
    expect(handover.counters[0]?.cell[COUNTER.ok]).toBe(1);
    const report = merge.takeReport(true);
    report.final![COUNTER.ok] = 99;
    expect(merge.takeReport(true).final?.[COUNTER.ok]).toBe(2);
  });

  it('R081 while nothing can be sent it grows by windows and series, not by requests', () => {
    const merge = new WorkerMerge([0]);
    for (let i = 0; i < 500; i += 1) {
      merge.take(
        0,
        handoverOf(
          i % 2,
          Array.from({ length: 50 }, (_, k) => 1000 * k),
          { gauges: [{ name: 'cpu', value: i }] },
        ),
      );
      merge.compact();
    }
    const report = merge.takeReport(false);
    expect(report.series).toHaveLength(2);
    expect(report.counters).toHaveLength(2);
    expect(report.series.reduce((sum, { samples }) => sum + samples.count, 0)).toBe(25_000);
  });

  it('R095 texts are bounded, and counted when they repeat', () => {
    const merge = new WorkerMerge([0]);
    for (let i = 0; i < 1000; i += 1) {
      const failures = [
        { class: 'reset', detail: 'peer', count: 1 },
        { class: 'http-status', detail: `${i}`, count: 1 },
      ];
      merge.take(0, handoverOf(0, [], { failures, warnings: [`warning ${i}`] }));
    }
    const report = merge.takeReport(false);
    expect(report.failures.length).toBe(50);
    expect(report.failures[0]).toEqual({ class: 'reset', detail: 'peer', count: 1000 });
    expect(report.warnings.length).toBe(100);
  });
});

describe('progress of the workers', () => {
  it('R084 a lost worker stays where its last hand-over left it, and the others go on', () => {
    const merge = new WorkerMerge([4, 5]);
    merge.take(4, handoverOf(6, [1]));
    merge.lose(4);
    merge.take(5, handoverOf(9, [1]));
    expect(merge.isOver).toBe(false);
    merge.finish(5);
    expect(merge.isOver).toBe(true);
    expect(merge.takeReport(true).workers).toEqual([
      { slot: 4, decidedThroughNs: 7e9, state: 'lost' },
      { slot: 5, decidedThroughNs: 10e9, state: 'finished' },
    ]);
  });

  it('a worker that has finished cannot be lost any more', () => {
    const merge = new WorkerMerge([0]);
    merge.finish(0);
    merge.lose(0);
    expect(merge.takeReport(true).workers[0]?.state).toBe('finished');
  });

  it('moving on is news even when nothing was sent', () => {
    const merge = new WorkerMerge([0]);
    expect(merge.hasNews).toBe(false);
    merge.take(0, { ...handoverOf(0, []), counters: [], series: [] });
    expect(merge.hasNews).toBe(true);
    expect(merge.takeReport(false).workers[0]?.decidedThroughNs).toBe(1e9);
  });
});

describe('scope keys', () => {
  it('differ where scopes differ, whatever the request is called', () => {
    const scopes: CellScope[] = [
      windowScope(1),
      windowScope(11),
      { kind: 'window', phase: 1, window: 1 },
      { kind: 'request', phase: 0, request: 'w1' },
      { kind: 'request', phase: 0, request: '' },
      { kind: 'request', phase: 0, request: '" ' },
      { kind: 'request', phase: 1, request: '' },
    ];
    expect(new Set(scopes.map(scopeKey)).size).toBe(scopes.length);
  });
});
