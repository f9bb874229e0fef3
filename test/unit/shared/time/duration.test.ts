import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FleetError } from '../../../../shared/fleet-error.ts';
import { formatDuration, MAX_DURATION_NS, parseDuration } from '../../../../shared/time/duration.ts';

const ACCEPTED: readonly (readonly [text: string, ns: number])[] = [
  ['1ms', 1e6],
  ['2s', 2e9],
  ['5ns', 5],
  ['10us', 10_000],
  ['10\u00b5s', 10_000],
  ['10\u03bcs', 10_000],
  ['250ms', 250e6],
  ['1.5h', 5_400e9],
  ['1m30s', 90e9],
  ['1h0m0.25s', 3_600.25e9],
  ['1.5h10m', 6_000e9],
  ['30d', 2_592_000e9],
  ['0s', 0],
  ['0.000001ms', 1],
  ['007s', 7e9],
  ['2147483648ms', 2_147_483_648e6],
  ['9007199254740991ns', MAX_DURATION_NS],
];

const REFUSED: readonly (readonly [text: string, reason: RegExp])[] = [
  ['', /is empty/],
  ['90', /has no unit/],
  ['60000', /has no unit/],
  ['0', /has no unit/],
  ['1.5', /has no unit/],
  ['-1s', /sign/],
  ['+1s', /sign/],
  ['1e3ms', /unknown unit "e"/],
  ['10 s', /space/],
  [' 10s', /space/],
  ['10s\n', /space/],
  ['1h1h', /repeats the unit "h"/],
  ['1h5m1h', /"h" after a shorter one/],
  ['30s1m', /"m" after a shorter one/],
  ['5M', /unknown unit "M", did you mean m \(minutes\) or ms/],
  ['5S', /did you mean s\?/],
  ['5min', /did you mean m\?/],
  ['5w', /unknown unit "w" \(known: d, h, m, s, ms, us, ns\)/],
  ['s', /cannot be read from "s" on/],
  ['1.s', /cannot be read/],
  ['.5s', /cannot be read/],
  ['1,5s', /cannot be read/],
  ['1_000ms', /cannot be read/],
  ['1s5', /cannot be read from "5" on/],
  ['1m-30s', /cannot be read/],
  ['NaNs', /cannot be read/],
  ['Infinity', /cannot be read/],
  ['0.5ns', /not a whole number of nanoseconds/],
  ['9007199254740992ns', /above the limit/],
  ['105d', /above the limit of 104d5h59m59\.254740991s/],
  ['9'.repeat(80) + 's', /longer than 64 characters/],
];

describe('R086 one duration parser, always with a unit', () => {
  it.each(ACCEPTED)('reads %j as %d ns', (text, ns) => {
    expect(parseDuration(text)).toBe(ns);
  });

  it.each(REFUSED)('refuses %j with the reason and an example', (text, reason) => {
    let caught: unknown;
    try {
      parseDuration(text);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(FleetError);
    expect((caught as FleetError).code).toBe('plan');
    expect((caught as FleetError).message).toMatch(reason);
    expect((caught as FleetError).message).toMatch(/write for example 30s/);
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0s'],
    [5, '5ns'],
    [1_500, '1.5us'],
    [1_234_567, '1.234567ms'],
    [250e6, '250ms'],
    [1.5e9, '1.5s'],
    [60e9, '1m'],
    [90.5e9, '1m30.5s'],
    [3_600e9, '1h'],
    [90_000e9, '1d1h'],
    [60e9 + 5, '1m5ns'],
  ])('writes %d ns as %s', (ns, text) => {
    expect(formatDuration(ns)).toBe(text);
  });

  it('is read back exactly, whatever the value', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.integer({ min: 0, max: 53 }), (value, shift) => {
        const ns = Math.floor(value / 2 ** shift);
        expect(parseDuration(formatDuration(ns))).toBe(ns);
      }),
    );
  });

  it.each([-1, 0.5, NaN, Infinity, 2 ** 53])('refuses %d', (ns) => {
    expect(() => formatDuration(ns)).toThrow(FleetError);
  });
});

it('never throws anything but a FleetError, whatever the text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9.a-zA-Z+ -]*$/)), (text) => {
      try {
        expect(Number.isSafeInteger(parseDuration(text))).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(FleetError);
      }
    }),
  );
});
