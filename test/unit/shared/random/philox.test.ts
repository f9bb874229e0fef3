import { describe, expect, it } from 'vitest';
import { philox4x32 } from '../../../../shared/random/philox.ts';

type Words = [number, number, number, number];

function philox(counter: Words, key: [number, number]): string {
  const into = new Uint32Array(4);
  philox4x32(...counter, ...key, into);
  return [...into].map((word) => word.toString(16).padStart(8, '0')).join(' ');
}

describe('philox4x32', () => {
  it('gives the known answers of Random123', () => {
    expect(philox([0, 0, 0, 0], [0, 0])).toBe('6627e8d5 e169c58d bc57ac4c 9b00dbd8');
    expect(philox([0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff], [0xffffffff, 0xffffffff])).toBe(
      '408f276d 41c83b0e a20bc7c6 6d5451fd',
    );
    expect(philox([0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0])).toBe(
      'd16cfe09 94fdcceb 5001e420 24126ea1',
    );
  });

  it('reads every word modulo 2^32', () => {
    expect(philox([2 ** 32 + 5, 1, 2, 3], [4, 5])).toBe(philox([5, 1, 2, 3], [4, 5]));
    expect(philox([-1, 1, 2, 3], [4, 5])).toBe(philox([0xffffffff, 1, 2, 3], [4, 5]));
  });

  it('agrees with 64-bit arithmetic on many counters', () => {
    const product = (a: bigint, b: bigint): [bigint, bigint] => [(a * b) >> 32n, (a * b) & 0xffffffffn];
    const slow = (counter: Words, key: [number, number]): string => {
      let [x0, x1, x2, x3] = counter.map(BigInt) as [bigint, bigint, bigint, bigint];
      let [k0, k1] = key.map(BigInt) as [bigint, bigint];
      for (let round = 0; round < 10; round++) {
        const [high0, low0] = product(x0, 0xd2511f53n);
        const [high1, low1] = product(x2, 0xcd9e8d57n);
        [x0, x1, x2, x3] = [high1 ^ x1 ^ k0, low1, high0 ^ x3 ^ k1, low0];
        k0 = (k0 + 0x9e3779b9n) & 0xffffffffn;
        k1 = (k1 + 0xbb67ae85n) & 0xffffffffn;
      }
      return [x0, x1, x2, x3].map((word) => word.toString(16).padStart(8, '0')).join(' ');
    };
    let word = 1;
    const next = (): number => (word = (Math.imul(word, 1_664_525) + 1_013_904_223) >>> 0);
    for (let i = 0; i < 500; i++) {
      const counter: Words = [next(), next(), next(), next()];
      const key: [number, number] = [next(), next()];
      expect(philox(counter, key)).toBe(slow(counter, key));
    }
  });
});
