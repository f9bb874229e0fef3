import { describe, expect, it } from 'vitest';
import { createArrival } from '../../../../shared/schedule/arrival-stream.ts';

describe('createArrival', () => {
  it('is a fresh record with every field zero', () => {
    expect(createArrival()).toEqual({ phase: 0, intendedNs: 0, lane: 0, block: 0, rank: 0, index: 0 });
    expect(createArrival()).not.toBe(createArrival());
  });
});
