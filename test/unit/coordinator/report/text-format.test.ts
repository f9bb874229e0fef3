import { describe, expect, it } from 'vitest';
import {
  countText,
  fitted,
  rateText,
  shareText,
  spanText,
  table,
  timeText,
} from '../../../../coordinator/report/text-format.ts';

describe('numbers as text', () => {
  it.each([
    [null, '-'],
    [0, '0 ns'],
    [999, '999 ns'],
    [1234, '1.23 us'],
    [45_678, '45.7 us'],
    [999_900, '1.00 ms'],
    [123_456_789, '123 ms'],
    [12_000_000_000, '12.0 s'],
    [3_600_000_000_000, '3600 s'],
  ])('the time %s is %s', (ns, text) => {
    expect(timeText(ns)).toBe(text);
  });

  it('separates thousands', () => {
    expect([countText(null), countText(999), countText(1000), countText(1234567)]).toEqual([
      '-',
      '999',
      '1,000',
      '1,234,567',
    ]);
  });

  it('keeps digits of small rates', () => {
    expect([rateText(null), rateText(0), rateText(0.1), rateText(1999.96), rateText(123456.78)]).toEqual([
      '-',
      '0.0/s',
      '0.100/s',
      '2,000.0/s',
      '123,456.8/s',
    ]);
  });

  it.each([
    [1 / 3600, '0.000278/s'],
    [1 / 86_400, '0.0000116/s'],
    [0.0099996, '0.0100/s'],
    [0.01, '0.010/s'],
    [3e-9, '3.00e-9/s'],
  ])('never rounds the rate %s to none', (perSecond, text) => {
    expect(rateText(perSecond)).toBe(text);
  });

  it('never rounds a share to none or all', () => {
    expect([
      shareText(null),
      shareText(0),
      shareText(0.00001),
      shareText(0.5),
      shareText(0.99999),
      shareText(1),
    ]).toEqual(['-', '0.00 %', '<0.01 %', '50.00 %', '>99.99 %', '100.00 %']);
  });

  it('writes run times', () => {
    expect([spanText(0), spanText(20e6), spanText(1)]).toEqual(['0.0 s', '20.0 ms', '1 ns']);
    expect([spanText(null), spanText(1.5e9), spanText(61e9), spanText(3723e9), spanText(90_000e9)]).toEqual([
      '-',
      '1.5 s',
      '01m 01s',
      '1h 02m 03s',
      '25h 00m 00s',
    ]);
  });
});

describe('layout', () => {
  it('cuts by characters, not in the middle of one', () => {
    expect(fitted('abc', 3)).toBe('abc');
    expect(fitted('a😀b😀', 3)).toBe('a😀…');
  });

  it('puts cells in columns', () => {
    expect(
      table(
        [
          ['a', '1', ''],
          ['long', '1,000', 'x'],
        ],
        '  ',
      ),
    ).toEqual(['  a         1', '  long  1,000  x']);
  });
});
