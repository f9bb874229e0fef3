import { describe, expect, it } from 'vitest';
import { visitCsv } from '../../../../shared/plan/csv.ts';
import { fleetErrorOf } from '../../../support/fleet-error-of.ts';

function rowsOf(text: string, delimiter?: string): { header: string[]; rows: string[][]; lines: number[] } {
  const seen = { header: [] as string[], rows: [] as string[][], lines: [] as number[] };
  visitCsv(
    text,
    'rows.csv',
    {
      header: (names) => (seen.header = [...names]),
      row: (cells, line) => {
        seen.rows.push([...cells]);
        seen.lines.push(line());
      },
    },
    delimiter,
  );
  return seen;
}

describe('visitCsv', () => {
  it('R091 a byte-order mark is no part of the first name', () => {
    expect(rowsOf('\uFEFFid,name\r\n1,a\r\n').header).toEqual(['id', 'name']);
  });

  it('R091 quotes hold commas, doubled quotes and line breaks; blank lines are skipped; lines are those of the file', () => {
    const { rows, lines } = rowsOf('id,name\r\n1,"a,b"\r\n\r\n2,"x ""y""\r\nz"\r\n3,\n\n');
    expect(rows).toEqual([
      ['1', 'a,b'],
      ['2', 'x "y"\r\nz'],
      ['3', ''],
    ]);
    expect(lines).toEqual([2, 4, 6]);
  });

  it('counts lines in a text with characters of several bytes', () => {
    expect(rowsOf('näme\n"é\n€"\n🙂\n').lines).toEqual([2, 4]);
  });

  it('takes another delimiter', () => {
    expect(rowsOf('a;b\n1,5;2\n', ';').rows).toEqual([['1,5', '2']]);
  });

  it.each([
    ['R091 a short row', 'a,b\n1,2\n3\n', 'rows.csv: line 3: 1 columns where the header has 2'],
    ['R091 a long row', 'a,b\n\n1,2,3\n', 'rows.csv: line 3: 3 columns where the header has 2'],
    ['an open quote', 'a,b\n1,"2\n3\n', 'rows.csv: line 2: a quoted value is not closed'],
    ['a stray quote', 'a,b\n1,x"2\n', 'rows.csv: line 2: not CSV: '],
    ['nothing', '', 'rows.csv: is empty, expected a header row'],
  ])('refuses %s', (_, text, message) => {
    const error = fleetErrorOf(() => rowsOf(text));
    expect(error?.code).toBe('plan');
    expect(error?.message).toContain(message);
  });

  it('passes on what the visitor throws', () => {
    const visitor = {
      header: () => undefined,
      row: () => {
        throw new RangeError('mine');
      },
    };
    expect(() => visitCsv('a\n1\n', 'rows.csv', visitor)).toThrow(new RangeError('mine'));
  });
});
