import { describe, expect, it } from 'vitest';
import { decodeDataText, readDataTable } from '../../../../shared/plan/data-rows.ts';

describe('a data file', () => {
  it('becomes columns and rows', () => {
    const bytes = new TextEncoder().encode('id,name\n1,a\n2,"b,c"\n');
    expect(readDataTable(bytes, 'u.csv')).toEqual({
      columns: ['id', 'name'],
      rows: [
        ['1', 'a'],
        ['2', 'b,c'],
      ],
    });
  });

  it('R091 that is too large for one text is told so, not that its bytes are wrong', () => {
    expect(() => decodeDataText(new Uint8Array(2 ** 29), 'u.csv')).toThrow(
      'u.csv: has 536870912 bytes, the limit for rows is 536870888',
    );
    expect(() => decodeDataText(new Uint8Array([0xff, 0xfe, 0x69, 0x00]), 'u.csv')).toThrow('is not UTF-8 text');
  });
});
