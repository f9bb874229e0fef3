import { describe, expect, it } from 'vitest';
import { parseSeed, seedFromBigInt } from '../../../../shared/random/seed.ts';

describe('parseSeed', () => {
  it.each([
    ['0', 0n],
    ['42', 42n],
    [' 42 ', 42n],
    ['0x2A', 42n],
    ['0x0123456789abcdef', 0x0123456789abcdefn],
    ['18446744073709551615', 2n ** 64n - 1n],
    ['0XffffffffFFFFFFFF', 2n ** 64n - 1n],
  ])('reads %j', (text, value) => {
    expect(parseSeed(text)).toBe(value);
  });

  it.each(['', 'abc', '-1', '1.5', '1e3', '0x', '0xg', '0b1', '1_000', '½', '010', '00'])('refuses %j', (text) => {
    expect(() => parseSeed(text)).toThrow(`seed: "${text}" is not a decimal or 0x hexadecimal number`);
  });

  it('refuses 2^64 and names the limit', () => {
    expect(() => parseSeed('18446744073709551616')).toThrow('above the largest seed, 18446744073709551615');
  });
});

describe('seedFromBigInt', () => {
  it('splits into the two words of the key, low first', () => {
    expect(seedFromBigInt(0x0123456789abcdefn)).toEqual({ lo: 0x89abcdef, hi: 0x01234567 });
    expect(seedFromBigInt(2n ** 64n - 1n)).toEqual({ lo: 0xffffffff, hi: 0xffffffff });
  });

  it.each([-1n, 2n ** 64n])('refuses %s', (value) => {
    expect(() => seedFromBigInt(value)).toThrow('outside 0..18446744073709551615');
  });
});
