import { describe, expect, it } from 'vitest';
import { compileRateCurve } from '../../../../shared/schedule/rate-curve.ts';
import { constantRate, rampRate, sineRate, spikeRate, steppedRate } from '../../../../shared/schedule/rate-shapes.ts';
import { knotsOf } from '../../../support/schedule-of.ts';

describe('rate shapes', () => {
  it('constant and ramp are two knots', () => {
    expect(constantRate(0.1, 3600)).toEqual(knotsOf([0, 0.1], [3600, 0.1]));
    expect(rampRate(1, 25, 60)).toEqual(knotsOf([0, 1], [60, 25]));
  });

  it('steps change suddenly', () => {
    const steps = steppedRate([
      { ratePerSecond: 50, durationNs: 30e9 },
      { ratePerSecond: 500, durationNs: 10e9 },
      { ratePerSecond: 50, durationNs: 20e9 },
    ]);
    expect(steps).toEqual(knotsOf([0, 50], [30, 50], [30, 500], [40, 500], [40, 50], [60, 50]));
    expect(compileRateCurve(steps, 60e9).totalMass).toBe(7500);
  });

  it.each([
    [8000, 1_100_000_000],
    [100, 12_342_857_142_857],
  ])('%d steps of %d ns end where their lengths add up to: no rounding gathers', (count, durationNs) => {
    const steps = steppedRate(Array.from({ length: count }, () => ({ ratePerSecond: 0.001, durationNs })));
    expect(steps.at(-1)?.tSeconds).toBe((count * durationNs) / 1e9);
    expect(() => compileRateCurve(steps, count * durationNs)).not.toThrow();
  });

  it('a spike is the base rate around a rectangle', () => {
    const spike = spikeRate({ baseRatePerSecond: 1e3, peakRatePerSecond: 1e5, atNs: 300e9, widthNs: 1e9 }, 600e9);
    expect(compileRateCurve(spike, 600e9).totalMass).toBe(599e3 + 1e5);
  });

  it('a spike at the very start or end of the phase is allowed, outside it is not', () => {
    const spike = { baseRatePerSecond: 0, peakRatePerSecond: 10, widthNs: 1e9 };
    expect(compileRateCurve(spikeRate({ ...spike, atNs: 0 }, 10e9), 10e9).totalMass).toBe(10);
    expect(compileRateCurve(spikeRate({ ...spike, atNs: 9e9 }, 10e9), 10e9).totalMass).toBe(10);
    // 0.1 s and 0.2 s are more than 0.3 s in doubles.
    expect(spikeRate({ ...spike, atNs: 0.1e9, widthNs: 0.2e9 }, 0.3e9).at(-1)?.tSeconds).toBe(0.3);
    expect(() => spikeRate({ ...spike, atNs: 9.5e9 }, 10e9)).toThrow(
      'spike: 9.5 s to 10.5 s is not inside a phase of 10 s',
    );
  });

  it('a sine has the published masses (M§1.4)', () => {
    const sine = { meanRatePerSecond: 1000, amplitude: 0.5, periodSeconds: 60 };
    const curve = compileRateCurve(sineRate(sine, 60), 60e9);
    // Straight pieces lie inside the bulge of the sine: at most 0.004 % of the mean rate is missing.
    expect(Math.abs(curve.massAt(7.5) - 8898.462107)).toBeLessThan(0.4);
    expect(Math.abs(curve.massAt(15) - 19_774.648293)).toBeLessThan(0.8);
    expect(Math.abs(curve.massAt(30) - 39_549.296586)).toBeLessThan(1.6);
    expect(curve.totalMass).toBeCloseTo(60_000, 6);
  });

  it('a sine of full swing never goes below 0', () => {
    const knots = sineRate({ meanRatePerSecond: 10, amplitude: 1, periodSeconds: 1 }, 7.3);
    expect(Math.min(...knots.map((knot) => knot.ratePerSecond))).toBeGreaterThanOrEqual(0);
    expect(knots.at(-1)?.tSeconds).toBe(7.3);
  });

  it('a sine of many periods gets coarser, then is refused', () => {
    const sine = { meanRatePerSecond: 10, amplitude: 0.5, periodSeconds: 1 };
    expect(sineRate(sine, 60).length).toBe(60 * 256 + 1);
    expect(sineRate(sine, 250).length).toBe(250 * 64 + 1);
    expect(() => sineRate(sine, 300)).toThrow('sine: 300.0 periods in one phase, the limit is 255');
  });

  it.each([
    [{ meanRatePerSecond: 1, amplitude: 1.5, periodSeconds: 1 }, 'sine: amplitude 1.5 is outside 0..1'],
    [{ meanRatePerSecond: 1, amplitude: Number.NaN, periodSeconds: 1 }, 'sine: amplitude NaN'],
    [{ meanRatePerSecond: 1, amplitude: 0.5, periodSeconds: 0 }, 'sine: period 0 s is not positive'],
  ])('refuses %j', (sine, message) => {
    expect(() => sineRate(sine, 10)).toThrow(message);
  });
});
