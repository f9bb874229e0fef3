import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type InstantOptions, azureTraceFormat, parseInstants } from '../../../../shared/schedule/parse-instants.ts';
import { fleetErrorOf } from '../../../support/fleet-error-of.ts';

const azure: InstantOptions = { format: azureTraceFormat, origin: 'first-row', speed: 1, order: 'ascending' };

function csv(unit: 's' | 'ms' | 'us' | 'ns', more: Partial<InstantOptions> = {}): InstantOptions {
  return { format: { kind: 'csv', column: 't', unit }, origin: 'keep', speed: 1, order: 'ascending', ...more };
}

function jsonl(more: Partial<InstantOptions> = {}): InstantOptions {
  return { ...csv('ms', more), format: { kind: 'jsonl', field: 'timestamp', unit: 'ms' } };
}

function read(text: string, options: InstantOptions): number[] {
  return [...parseInstants(text, 'trace', options).instantsNs];
}

function dataFile(name: string): string {
  return readFileSync(new URL(`../../../data/${name}`, import.meta.url), 'utf8');
}

describe('parseInstants on real traces', () => {
  it('reads the Azure CSV to its last digit (100 ns)', () => {
    const { instantsNs, rows } = parseInstants(dataFile('azure-llm-2023-code-40.csv'), 'azure', azure);
    expect(instantsNs.length).toBe(40);
    expect([...instantsNs.subarray(0, 4)]).toEqual([0, 52_000_000, 98_189_000, 140_684_000]);
    // 18:17:38.2643990 after 18:17:03.9799600.
    expect(instantsNs.at(-1)).toBe(34_284_439_000);
    expect([...rows]).toEqual(Array.from({ length: 40 }, (_, row) => row));
  });

  it('reads the Mooncake JSON lines, ten times faster', () => {
    const instants = read(dataFile('mooncake-conversation-20.jsonl'), jsonl({ speed: 10 }));
    expect(instants).toEqual([...new Array<number>(10).fill(0), ...new Array<number>(10).fill(300_000_000)]);
  });

  const whole = new URL('../../../../../shared/data/azure-llm-2023-code.csv', import.meta.url);
  it.runIf(existsSync(whole))('reads the whole Azure trace', () => {
    const { instantsNs } = parseInstants(readFileSync(whole, 'utf8'), 'azure', azure);
    expect(instantsNs.length).toBe(8819);
    expect(instantsNs.at(-1)).toBe(3_435_948_056_000);
  });
});

