import { describe, expect, it } from 'vitest';
import type { Histogram } from '../../../../shared/histogram/histogram.ts';
import {
  closedLoopResponses,
  correctedValues,
  type Freezes,
  openLoopResponses,
  parallelResponses,
} from '../../../support/freezing-server.ts';
import { histogramOf } from '../../../support/histogram-of.ts';

const MS = 1e6;
const inNs = (valuesMs: readonly number[]): Histogram => histogramOf(valuesMs.map((value) => Math.round(value * MS)));
const evenly = (count: number, intervalMs: number): number[] => Array.from({ length: count }, (_, i) => i * intervalMs);
const shareAbove = (valuesMs: readonly number[], limitMs: number): number =>
  valuesMs.filter((value) => value > limitMs + 1e-6).length / valuesMs.length;

/** A percentile in ms, to the histogram's 0.1 %. */
function expectPercentile(histogram: Histogram, percentage: number, expectedMs: number): void {
  const value = histogram.percentile(percentage) as number;
  expect(Math.abs(value / MS / expectedMs - 1)).toBeLessThan(2e-3);
}

describe('response time from the intended instant', () => {
  it('R056 shows the remaining wait of every arrival in the freeze: 45, 44, 43 ... s', () => {
    const freeze: Freezes = [[2000, 47_000]];
    const responses = parallelResponses(evenly(10, 1000), 1, freeze);
    expect(responses.slice(2)).toEqual([45_000, 44_000, 43_000, 42_000, 41_000, 40_000, 39_000, 38_000]);
    expect(inNs(responses).countAbove(44.5e9)).toBe(1);
    expect(inNs(responses).countAbove(30e9)).toBe(8);
  });

  it('M§2: 100 s at 1 ms, then 100 s frozen: a closed loop sees one slow request, the intended instants see 10,000', () => {
    const freeze: Freezes = [[100_000, 200_000]];
    const closed = closedLoopResponses(10, 1, [[100_000, 199_999]], 200_000);
    const naive = inNs(closed);
    expect(naive.count).toBe(10_001);
    expect((naive.mean() as number) / MS).toBeCloseTo(10.999, 3);
    for (const p of [50, 99, 99.99]) expectPercentile(naive, p, 1);

    const open = inNs(parallelResponses(evenly(20_000, 10), 1, freeze));
    expect(open.count).toBe(20_000);
    expect((open.mean() as number) / MS).toBeCloseTo(25_003, 0);
    const expected: [number, number][] = [
      [50, 1],
      [75, 50_000],
      [90, 80_000],
      [99, 98_000],
      [99.9, 99_800],
    ];
    for (const [p, ms] of expected) expectPercentile(open, p, ms);

    // Without a drain the correction happens to agree.
    const corrected = inNs(closed.flatMap((value) => correctedValues(value, 10)));
    expect(corrected.count).toBe(20_000);
    for (const [p, ms] of expected) expectPercentile(corrected, p, ms);
  });
});

describe('the correction of a closed loop misses the drain (M§2)', () => {
  const periods = 20;
  /** One second of standstill in every 20 s; each begins at another place between two arrivals. */
  const freezes: Freezes = Array.from({ length: periods }, (_, k) => {
    const start = k * 20_000 + 5000 + ((k * 7) % periods) * (10 / periods);
    return [start, start + 1000] as const;
  });
  const untilMs = periods * 20_000;

  it.each([
    // rate, true share above 10 ms, percentile, its true value in ms
    [100, 0.0998, 95, 505],
    [180, 0.498, 90, 805],
  ])('at %d/s: the true share above 10 ms is %d, the corrected one half of it or less', (rate, share, p, trueMs) => {
    const intervalMs = 1000 / rate;
    const open = openLoopResponses(evenly((untilMs / 1000) * rate, intervalMs), 5, freezes);
    const closed = closedLoopResponses(intervalMs, 5, freezes, untilMs);
    const corrected = closed.flatMap((value) => correctedValues(value, intervalMs));

    expect(Math.abs(shareAbove(open, 10) - share)).toBeLessThan(0.001);
    expectPercentile(inNs(open), p, trueMs);

    expect(shareAbove(corrected, 10)).toBeGreaterThan(0.049);
    expect(shareAbove(corrected, 10)).toBeLessThan(0.051);
    expect(inNs(corrected).percentile(p)).toBeLessThanOrEqual(15.1 * MS);

    expect(shareAbove(closed, 10)).toBeLessThan(0.0006);
    expectPercentile(inNs(closed), 95, 5);
  });

  it.each([
    [1000, 100, 10],
    [50, 100, 1],
  ])('the correction of (%d, %d) counts %d values', (value, interval, count) => {
    const values = correctedValues(value, interval);
    expect(values).toHaveLength(count);
    expect(values.at(-1)).toBe(count === 1 ? value : interval);
  });
});
