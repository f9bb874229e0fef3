import { expect, it } from 'vitest';
import { WindowRows } from '../../../../coordinator/merge/window-rows.ts';
import { lateTokensOf } from '../../../../coordinator/report/late-tokens.ts';
import { createRecordingBlock, record } from '../../../../shared/histogram/recording-block.ts';
import { readDecodedSparse } from '../../../../shared/histogram/sparse-form.ts';
import { encodeSparse } from '../../../../shared/histogram/sparse-histogram.ts';
import type { SeriesStatus } from '../../../../shared/metrics/metric.ts';
import { createPlan } from '../../../support/plan-fixture.ts';

/** Rows of one phase in which answers of so many tokens ended in these windows. */
function rowsOf(ends: readonly (readonly [window: number, tokens: number, status?: SeriesStatus])[]): WindowRows {
  const rows = new WindowRows(1, 10e9);
  for (const [window, tokens, status = 'ok'] of ends) {
    const block = createRecordingBlock();
    record(block, tokens);
    rows.at(0, window).addSeries('outputTokens', status, readDecodedSparse(encodeSparse(block)));
  }
  return rows;
}

it('R059 tokens of ok answers that ended behind the scheduled end of their phase', () => {
  const plan = createPlan({ ratePerSecond: 8, durationNs: 10e9 });
  const rows = rowsOf([
    [0, 100],
    [9, 50],
    [10, 30],
    [12, 5],
    [13, 70, 'failed'],
  ]);
  expect(lateTokensOf(plan, { rows })).toBe(35);
  const [phase] = plan.phases;
  if (phase === undefined) throw new Error('no phase');
  expect(lateTokensOf({ ...plan, phases: [{ ...phase, warmup: true }] }, { rows })).toBe(0);
  expect(lateTokensOf({ ...plan, phases: [{ ...phase, durationNs: 0 }] }, { rows })).toBe(0);
  // A trace of one instant lasts the 1 ns that holds it.
  const trace = {
    ...phase,
    durationNs: 1,
    arrivals: { kind: 'trace', instants: { name: 't', sizeBytes: 8, sha256: 'a'.repeat(64) }, count: 5 },
  } as const;
  expect(lateTokensOf({ ...plan, phases: [trace] }, { rows })).toBe(0);
});
