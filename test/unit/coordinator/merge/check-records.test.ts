import { describe, expect, it } from 'vitest';
import { checkRecords } from '../../../../coordinator/merge/check-records.ts';
import type { AgentReport } from '../../../../shared/metrics/agent-report.ts';
import { encodeRecords } from '../../../../shared/metrics/record-codec.ts';
import { RECORD_OUTCOMES } from '../../../../shared/metrics/request-record.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { mergeOf } from '../../../support/result-of.ts';
import { type RowFields, rowsOf } from '../../../support/request-rows.ts';
import { syntheticRun } from '../../../support/synthetic-run.ts';

const frame = { phaseCount: 2, templateCount: 1, ownSlots: new Set([7]) };

function batch(fields: RowFields, slot = 7) {
  return [{ slot, count: 1, bytes: encodeRecords(rowsOf(fields), 1), leftOut: 0 }];
}

describe('rows of a report', () => {
  it('that fit the plan are read', () => {
    expect(checkRecords(batch({ phase: 1, tokenSource: 1 }), frame)).toEqual([rowsOf({ phase: 1, tokenSource: 1 })]);
  });

  it.each([
    ['a phase that is not in the plan', batch({ phase: 2 }), /phase is 2, must be below 2/],
    ['a request that is not in the plan', batch({ template: 1 }), /template is 1/],
    ['an outcome that this build does not know', batch({ outcome: RECORD_OUTCOMES }), /outcome is/],
    ['a token source that this build does not know', batch({ tokenSource: 99 }), /tokenSource is 99/],
    ['a slot of somebody else', batch({}, 8), /slot 8/],
  ])('%s is refused', (_what, batches, reason) => {
    expect(() => checkRecords(batches, frame)).toThrow(reason);
  });
});

describe('a report with rows', () => {
  const run = syntheticRun({ plan: createPlan({ ratePerSecond: 10, durationNs: 2e9 }), agents: 1 });
  const report = run.reports[0] as AgentReport;
  const withRows = (fields: RowFields): AgentReport => ({
    ...report,
    requests: [{ slot: 0, count: 1, bytes: encodeRecords(rowsOf(fields), 1), leftOut: 2 }],
  });

  it('R072 gives them once, however often it is sent', () => {
    const taken: [string, number, number, number][] = [];
    const merge = mergeOf(run, [], ({ agentId, slot }, rows, leftOut) =>
      taken.push([agentId, slot, rows.length, leftOut]),
    );
    expect(merge.apply(withRows({})).kind).toBe('applied');
    expect(merge.apply(withRows({})).kind).toBe('duplicate');
    expect(taken).toEqual([['agent-1', 0, rowsOf({}).length, 2]]);
  });

  it('R070 is refused whole for one bad row', () => {
    const taken: number[] = [];
    const merge = mergeOf(run, [], (_source, rows) => taken.push(rows.length));
    expect(merge.apply(withRows({ phase: 5 }))).toMatchObject({ kind: 'rejected' });
    expect(taken).toEqual([]);
    expect(merge.senders[0]?.total().every((count) => count === 0)).toBe(true);
  });
});
