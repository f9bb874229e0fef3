import { describe, expect, it } from 'vitest';
import { ROWS_MAX, WindowRows, windowsPerRow } from '../../../../coordinator/merge/window-rows.ts';
import { COUNTER, createCounterCell } from '../../../../shared/metrics/counters.ts';
import { readDecodedSparse } from '../../../../shared/histogram/sparse-form.ts';
import { encodeSparse } from '../../../../shared/histogram/sparse-histogram.ts';
import { blockOf, histogramOf } from '../../../support/histogram-of.ts';

describe('WindowRows', () => {
  it('keeps single windows for an hour and widens rows by powers of two beyond', () => {
    expect(windowsPerRow(0)).toBe(1);
    expect(windowsPerRow(3600e9)).toBe(1);
    expect(windowsPerRow(3601e9)).toBe(2);
    expect(windowsPerRow(30 * 86_400e9)).toBe(1024);
    for (const hours of [1, 5, 24, 700])
      expect((hours * 3600) / windowsPerRow(hours * 3600e9)).toBeLessThanOrEqual(ROWS_MAX);
  });

  it('puts windows of one row together and orders rows by time', () => {
    const rows = new WindowRows(1, 7200e9);
    const cell = createCounterCell();
    cell[COUNTER.sent] = 5;
    for (const window of [9, 2, 3, 8]) rows.at(0, window).addCell(cell);
    const ordered = rows.ofPhase(0).map((row) => [row.startNs, row.totals.cell[COUNTER.sent]]);
    expect(ordered).toEqual([
      [2e9, 10],
      [8e9, 10],
    ]);
  });

  it('takes a delta for a row that was compacted long ago', () => {
    const rows = new WindowRows(1, 60e9);
    const add = (window: number, samples: readonly number[]): void => {
      rows.at(0, window).addSeries('response', 'ok', readDecodedSparse(encodeSparse(blockOf(samples))));
    };
    add(0, [1, 2, 3]);
    for (let window = 1; window < 30; window += 1) add(window, [window]);
    add(0, [4e9]);
    expect(
      rows
        .find(0, 0)
        ?.histogram('response', 'ok')
        .equals(histogramOf([1, 2, 3, 4e9])),
    ).toBe(true);
  });
});
