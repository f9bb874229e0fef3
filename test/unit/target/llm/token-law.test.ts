import { describe, expect, it } from 'vitest';
import { seedFromBigInt } from '../../../../shared/random/seed.ts';
import { DRAW_PURPOSE, parseTokenLaw, TokenDraws } from '../../../../target/llm/token-law.ts';
import { fleetErrorOf } from '../../../support/fleet-error-of.ts';

const seed = seedFromBigInt(7n);

function draws(text: string, count: number, purpose: number = DRAW_PURPOSE.gap, identity = 5): number[] {
  const words = Uint32Array.of(1, 2, identity, 99);
  const source = new TokenDraws(parseTokenLaw('gap', text), seed, words, purpose);
  return Array.from({ length: count }, () => source.next());
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Squared coefficient of variation. */
function scvOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return meanOf(values.map((value) => (value - mean) ** 2)) / mean ** 2;
}

/** Correlation of each value with the next one. */
function lagOneOf(values: readonly number[]): number {
  const mean = meanOf(values);
  const products = values.slice(1).map((value, index) => (value - mean) * ((values[index] as number) - mean));
  return meanOf(products) / meanOf(values.map((value) => (value - mean) ** 2));
}

const COUNT = 40_000;

describe('laws of token times', () => {
  // Standard errors of the mean over 40,000 draws are at most 0.6 % here; of the SCV at most about 4 %.
  it.each([
    ['constant:20ms', 20e6, 0],
    ['exponential:20ms', 20e6, 1],
    ['gamma:20ms:4', 20e6, 1 / 4],
    ['lognormal:20ms:0.5', 20e6, Math.exp(0.25) - 1],
    ['stall:10ms:500ms:0.02', 20e6, (0.02 * 0.98 * 500 ** 2) / 20 ** 2],
    ['ar1:20ms:4ms:0.5', 20e6, (4 / 20) ** 2],
  ])('%s has its mean and its squared coefficient of variation', (text, mean, scv) => {
    const values = draws(text, COUNT);
    expect(Math.abs(meanOf(values) / mean - 1)).toBeLessThan(0.06);
    expect(Math.abs(scvOf(values) - scv)).toBeLessThanOrEqual(0.1 * scv);
    expect(values.every((value) => Number.isInteger(value) && value >= 0)).toBe(true);
  });

  it.each([0, 0.5, 0.9])('AR(1) gaps follow each other by phi = %f', (phi) => {
    expect(lagOneOf(draws(`ar1:100ms:5ms:${phi}`, COUNT))).toBeCloseTo(phi, 1);
  });

  it('gives independent gaps for the other laws', () => {
    expect(Math.abs(lagOneOf(draws('exponential:20ms', COUNT)))).toBeLessThan(0.03);
  });

  it('repeats for one identity, and differs by identity and by purpose', () => {
    const first = draws('exponential:20ms', 5);
    expect(draws('exponential:20ms', 5)).toEqual(first);
    expect(draws('exponential:20ms', 5, DRAW_PURPOSE.gap, 6)).not.toEqual(first);
    expect(draws('exponential:20ms', 5, DRAW_PURPOSE.firstToken)).not.toEqual(first);
  });

  it.each([
    ['normal:20ms', /unknown kind/],
    ['constant', /one duration is needed/],
    ['constant:20ms:3', /one duration is needed/],
    ['constant:20', /no unit/],
    ['gamma:20ms:1.5', /whole shape/],
    ['gamma:20ms:65', /1\.\.64/],
    ['lognormal:20ms', /sigma is not in 0\.\.5/],
    ['stall:10ms:1s:1.5', /share is not in 0\.\.1/],
    ['ar1:10ms:1ms:x', /phi is not in 0\.\.1/],
    ['ar1:10ms:1ms:0.5:9', /too many parts/],
  ])('refuses %s', (text, reason) => {
    const error = fleetErrorOf(() => parseTokenLaw('ttft', text));
    expect([error?.code, error?.message]).toEqual(['plan', expect.stringMatching(reason)]);
  });
});
