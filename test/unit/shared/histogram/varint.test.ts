import { describe, expect, it } from 'vitest';
import { VARINT_BYTES_MAX, readVarint, writeVarint } from '../../../../shared/histogram/varint.ts';
import { fleetErrorOf } from '../../../support/fleet-error-of.ts';

function bytesOf(value: number): Uint8Array {
  const buffer = new Uint8Array(VARINT_BYTES_MAX);
  return buffer.slice(0, writeVarint(buffer, 0, value));
}

function read(bytes: readonly number[]): number {
  return readVarint(Uint8Array.from(bytes), { offset: 0 }, 'field');
}

describe('varint', () => {
  it.each([
    [0, [0]],
    [1, [1]],
    [127, [0x7f]],
    [128, [0x80, 0x01]],
    [300, [0xac, 0x02]],
    [2 ** 28 - 1, [0xff, 0xff, 0xff, 0x7f]],
    [2 ** 28, [0x80, 0x80, 0x80, 0x80, 0x01]],
    [2 ** 32, [0x80, 0x80, 0x80, 0x80, 0x10]],
  ])('writes %d as protobuf does', (value, bytes) => {
    expect(Array.from(bytesOf(value))).toEqual(bytes);
    expect(read(bytes)).toBe(value);
  });

  it('goes there and back around every power of two up to 2^53 - 1', () => {
    for (let exponent = 0; exponent <= 53; exponent += 1) {
      for (const value of [2 ** exponent - 1, 2 ** exponent, 2 ** exponent + 1]) {
        if (value <= Number.MAX_SAFE_INTEGER) expect(read(Array.from(bytesOf(value)))).toBe(value);
      }
    }
  });

  it('reads one after the other, and stays where it is when it fails', () => {
    const bytes = Uint8Array.from([0xac, 0x02, 0x05, 0x80]);
    const cursor = { offset: 0 };
    expect([readVarint(bytes, cursor, 'a'), readVarint(bytes, cursor, 'b'), cursor.offset]).toEqual([300, 5, 3]);
    expect(() => readVarint(bytes, cursor, 'c')).toThrow('c: truncated varint');
    expect(cursor.offset).toBe(3);
  });

  it.each([
    ['truncated', [0x80], 'field: truncated varint, bytes end at 1'],
    ['empty', [], 'field: truncated varint, bytes end at 0'],
    ['overlong', [0x85, 0x00], 'field: overlong varint before byte 2'],
    ['above 2^53 - 1', [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10], 'above 2^53 - 1'],
    ['endless', Array.from({ length: 12 }, () => 0xff), 'above 2^53 - 1'],
  ])('refuses %s bytes and says so', (_name, bytes, message) => {
    const error = fleetErrorOf(() => void read(bytes));
    expect(error?.code).toBe('protocol');
    expect(error?.message).toContain(message);
  });
});
