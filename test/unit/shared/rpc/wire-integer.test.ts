import { describe, expect, it } from 'vitest';
import {
  atMostFromWire,
  exactFromWire,
  exactToWire,
  requiredFromWire,
  textFromWire,
} from '../../../../shared/rpc/wire-integer.ts';

describe('exact integers on the border', () => {
  it.each([0, 1, -1, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER])('carries %d both ways', (value) => {
    expect(exactFromWire('x', exactToWire('x', value))).toBe(value);
  });

  it.each([2n ** 53n, -(2n ** 53n), 2n ** 64n - 1n])('refuses %d, which a number cannot hold', (value) => {
    expect(() => exactFromWire('grant.from_ns', value)).toThrow(
      `grant.from_ns is ${value}, the limit is 9007199254740991`,
    );
  });

  it.each([0.5, Number.NaN, Infinity, 2 ** 53])('never sends %d', (value) => {
    expect(() => exactToWire('x', value)).toThrow(`x is ${value}, only exact integers can be sent`);
  });
});

describe('limits on the border', () => {
  it('names field, value and limit', () => {
    expect(atMostFromWire('phase', 255, 255)).toBe(255);
    expect(() => atMostFromWire('phase', 256, 255)).toThrow('phase is 256, the limit is 255');
    expect(textFromWire('name', 'abc', 3)).toBe('abc');
    expect(() => textFromWire('name', 'abcd', 3)).toThrow('name has 4 characters, the limit is 3');
    expect(requiredFromWire('key', 0)).toBe(0);
    expect(() => requiredFromWire('key', undefined)).toThrow('key is missing');
  });
});
