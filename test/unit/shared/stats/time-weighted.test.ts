import { describe, expect, it } from 'vitest';
import { Histogram } from '../../../../shared/histogram/histogram.ts';
import { excessBound, harnessQuantiles } from '../../../../shared/stats/excess-bound.ts';
import { timeWeightedQuantiles } from '../../../../shared/stats/time-weighted.ts';
import { histogramOf } from '../../../support/histogram-of.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

describe('timeWeightedQuantiles', () => {
  it('weighs a gap by its time: one of 50 ms among 950 of 1 ms in 1 s is 5 % of the time', () => {
    const gaps = histogramOf([50e6, ...Array.from({ length: 950 }, () => 1e6)]);
    const quantile = timeWeightedQuantiles(gaps, 1e9)!;
    expect(quantile(0.999)).toBe(50e6);
    expect(quantile(0.96)).toBe(50e6);
    expect(quantile(0.94)).toBeGreaterThanOrEqual(1e6);
    expect(quantile(0.94)).toBeLessThan(1.001e6);
  });

  it('takes idle time for time without delay', () => {
    const quantile = timeWeightedQuantiles(histogramOf([1e6]), 1e9)!;
    expect(quantile(0.9)).toBe(0);
    expect(quantile(0.9995)).toBe(1e6);
    expect(quantile(1)).toBe(1e6);
  });

  it('is not made smaller by an observed time that is too short', () => {
    const gaps = histogramOf([1000, 2000]);
    expect(timeWeightedQuantiles(gaps, 0)!(0.5)).toBe(timeWeightedQuantiles(gaps, 3000)!(0.5));
  });

  it('has no quantile without a gap', () => {
    expect(timeWeightedQuantiles(new Histogram(), 1e9)).toBeNull();
  });
});

/** A loop whose turns take `gaps` ns one after the other, and answers that come at random: each waits for its turn's end. */
function answersInLoop(draw: ReturnType<typeof seededRandom>, count: number) {
  const mode = draw.below(3);
  const gaps: number[] = [];
  let length = 0;
  while (length < 2e8) {
    const pause = mode === 0 ? 0 : mode === 1 ? 0.01 : 0.0005;
    const gap = draw.uniform() < pause ? 1 + draw.below(mode === 1 ? 2e6 : 2e7) : 1 + draw.below(2e5);
    gaps.push(gap);
    length += gap;
  }
  const ends: number[] = [];
  let end = 0;
  for (const gap of gaps) ends.push((end += gap));
  const delays = Array.from({ length: count }, () => draw.uniform() * length)
    .sort((a, b) => a - b)
    .map((at) => Math.floor((ends.find((one) => one > at) ?? length) - at));
  return { gaps, length, delays };
}

describe('the excess bound with a receive delay that is only known by the gaps of the loop', () => {
  it('is at least the truth in thousands of cases', () => {
    const draw = seededRandom(31);
    let cases = 0;
    const wrong: string[] = [];
    for (let run = 0; run < 400; run += 1) {
      const count = 50 + draw.below(1500);
      const { gaps, length, delays } = answersInLoop(draw, count);
      const times = delays.map(() => 1_000_000 + Math.floor(draw.exponential(1e7)));
      const lags = delays.map(() => Math.floor(draw.exponential(1e5)));
      const measured = histogramOf(times.map((time, i) => time + lags[i]! + delays[i]!));
      const harness = harnessQuantiles(histogramOf(lags), timeWeightedQuantiles(histogramOf(gaps), length))!;
      const sorted = [...times].sort((a, b) => a - b);
      for (const percentage of [50, 90, 95, 99, 99.9]) {
        const bound = excessBound(measured, percentage, harness)!;
        const rank = Math.max(1, Math.ceil((percentage * count) / 100 - 1e-9));
        cases += 1;
        if (bound.measured - (sorted[rank - 1] as number) > bound.excess) wrong.push(`run ${run} p${percentage}`);
      }
    }
    expect(cases).toBe(2000);
    expect(wrong).toEqual([]);
  }, 60_000);
});
