import { describe, expect, it } from 'vitest';
import { Histogram } from '../../../../shared/histogram/histogram.ts';
import {
  alphasFor,
  excessBound,
  harnessQuantiles,
  type QuantileFunction,
  targetFloor,
} from '../../../../shared/stats/excess-bound.ts';
import { histogramOf } from '../../../support/histogram-of.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

const exponential =
  (mean: number): QuantileFunction =>
  (q) =>
    -mean * Math.log(1 - q);

describe('targetFloor, M exponential with mean 10, H with mean 0.1, p99 (M§9.1)', () => {
  it.each([
    [0.0005, 44.80371],
    [0.001, 44.407825],
    [0.002, 43.607025],
    [0.000101, 45.031169],
  ])('alpha %d gives %d', (alpha, expected) => {
    expect(targetFloor(0.99, alpha, exponential(10), exponential(0.1))).toBeCloseTo(expected, 6);
  });

  it('is best near alpha = 0.000101', () => {
    const at = (alpha: number): number => targetFloor(0.99, alpha, exponential(10), exponential(0.1));
    expect(at(0.000101)).toBeGreaterThan(at(0.00009));
    expect(at(0.000101)).toBeGreaterThan(at(0.00011));
  });
});

describe('alphasFor', () => {
  it('keeps those below 1 - p, and parts of 1 - p beyond p99.99', () => {
    expect(alphasFor(0.99)).toEqual([0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005]);
    expect(alphasFor(0.999)).toEqual([0.0001, 0.0002, 0.0005]);
    expect(alphasFor(0.5).at(-1)).toBe(0.1);
    expect(alphasFor(0.9).at(-1)).toBe(0.05);
    for (const alpha of alphasFor(0.9999)) {
      expect(alpha).toBeGreaterThan(0);
      expect(alpha).toBeLessThan(0.0001);
    }
  });
});

/** Quantiles by number, of delays that are known one by one. */
const quantilesOf =
  (histogram: Histogram): QuantileFunction =>
  (q) =>
    histogram.percentile(q * 100) as number;

const SAMPLES = 200_000;
const MS = 1e6;

/** The harness delay of the i-th of `SAMPLES` requests whose true times are given, in ms. */
type Injection = (truth: Float64Array) => Float64Array;

/** True times (exponential, mean 10 ms), measured times, and the bound for p99, all in ms. */
function measure(inject: Injection): { truth: number; measured: number; floor: number } {
  const random = seededRandom(99);
  const times = Float64Array.from({ length: SAMPLES }, () => random.exponential(10));
  const delays = inject(times);
  const measured = histogramOf(times.map((time, i) => (time + (delays[i] as number)) * MS));
  const harness = histogramOf(delays.map((delay) => delay * MS));
  const bound = excessBound(measured, 99, (q) => harness.percentile(q * 100) as number)!;
  const truth = times.slice().sort()[Math.ceil(0.99 * SAMPLES) - 1] as number;
  return { truth, measured: bound.measured / MS, floor: (bound.measured - bound.excess) / MS };
}

const random = seededRandom(4);
const injections: [string, Injection, number][] = [
  ['independent lag', (truth) => truth.map(() => random.exponential(0.1)), 45.01],
  ['lag on the slowest 1 % only', (truth) => onTheSlowest(truth, 0.01, 5), 40.83],
  ['50 ms on 0.05 %', (truth) => truth.map(() => (random.uniform() < 0.0005 ? 50 : 0)), 45.92],
  // By the law of the sum: 10 ln(100 (0.99 + 0.01 e^2)) - 20. A delay with mass 1 - p makes the bound nearly useless.
  ['20 ms on 1 %', (truth) => truth.map(() => (random.uniform() < 0.01 ? 20 : 0)), 26.67],
];

function onTheSlowest(truth: Float64Array, share: number, delay: number): Float64Array {
  const limit = truth.slice().sort()[Math.floor((1 - share) * truth.length)] as number;
  return truth.map((time) => (time >= limit ? delay : 0));
}

