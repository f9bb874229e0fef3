import { describe, expect, it } from 'vitest';
import { u53 } from '../../../../shared/random/u53.ts';

describe('u53', () => {
  it('covers [0, 1) with 53 bits', () => {
    expect(u53(0, 0)).toBe(0);
    expect(u53(0xffffffff, 0xffffffff)).toBe(1 - 2 ** -53);
    expect(u53(0, 64)).toBe(2 ** -53);
    expect(u53(32, 0)).toBe(2 ** -27);
    expect(u53(0x80000000, 0)).toBe(0.5);
  });

  it('ignores the low 5 and 6 bits', () => {
    expect(u53(31, 63)).toBe(0);
  });

  it('reads the count words of lane 0, block 0 as published', () => {
    expect(u53(0xb850222e, 0xc58cb04b)).toBe(0.719972742882952);
  });
});
