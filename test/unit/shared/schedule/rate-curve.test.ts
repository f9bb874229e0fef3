import { describe, expect, it } from 'vitest';
import { compileRateCurve, knotsMax } from '../../../../shared/schedule/rate-curve.ts';
import { knotsOf } from '../../../support/schedule-of.ts';

function curveOf(...points: readonly (readonly [number, number])[]) {
  return compileRateCurve(knotsOf(...points), (points.at(-1)?.[0] ?? 0) * 1e9);
}

describe('rate curve', () => {
  it('inverts a ramp as published (M§1.4)', () => {
    const ramp = curveOf([0, 100], [60, 700]);
    expect(ramp.totalMass).toBe(24_000);
    expect(ramp.massAt(60)).toBe(24_000);
    expect(ramp.secondsOf(550)).toBe(4.491376746189438);
    expect(ramp.secondsOf(12_000)).toBe(40);
  });

  it('has mass 0 before its start and L(T) from its end on', () => {
    const curve = curveOf([0, 10], [5, 10]);
    expect(curve.massAt(-1)).toBe(0);
    expect(curve.massAt(0)).toBe(0);
    expect(curve.massAt(2.5)).toBe(25);
    expect(curve.massAt(5)).toBe(50);
    expect(curve.massAt(1e9)).toBe(50);
  });

  it('gives mass and time as inverses across ramps, steps and pauses', () => {
    const curve = curveOf([0, 0], [10, 50], [20, 0], [30, 0], [30, 80], [40, 80], [40, 5], [45, 5], [50, 0]);
    for (let mass = 0.125; mass < curve.totalMass; mass += 0.71) {
      expect(curve.massAt(curve.secondsOf(mass))).toBeCloseTo(mass, 7);
    }
  });

  it('never places mass in a pause', () => {
    const curve = curveOf([0, 10], [1, 10], [1, 0], [5, 0], [5, 10], [6, 10]);
    expect(curve.totalMass).toBe(20);
    expect(curve.segmentOf(10 - 1e-9)).toBe(0);
    expect(curve.nsOf(10 - 1e-9)).toBe(999_999_999);
    // The mass that is reached as the pause begins is reached again only when it ends: the first instant of the next piece.
    expect(curve.nsOf(10)).toBe(5_000_000_000);
    expect(curve.massAt(3)).toBe(10);
  });

  it('R009 a ramp from 0 and a ramp to 0 give no NaN at their ends', () => {
    const up = curveOf([0, 0], [10, 20]);
    expect(up.nsOf(0)).toBe(0);
    expect(up.nsOf(Number.MIN_VALUE)).toBeGreaterThanOrEqual(0);
    expect(up.secondsOf(25)).toBe(5);
    const down = curveOf([0, 20], [10, 0]);
    expect(down.secondsOf(0)).toBe(0);
    expect(down.secondsOf(75)).toBe(5);
    expect(down.secondsOf(100)).toBe(10);
    expect(down.nsOf(100)).toBe(10e9 - 1);
    expect(down.nsOf(100 - 1e-12)).toBeLessThan(10e9);
  });

  it('places nothing at or after the end of the phase', () => {
    const curve = curveOf([0, 3], [0.7, 3]);
    expect(curve.lastNs).toBe(699_999_999);
    for (const below of [0, 1e-16, 1e-15, 1e-12]) expect(curve.nsOf(curve.totalMass * (1 - below))).toBeLessThan(0.7e9);
  });

  it('stays inside a phase whose length in ns does not survive decimal seconds', () => {
    for (let durationNs = 1; durationNs < 4e9; durationNs += 7_654_321) {
      const tSeconds = durationNs / 1e9;
      const curve = compileRateCurve(knotsOf([0, 1e6], [tSeconds, 1e6]), durationNs);
      expect(curve.lastNs).toBe(durationNs - 1);
    }
  });

  it('finds the same segment from any start', () => {
    const curve = curveOf(...Array.from({ length: 100 }, (_, i) => [i, i % 3] as const));
    for (let mass = 0; mass < curve.totalMass; mass += 0.37) {
      const segment = curve.segmentOf(mass);
      for (const near of [0, 5, 50, 98]) expect(curve.segmentNear(mass, near)).toBe(segment);
      expect(curve.massAtKnot(segment)).toBeLessThanOrEqual(mass);
      expect(curve.massAtKnot(segment + 1)).toBeGreaterThan(mass);
    }
  });

  it('accepts a rate of 0 throughout', () => {
    expect(curveOf([0, 0], [60, 0]).totalMass).toBe(0);
  });

  it.each([
    ['too few knots', knotsOf([0, 1]), 'rate curve: 1 knots, allowed are 2..16384'],
    ['a late start', knotsOf([1, 1], [2, 1]), 'rate curve: knot 0 at 1 s is out of order (the first is at 0)'],
    ['a step back', knotsOf([0, 1], [3, 1], [2, 1]), 'rate curve: knot 2 at 2 s is out of order (not before 3 s)'],
    [
      'a negative rate',
      knotsOf([0, 1], [3, -1]),
      'rate curve: knot 1 has rate -1/s, allowed is 0 or 1e-12..1000000000/s',
    ],
    ['a rate above one per ns', knotsOf([0, 1], [3, 2e9]), 'rate curve: knot 1 has rate 2000000000/s'],
    ['a rate next to nothing', knotsOf([0, 1e-13], [3, 1]), 'rate curve: knot 0 has rate 1e-13/s'],
    ['NaN', knotsOf([0, 1], [3, Number.NaN]), 'rate curve: knot 1 has rate NaN/s'],
    ['an endless knot', knotsOf([0, 1], [Infinity, 1]), 'rate curve: knot 1 at Infinity s is out of order'],
    ['an end after the phase', knotsOf([0, 1], [11, 1]), 'its last knot at 11 s lies after the phase'],
  ])('refuses %s', (_, knots, message) => {
    expect(() => compileRateCurve(knots, 10e9)).toThrow(message);
  });

  it('refuses more knots than a plan can carry', () => {
    const knots = Array.from({ length: knotsMax + 1 }, (_, i) => ({ tSeconds: i, ratePerSecond: 1 }));
    expect(() => compileRateCurve(knots, 1e15)).toThrow('rate curve: 16385 knots');
  });
});