describe('excessBound on simulated delays (M§9.1)', () => {
  it.each(injections)('%s: the truth stays above the floor', (_name, inject, printed) => {
    const { truth, measured, floor } = measure(inject);
    expect(floor).toBeLessThanOrEqual(truth);
    expect(measured).toBeGreaterThanOrEqual(truth);
    // Another seed, and buckets, against the expected figure.
    expect(Math.abs(floor / printed - 1)).toBeLessThan(0.03);
  });

  it('is useless, and says so, when the delay has mass 1 - p', () => {
    const { measured, floor } = measure((truth) => truth.map((_, i) => (i % 50 === 0 ? 100 : 0)));
    expect((measured - floor) / measured).toBeGreaterThan(0.5);
  });

  it('is at least the true excess in thousands of cases, whatever the dependence', () => {
    const draw = seededRandom(8);
    const wrong: string[] = [];
    for (let run = 0; run < 600; run += 1) {
      const count = 1 + draw.below(300);
      const times = Array.from({ length: count }, () => Math.floor(draw.exponential(1e4)));
      const mode = draw.below(3);
      const lags = times.map((time) => {
        if (mode === 0) return Math.floor(draw.exponential(1e3));
        return mode === 1 ? Math.floor(time / 3) : draw.uniform() < 0.05 ? 20_000 : 0;
      });
      const gaps = times.map(() => Math.floor(draw.exponential(300)));
      const measured = histogramOf(times.map((time, i) => time + lags[i]! + gaps[i]!));
      const harness = harnessQuantiles(histogramOf(lags), quantilesOf(histogramOf(gaps)))!;
      const sorted = [...times].sort((a, b) => a - b);
      for (const percentage of [50, 90, 99, 99.9, 99.99]) {
        const bound = excessBound(measured, percentage, harness)!;
        const rank = Math.max(1, Math.ceil((percentage * count) / 100 - 1e-9));
        const trueExcess = bound.measured - (sorted[rank - 1] as number);
        if (trueExcess > bound.excess || bound.excess > bound.measured) wrong.push(`run ${run} p${percentage}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('excessBound', () => {
  it('charges nothing to a harness without delay, beyond the width of a bucket', () => {
    const measured = histogramOf(Array.from({ length: 10_000 }, () => 5_000_000));
    expect(excessBound(measured, 99, () => 0)).toEqual({ measured: 5_000_000, excess: 0, share: 0, alpha: 0.0001 });
  });

  it('charges a rare long pause to the tail that it can have made, not to the median', () => {
    // 1 % of the requests met a pause of 5 ms on top of 50 ms.
    const delays = Array.from({ length: 10_000 }, (_, i) => (i % 100 === 0 ? 5 * MS : 0));
    const measured = histogramOf(delays.map((delay) => 50 * MS + delay));
    const harness = quantilesOf(histogramOf(delays));
    expect(excessBound(measured, 50, harness)!.share).toBeLessThan(0.01);
    expect(excessBound(measured, 99.5, harness)!.excess).toBeGreaterThan(4 * MS);
  });

  it('charges everything when nothing better can be said', () => {
    expect(excessBound(histogramOf([5]), 99, () => 1e9)).toEqual({ measured: 5, excess: 5, share: 1, alpha: null });
  });

  it('has no share of a percentile of 0, and no bound without samples', () => {
    expect(excessBound(histogramOf([0, 0]), 99, () => 0)).toMatchObject({ measured: 0, excess: 0, share: null });
    expect(excessBound(new Histogram(), 99, () => 0)).toBeNull();
  });
});

describe('harnessQuantiles', () => {
  it('adds the two delays at half the risk each', () => {
    const wakeLag = histogramOf(Array.from({ length: 1000 }, (_, i) => i + 1));
    const gap = histogramOf(Array.from({ length: 1000 }, () => 7));
    const quantile = harnessQuantiles(wakeLag, quantilesOf(gap))!;
    expect(quantile(0.99)).toBe(995 + 7);
    expect(quantile(0.5)).toBe(750 + 7);
  });

  it('takes the late requests to be among the bounded ones where only some have the metric', () => {
    // 1 of 100 is late; of the ten that have the metric it may be one.
    const wakeLag = histogramOf(Array.from({ length: 100 }, (_, i) => (i === 0 ? 1000 : 1)));
    const quantile = harnessQuantiles(wakeLag, () => 0, 10)!;
    expect([quantile(0.9), quantile(0.5)]).toEqual([1000, 1]);
    expect(harnessQuantiles(wakeLag, () => 0)!(0.9)).toBe(1);
  });

  it('is not measured when one of them was not', () => {
    expect(harnessQuantiles(new Histogram(), () => 1)).toBeNull();
    expect(harnessQuantiles(histogramOf([1]), null)).toBeNull();
  });
});
