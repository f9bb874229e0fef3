import { describe, expect, it } from 'vitest';
import { peakRatePerSecond } from '../../../../shared/plan/peak-rate.ts';
import { planOfText, smallPlan } from '../../../support/plan-of-text.ts';

const peakOf = (load: string): number => peakRatePerSecond(planOfText(smallPlan('', load)).plan);

describe('the peak rate of a plan', () => {
  it.each([
    ['{rate: 100, duration: 10s}', 100],
    ['{rate: 100, count: 50}', 100],
    ['{rate: {ramp: {from: 0, to: 10}}, duration: 10s}', 10],
    // 50 arrivals by the shape alone, 5000 by the count.
    ['{rate: {ramp: {from: 0, to: 10}}, duration: 10s, count: 5000}', 1000],
    ['{rate: {spike: {base: 1, peak: 4, at: 2s, width: 2s}}, duration: 4s, count: 100}', 40],
    ['{rate: {ramp: {from: 0, to: 10}}, duration: 10s, count: 0}', 0],
    ['{arrivals: "gamma:0.5", rate: 20, duration: 1s}', 20],
    ['{arrivals: all-at-once, count: 9}', 0],
    ['{rate: 5, duration: 1s}, {rate: 7, duration: 1s}', 7],
  ])('%s', (load, peak) => {
    expect(peakOf(load)).toBeCloseTo(peak, 9);
  });

  it('giltene/wrk2#138 is none for a trace of one instant', () => {
    const load = '{arrivals: {trace: {file: t.csv, column: T, unit: s}}}';
    const { plan } = planOfText(smallPlan('', load), { files: { 't.csv': 'T\n5\n5\n' } });
    expect(peakRatePerSecond(plan)).toBe(0);
  });
});
