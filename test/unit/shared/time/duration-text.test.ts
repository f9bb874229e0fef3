import { expect, it } from 'vitest';
import { durationText } from '../../../../shared/time/duration-text.ts';

it.each([
  [0, '0 ns'],
  [999, '999 ns'],
  [1234, '1.23 us'],
  [999_900, '1.00 ms'],
  [-2_500_000, '-2.50 ms'],
  [60_000_000_000, '60.0 s'],
  [3_600_000_000_000, '3600 s'],
])('%d ns are %s for people', (ns, text) => {
  expect(durationText(ns)).toBe(text);
});
