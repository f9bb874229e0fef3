import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import {
  bigInteger,
  count,
  listOf,
  mapOf,
  nullable,
  oneOf,
  record,
  shape,
  share,
} from '../../../shared/json-schema.ts';

const whole = shape({
  count,
  share: nullable(share),
  total: bigInteger,
  words: listOf(oneOf('a', 'b')),
  by: mapOf(count),
  two: record(['x', 'y'], count),
});
const GOOD = { count: 3, share: null, total: '9007199254740993', words: ['a'], by: { any: 1 }, two: { x: 0, y: 1 } };

const isAllowed = new Ajv2020({ strict: false }).compile(whole);

describe('the terms of our JSON Schemas', () => {
  it('allow what they name', () => {
    expect(isAllowed(GOOD)).toBe(true);
  });

  it.each([
    ['a member that is not named', { more: 1 }],
    ['a count below 0', { count: -1 }],
    ['a count that a number cannot hold', { count: 2 ** 53 }],
    ['a share above 1', { share: 1.01 }],
    ['a large integer in other text', { total: '0x10' }],
    ['another word', { words: ['c'] }],
    ['a value of another kind under any name', { by: { any: 'one' } }],
    ['a record without one of its names', { two: { x: 0 } }],
  ])('refuse %s', (_title, changed) => {
    expect(isAllowed({ ...GOOD, ...changed })).toBe(false);
  });

  it('refuse an object without one of its members', () => {
    const { count: _left, ...rest } = GOOD;
    expect(isAllowed(rest)).toBe(false);
  });
});
