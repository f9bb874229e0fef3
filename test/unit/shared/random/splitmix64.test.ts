import { describe, expect, it } from 'vitest';
import { splitMix64 } from '../../../../shared/random/splitmix64.ts';

describe('splitMix64', () => {
  it('gives the known first outputs of seed 0', () => {
    expect([1, 2, 3].map((k) => splitMix64(0n, k))).toEqual([
      0xe220a8397b1dcdafn,
      0x6e789e6aa1b965f4n,
      0x06c45d188009454fn,
    ]);
  });

  it('stays within 64 bits for the largest seed', () => {
    for (let k = 1; k <= 100; k++) expect(splitMix64(2n ** 64n - 1n, k)).toBeLessThan(2n ** 64n);
  });
});
