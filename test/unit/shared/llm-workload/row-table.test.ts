import { describe, expect, it } from 'vitest';
import { parseLaterTurns } from '../../../../shared/llm-workload/later-turns.ts';
import { encodeRows, isGenerated, WORKLOAD_COLUMNS } from '../../../../shared/llm-workload/row-table.ts';
import type { WorkloadRow } from '../../../../shared/llm-workload/workload-row.ts';
import { readDataTable } from '../../../../shared/plan/data-rows.ts';

const rowOf = (row: Partial<WorkloadRow>): WorkloadRow => ({
  prompt: { kind: 'text', text: 'x' },
  inputTokens: 3,
  outputTokens: 7,
  session: null,
  at: null,
  ...row,
});

describe('the data file of a workload', () => {
  it('reads back as the plan reads data files, whatever a text holds', () => {
    const text = 'a "quoted", line\r\nand another\n{{prompt}} \u{1F600}';
    const rows = [
      rowOf({ prompt: { kind: 'text', text }, session: 's,1' }),
      rowOf({ prompt: { kind: 'text', text: '' }, outputTokens: 0 }),
      rowOf({ outputTokens: null }),
    ];
    const table = readDataTable(encodeRows(rows), 'rows');
    expect(table.columns).toEqual([...WORKLOAD_COLUMNS]);
    expect(table.rows).toEqual([
      [text, '3', '7', 's,1'],
      ['', '3', '1', ''],
      ['x', '3', '128', ''],
    ]);
  });

  it('says for each later turn how long its answer may be, so that none keeps the length of the turn before', () => {
    const turn = (outputTokens: number | null) => ({ text: 'y', outputTokens, delayNs: 0 });
    const rows = [rowOf({ laterTurns: [turn(10), turn(null)] })];
    const cell = readDataTable(encodeRows(rows), 'rows').rows[0]?.[4] ?? '';
    expect(parseLaterTurns(cell).map(({ outputTokens }) => outputTokens)).toEqual([10, 128]);
  });

  it('holds recipes for generated prompts', () => {
    const rows = [
      rowOf({
        prompt: {
          kind: 'blocks',
          blocks: [
            { key: 'h1', tokens: 2 },
            { key: 'r0', tokens: 1 },
          ],
        },
      }),
    ];
    expect(isGenerated(rows)).toBe(true);
    expect(readDataTable(encodeRows(rows), 'rows').rows[0]?.[0]).toBe('h1*2 r0*1');
  });
});