describe('parseInstants', () => {
  it('keeps every ns of epoch stamps, in any unit', () => {
    const options = { origin: 'first-row' } as const;
    expect(read('t\n1700158623.000000001\n1700158623.000000003\n', csv('s', options))).toEqual([0, 2]);
    expect(read('t\n1700158623000.000001\n1700158623000.000003\n', csv('ms', options))).toEqual([0, 2]);
    expect(read('t\n1700158623000000001\n1700158623000000003\n', csv('ns', options))).toEqual([0, 2]);
  });

  it('keeps the zero of the file, or puts the first row there', () => {
    expect(read('t\n5\n7\n', csv('ms'))).toEqual([5e6, 7e6]);
    expect(read('t\n5\n7\n', csv('ms', { origin: 'first-row' }))).toEqual([0, 2e6]);
  });

  it('keeps every ns of epoch stamps that are JSON numbers, whole or with places', () => {
    const inUnit = (unit: 'ns' | 's'): InstantOptions => ({
      ...jsonl({ origin: 'first-row' }),
      format: { kind: 'jsonl', field: 'timestamp', unit },
    });
    const rows = (stamps: readonly string[]): string => stamps.map((stamp) => `{"timestamp": ${stamp}}\n`).join('');
    const ns = rows(['1700158623979960123', '1700158623979960124', '1700158623979960999']);
    expect(read(ns, inUnit('ns'))).toEqual([0, 1, 876]);
    expect(read(rows(['1700000000.000000100', '1700000000.000000900', '1700000001.5']), inUnit('s'))).toEqual([
      0, 800, 1_499_999_900,
    ]);
  });

  it('scales time and rounds down', () => {
    expect(read('t\n0\n10\n25\n', csv('ns', { speed: 10 }))).toEqual([0, 1, 2]);
    expect(read('t\n0\n10\n', csv('ns', { speed: 0.5 }))).toEqual([0, 20]);
  });

  it('sorts on request and says where each row went', () => {
    const { instantsNs, rows } = parseInstants(
      't\n9\n3\n9\n4\n',
      'trace',
      csv('ns', { order: 'sort', origin: 'first-row' }),
    );
    expect([...instantsNs]).toEqual([0, 1, 6, 6]);
    expect([...rows]).toEqual([1, 3, 0, 2]);
  });

  it('R091 reads what a spreadsheet saves: mark, CRLF, quotes, line breaks, blank last line', () => {
    const text = '\uFEFF"name","t"\r\n"a, ""b""\r\nc","1.5"\r\n\r\nd,2\r\n\r\n';
    expect(read(text, csv('s'))).toEqual([1.5e9, 2e9]);
    expect(read('\uFEFF{"timestamp": 1}\r\n\r\n{"timestamp": "2.5"}\r\n', jsonl())).toEqual([1e6, 2.5e6]);
    expect(
      read('t;u\n1;2\n', { ...csv('s'), format: { kind: 'csv', column: 't', unit: 's', delimiter: ';' } }),
    ).toEqual([1e9]);
  });

  it.each<[string, string, InstantOptions, string]>([
    ['a word', 't\n1\nx\n', csv('s'), 'trace: line 3: "x" is not a number of s'],
    [
      'a date as a number',
      't\n2023-11-16 18:17:03\n',
      csv('s'),
      'trace: line 2: "2023-11-16 18:17:03" is not a number of s',
    ],
    ['a number as a date', 'TIMESTAMP\n17\n', azure, 'trace: line 2: "17" is not a date and time such as'],
    ['an empty value', 't,u\n1,2\n,3\n', csv('s'), 'trace: line 3: "" is not a number of s'],
    ['a ragged row', 't,u\n1,2\n3\n', csv('s'), 'trace: line 3: 1 columns where the header has 2'],
    [
      'a row out of order',
      't\n1\n3\n2\n',
      csv('s'),
      'trace: line 4: "2" is earlier than the row before; sort the rows or ask for it (order: sort)',
    ],
    ['an unknown column', 'tt,u\n1,2\n', csv('s'), 'trace: has no column "t"'],
    ['no rows', 't\n', csv('s'), 'trace: holds no rows'],
    ['nothing', '', csv('s'), 'trace: is empty, expected a header row'],
    [
      'no JSON',
      '{"timestamp": 1}\n{oops\n',
      jsonl(),
      'trace: line 2: is not a JSON object with a number or text in "timestamp"',
    ],
    ['no field', '{"timestamp": 1}\n{"time": 1}\n', jsonl(), 'trace: line 2: is not a JSON object with'],
    ['null', '{"timestamp": null}\n', jsonl(), 'trace: line 1: is not a JSON object with'],
    ['an array', '[1]\n', jsonl(), 'trace: line 1: is not a JSON object with'],
    ['a time before the zero', 't\n-1\n', csv('ns'), 'trace: its earliest instant lies before its zero, by 1 ns'],
    [
      'more than 104 days',
      't\n0\n9007199.254740993\n',
      csv('s'),
      'trace: spans 9007199254740992 ns at speed 1, the limit is 2^53 ns',
    ],
    ['speed 0', 't\n1\n', csv('s', { speed: 0 }), 'trace: speed 0 is not a positive number'],
    ['dates without a zero', 't\n1\n', { ...azure, origin: 'keep' }, 'trace: dates have no zero to keep'],
  ])('refuses %s', (_, text, options, message) => {
    const error = fleetErrorOf(() => read(text, options));
    expect(error?.code).toBe('plan');
    expect(error?.message).toContain(message);
  });
});
