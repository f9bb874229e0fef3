import { describe, expect, it } from 'vitest';
import { GammaDraws } from '../../../../shared/random/gamma-draw.ts';
import { lowerGamma } from '../../../support/stats/incomplete-gamma.ts';
import { scaledKolmogorovSmirnov } from '../../../support/uniformity.ts';

const seed = { lo: 0x89abcdef, hi: 0x01234567 };

describe('GammaDraws', () => {
  it.each([0.05, 0.25, 0.999, 1, 2.5, 40])('follows Gamma(%d, 1)', (shape) => {
    const draws = new GammaDraws(seed, 0, shape);
    const uniforms = Array.from({ length: 20_000 }, (_, i) => lowerGamma(shape, draws.draw(i)));
    // The 0.1 % point of the statistic, on a fixed seed.
    expect(scaledKolmogorovSmirnov(uniforms)).toBeLessThan(1.95);
  });

  it('gives each index its own draw, whatever was drawn before', () => {
    const inOrder = new GammaDraws(seed, 0, 0.5);
    const list = Array.from({ length: 100 }, (_, i) => inOrder.draw(i));
    const backwards = new GammaDraws(seed, 0, 0.5);
    expect(Array.from({ length: 100 }, (_, i) => backwards.draw(99 - i)).reverse()).toEqual(list);
    expect(new GammaDraws(seed, 1, 0.5).draw(0)).not.toBe(list[0]);
  });

  it('is pinned: other bits would give machines different schedules', () => {
    const draws = new GammaDraws(seed, 0, 0.25);
    expect([0, 1, 2, 2 ** 32].map((i) => draws.draw(i))).toMatchInlineSnapshot(`
      [
        0.006245451758107023,
        1.0977954811917359,
        0.00519439079156754,
        0.0019881140697223906,
      ]
    `);
  });
});
