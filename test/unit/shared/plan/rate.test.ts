import { describe, expect, it } from 'vitest';
import { parseRate } from '../../../../shared/plan/rate.ts';

describe('rates', () => {
  it.each([
    ['100', 100],
    ['0', 0],
    ['-0', 0],
    ['0.1', 0.1],
    ['1e3', 1000],
    ['100/s', 100],
    ['6000/min', 100],
    ['36/h', 0.01],
    ['1000000000', 1e9],
  ])('%s', (text, perSecond) => {
    expect(parseRate(text)).toBe(perSecond);
  });

  it.each([
    ['-1', /outside 0\.\.1000000000/],
    ['1e10', /outside/],
    ['1_000', /not a rate/],
    ['010', /not a rate/],
    ['0x10', /not a rate/],
    ['1:30', /not a rate/],
    ['.nan', /not a rate/],
    ['.inf', /not a rate/],
    ['NaN', /not a rate/],
    ['Infinity', /not a rate/],
    ['1e999', /not a rate/],
    ['', /not a rate/],
    ['/s', /not a rate/],
    ['fast', /not a rate/],
    ['100/m', /unknown unit/],
    ['100/sec', /unknown unit/],
    ['100 rps', /not a rate/],
  ])('%s is refused', (text, message) => {
    expect(() => parseRate(text)).toThrow(message);
  });
});
