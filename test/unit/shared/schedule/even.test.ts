import { describe, expect, it } from 'vitest';
import type { Knot } from '../../../../shared/schedule/arrival-law.ts';
import { evenInstants } from '../../../../shared/schedule/even.ts';
import { compileRateCurve } from '../../../../shared/schedule/rate-curve.ts';
import { rampRate, steppedRate } from '../../../../shared/schedule/rate-shapes.ts';
import { knotsOf } from '../../../support/schedule-of.ts';

function even(knots: Knot[]): number[] {
  const instants = evenInstants(compileRateCurve(knots, (knots.at(-1)?.tSeconds ?? 0) * 1e9));
  return Array.from({ length: instants.count }, (_, i) => instants.nsOf(i));
}

describe('evenInstants', () => {
  it('are (i + 1/2) / rate at a constant rate', () => {
    for (const rate of [0.1, 1, 3, 7, 999, 1e6 / 7]) {
      const seconds = 100 / rate;
      const instants = even(knotsOf([0, rate], [seconds, rate]));
      expect(instants.length).toBe(100);
      expect(instants).toEqual(instants.map((_, i) => Math.floor(((i + 0.5) / rate) * 1e9)));
    }
  });

  it('are the mass rounded to the nearest integer in number', () => {
    expect(even(knotsOf([0, 1], [0.5, 1])).length).toBe(0);
    expect(even(knotsOf([0, 1], [0.51, 1])).length).toBe(1);
    expect(even(knotsOf([0, 0.1], [10, 0.1])).length).toBe(1);
    expect(even(knotsOf([0, 10], [9.96, 10])).length).toBe(100);
    expect(even(knotsOf([0, 0], [60, 0])).length).toBe(0);
  });

  it('follow a ramp: the gap is the inverse of the rate', () => {
    const instants = even(rampRate(0, 100, 10));
    expect(instants.length).toBe(500);
    // L(t) = 5 t^2 = i + 1/2.
    for (const [i, ns] of instants.entries()) expect(Math.abs(ns - Math.sqrt((i + 0.5) / 5) * 1e9)).toBeLessThan(2);
  });

  it('keep their distance across steps and pauses', () => {
    const instants = even(
      steppedRate([
        { ratePerSecond: 10, durationNs: 1e9 },
        { ratePerSecond: 0, durationNs: 1e9 },
        { ratePerSecond: 100, durationNs: 1e9 },
      ]),
    );
    expect(instants.length).toBe(110);
    expect(instants.filter((ns) => ns >= 1e9 && ns < 2e9)).toEqual([]);
    expect(instants[9]).toBe(0.95e9);
    expect(instants[10]).toBe(2.005e9);
  });
});
