import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GAP_LAWS, type GapLaw, simulateBundling } from '../../../../bench/llm/bundling.ts';

const MEAN = 10;
const DEVIATION = 20;
/** Upper 1 % point of the standard normal. */
const Z99 = 2.3263;

const simulate = (law: GapLaw, bundle: number) =>
  simulateBundling(law, { streams: 2500, tokens: 200, bundle, seed: 5n });

/** Var of the sum of k AR(1) terms over the variance of one (M§10). */
function arFactor(k: number, phi: number): number {
  let sum = k;
  for (let lag = 1; lag < k; lag += 1) sum += 2 * (k - lag) * phi ** lag;
  return sum;
}

describe('bundled tokens, by simulation against the formulas of M§10', () => {
  it.each([1, 2, 4, 8, 16])('independent normal gaps, k = %i: k mean and k mean + z deviation sqrt(k)', (k) => {
    const { meanGap, p99Gap, varianceRatio } = simulate(
      { kind: 'normal', mean: MEAN, deviation: DEVIATION, phi: 0 },
      k,
    );
    expect(meanGap / (k * MEAN)).toBeCloseTo(1, 1);
    expect(Math.abs(p99Gap / (k * MEAN + Z99 * DEVIATION * Math.sqrt(k)) - 1)).toBeLessThan(0.03);
    expect(varianceRatio).toBeCloseTo(1, 1);
  });

  it.each([
    [0.2, 236.9],
    [0.5, 288.2],
    [0.9, 407.3],
  ])('AR(1) gaps with phi %f: p99 of bundles of 8 is %f', (phi, p99) => {
    const { p99Gap, varianceRatio } = simulate({ kind: 'normal', mean: MEAN, deviation: DEVIATION, phi }, 8);
    expect(Math.abs(p99Gap / p99 - 1)).toBeLessThan(0.03);
    expect(Math.abs(varianceRatio / (arFactor(8, phi) / 8) - 1)).toBeLessThan(0.06);
  });

  it.each([
    [{ kind: 'gamma', mean: 10, shape: 0.25 }, 97.36, 265.53],
    [{ kind: 'lognormal', mean: 10, deviation: 20 }, 85.55, 287.2],
  ] as const)('positive laws of the same mean and deviation have other tails (%o)', (law, one, eight) => {
    expect(Math.abs(simulate(law, 1).p99Gap / one - 1)).toBeLessThan(0.04);
    expect(Math.abs(simulate(law, 8).p99Gap / eight - 1)).toBeLessThan(0.05);
  });

  it('a stall of 500 ms at 0.5 % of tokens makes the p99 46 times as long with k = 8: k times is no bound', () => {
    const law = { kind: 'stall', mean: 10, deviation: 1, stall: 500, share: 0.005 } as const;
    const ratio = simulate(law, 8).p99Gap / simulate(law, 1).p99Gap;
    expect(ratio).toBeGreaterThan(45);
    expect(ratio).toBeLessThan(48);
  });

  it('the n - n1 form of TPOT is unbiased, the n - 1 form is short by the first chunk', () => {
    const constant = { kind: 'normal', mean: 20, deviation: 0, phi: 0 } as const;
    const { tpot, tpotN1, samples } = simulateBundling(constant, { streams: 1, tokens: 200, bundle: 8, seed: 1n });
    expect([tpot, tpotN1, samples]).toEqual([expect.closeTo(19.296, 3), expect.closeTo(20, 9), 24]);
  });
});

describe('docs/bundled-tokens.md', () => {
  const page = readFileSync(new URL('../../../../docs/bundled-tokens.md', import.meta.url), 'utf8');

  it.each(GAP_LAWS)('has the row of %s as the simulation gives it', (name, law) => {
    const cells =
      page
        .split('\n')
        .find((line) => line.startsWith(`| ${name} |`))
        ?.split(' | ') ?? [];
    const [one, eight] = (cells[3] ?? '').split(' / ').map(Number);
    // A smaller simulation with another seed: right to a few per cent in the tail.
    expect(Math.abs(simulate(law, 1).p99Gap / (one ?? Number.NaN) - 1)).toBeLessThan(0.06);
    expect(Math.abs(simulate(law, 8).p99Gap / (eight ?? Number.NaN) - 1)).toBeLessThan(0.06);
  });
});
