import { describe, expect, it } from 'vitest';
import { type InstantUnit, nsBetween, parseInstantText } from '../../../../shared/schedule/instant-text.ts';

describe('parseInstantText', () => {
  it.each<[string, InstantUnit, number, number]>([
    ['0', 's', 0, 0],
    ['12', 's', 12, 0],
    ['12.5', 's', 12, 500_000_000],
    ['12.', 's', 12, 0],
    ['1700158623.9799600', 's', 1_700_158_623, 979_960_000],
    ['1700158623979.96', 'ms', 1_700_158_623, 979_960_000],
    ['1700158623979960', 'us', 1_700_158_623, 979_960_000],
    ['1700158623979960123', 'ns', 1_700_158_623, 979_960_123],
    ['0.0000000019', 's', 0, 1],
    ['1.5e3', 'ms', 1, 500_000_000],
    ['1E-3', 's', 0, 1_000_000],
    ['1e-12', 's', 0, 0],
    [' 7 ', 'ms', 0, 7_000_000],
    ['+7', 'ns', 0, 7],
    ['-1.25', 's', -2, 750_000_000],
    ['-2', 's', -2, 0],
    ['000000000000000000000000000000000000000000000001', 's', 1, 0],
  ])('reads %j as a number of %s', (text, unit, seconds, nanos) => {
    expect(parseInstantText(text, unit)).toEqual({ seconds, nanos });
  });

  it.each(['', 'x', '1,5', '1_000', '0x10', 'NaN', 'Infinity', '.5', '1e', '1e999', '--1', '1 2', '9'.repeat(50)])(
    'refuses %j as a number',
    (text) => {
      expect(parseInstantText(text, 's')).toBe(null);
    },
  );

  it.each([
    ['2023-11-16 18:17:03.9799600', 1_700_158_623, 979_960_000],
    ['2023-11-16T18:17:03.97996Z', 1_700_158_623, 979_960_000],
    ['2023-11-16T18:17:03', 1_700_158_623, 0],
    ['2023-11-16 18:17:03 UTC', 1_700_158_623, 0],
    ['2023-11-16T20:17:03+02:00', 1_700_158_623, 0],
    ['2023-11-16T12:47:03-0530', 1_700_158_623, 0],
    ['1970-01-01 00:00:00.0000000019', 0, 1],
    ['2024-02-29 00:00:00', 1_709_164_800, 0],
  ])('reads %j as a date', (text, seconds, nanos) => {
    expect(parseInstantText(text, 'date-time')).toEqual({ seconds, nanos });
  });

  it.each([
    '2023-02-29 00:00:00',
    '2023-13-01 00:00:00',
    '2023-00-10 00:00:00',
    '2023-11-16 24:00:00',
    '2023-11-16 18:60:03',
    '2023-11-16 18:17',
    '2023-11-16',
    '16.11.2023 18:17:03',
    '2023-11-16 18:17:03 CET',
    '1700158623',
  ])('refuses %j as a date', (text) => {
    expect(parseInstantText(text, 'date-time')).toBe(null);
  });
});

describe('nsBetween', () => {
  it('is exact where the instants themselves would not fit a double', () => {
    const a = { seconds: 1_700_158_623, nanos: 1 };
    const b = { seconds: 1_700_158_622, nanos: 999_999_999 };
    expect(nsBetween(a, b)).toBe(2);
    expect(nsBetween(b, a)).toBe(-2);
  });
});
