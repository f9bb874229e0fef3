import { describe, expect, it } from 'vitest';
import { philox4x32 } from '../../../../shared/random/philox.ts';
import { u53 } from '../../../../shared/random/u53.ts';
import { ExactCountInstants, assertExactCount } from '../../../../shared/schedule/exact-count.ts';
import { compileRateCurve } from '../../../../shared/schedule/rate-curve.ts';
import { digestInstants } from '../../../../shared/schedule/schedule-digest.ts';
import { knotsOf, sha256, vectorSeed } from '../../../support/schedule-of.ts';

const curve = compileRateCurve(knotsOf([0, 100], [10, 100]), 10e9);

describe('ExactCountInstants', () => {
  it('gives the published exact-N vector (M§1.3)', () => {
    const instants = new ExactCountInstants(vectorSeed, 0, curve);
    const ns = Array.from({ length: 1000 }, (_, i) => instants.nsOfShare(instants.shareOf(i))).sort((a, b) => a - b);
    expect(ns.slice(0, 3)).toEqual([3_817_382, 12_288_623, 18_272_373]);
    expect(ns.at(-1)).toBe(9_988_466_180);
    expect(digestInstants(ns, sha256)).toBe('0eb87d6a790ccb03e0741a13206ddcb7091019c4494e5f8bcd520690f3e3d506');
  });

  it('uses both words of an index above 2^32', () => {
    const words = new Uint32Array(4);
    philox4x32(9, 5, 0, 2 | (77 << 8), vectorSeed.lo, vectorSeed.hi, words);
    const instants = new ExactCountInstants(vectorSeed, 77, curve);
    expect(instants.shareOf(5 * 2 ** 32 + 9)).toBe(u53(words[0] as number, words[1] as number));
  });
});

describe('assertExactCount', () => {
  it('accepts no arrivals at rate 0, refuses any there', () => {
    const idle = compileRateCurve(knotsOf([0, 0], [10, 0]), 10e9);
    expect(() => assertExactCount(0, idle)).not.toThrow();
    expect(() => assertExactCount(1, idle)).toThrow('1 arrivals cannot be placed by a rate curve that is 0 throughout');
  });

  it.each([-1, 0.5, Number.NaN, 2 ** 53])('refuses %d', (count) => {
    expect(() => assertExactCount(count, curve)).toThrow(`exact count: ${count} is not an integer >= 0`);
  });
});
