/**
 * The fault table of M§3.3 in small: what each fault of a generator does to the fit tests, to the effect sizes and to the
 * Fano factor, on 100 s at 1,000 arrivals a second. No single measure finds every fault.
 */
import { describe, expect, it } from 'vitest';
import { binnedUniformity, UNIFORMITY_BINS, uniformityBin } from '../../../support/stats/binned-uniformity.ts';
import {
  ANDERSON_DARLING_ESTIMATED,
  andersonDarling,
  andersonDarlingAdjusted,
  kolmogorovExponential,
} from '../../../support/stats/exponential-fit.ts';
import { fanoRatio } from '../../../../shared/stats/fano.ts';
import { type Moments, momentsOf } from '../../../../shared/stats/welford.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

const SECONDS = 100;
const RATE = 1000;
const SETTLED = 10;
const random = seededRandom(33);

/** Instants in seconds. */
function plan(): number[] {
  const instants: number[] = [];
  for (let now = random.exponential(1 / RATE); now < SECONDS; now += random.exponential(1 / RATE)) instants.push(now);
  return instants;
}

const ascending = (instants: readonly number[]): number[] => [...instants].sort((a, b) => a - b);

/** The send instants that a fault makes of a plan. */
const FAULTS = {
  none: (instants: readonly number[]) => [...instants],
  'independent lag of 1 s': (instants: readonly number[]) => instants.map((t) => t + random.exponential(1)),
  'one worker on a 1 ms tick': (instants: readonly number[]) => instants.map((t) => Math.ceil(t * 1000) / 1000),
  '20 workers on ticks of their own': (instants: readonly number[]) =>
    instants.map((t) => {
      const offset = random.below(20) / 20;
      return (Math.ceil(t * 1000 - offset) + offset) / 1000;
    }),
  'a pause of 50 ms every 5 s': (instants: readonly number[]) =>
    instants.map((t) => (t % 5 < 0.05 ? t - (t % 5) + 0.05 : t)),
  'every gap 50 us longer': (instants: readonly number[]) => instants.map((t, i) => t + i * 50e-6),
} as const;

function countsIn(instants: readonly number[], windowSeconds: number): Moments {
  const windows = Math.round((SECONDS - SETTLED) / windowSeconds);
  const counts = new Float64Array(windows);
  for (const instant of instants) {
    const window = Math.floor((instant - SETTLED) / windowSeconds);
    if (window >= 0 && window < windows) counts[window] = (counts[window] as number) + 1;
  }
  return momentsOf(counts);
}

interface Fingerprint {
  readonly andersonDarling: number;
  readonly distance: number;
  readonly effect: number;
  /** Fano factor of what was sent over that of the plan, at 1, 10 and 100 ms. */
  readonly fano: readonly [number, number, number];
  readonly noGap: number;
}

function fingerprint(fault: keyof typeof FAULTS): Fingerprint {
  const planned = plan();
  // The first seconds are left out: until then a lag of a second thins the sends.
  const sent = ascending(FAULTS[fault](planned)).filter((instant) => instant >= SETTLED && instant < SECONDS);
  const gaps = Float64Array.from(sent.slice(1), (instant, i) => instant - (sent[i] as number));
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const bins = new Float64Array(UNIFORMITY_BINS);
  for (const gap of gaps) {
    const bin = uniformityBin(-Math.expm1(-gap / mean));
    bins[bin] = (bins[bin] as number) + 1;
  }
  const drawn = Float64Array.from({ length: 10_000 }, () => gaps[random.below(gaps.length)] as number);
  const drawnMean = drawn.reduce((sum, gap) => sum + gap, 0) / drawn.length;
  const ratioAt = (seconds: number): number => fanoRatio(countsIn(sent, seconds), countsIn(planned, seconds)) as number;
  return {
    andersonDarling: andersonDarlingAdjusted(andersonDarling(drawn, drawnMean), drawn.length),
    distance: kolmogorovExponential(gaps, mean),
    effect: binnedUniformity(bins)?.effect as number,
    fano: [ratioAt(0.001), ratioAt(0.01), ratioAt(0.1)],
    noGap: gaps.filter((gap) => gap === 0).length / gaps.length,
  };
}

/** The gates of M§3.1 and M§3.3 on the effect sizes. */
const fails = (found: Fingerprint): { distance: boolean; effect: boolean; fano: boolean } => ({
  distance: found.distance > 0.01,
  effect: found.effect > 0.05,
  fano: found.fano.slice(0, 2).some((ratio) => ratio < 0.95 || ratio > 1.05),
});

const clean = { distance: false, effect: false, fano: false };

describe('what a fault looks like (M§3.3)', () => {
  it('no fault passes everything', () => {
    const found = fingerprint('none');
    expect(found.andersonDarling).toBeLessThan(ANDERSON_DARLING_ESTIMATED[0.01]);
    expect(fails(found)).toEqual(clean);
    expect(found.fano).toEqual([1, 1, 1]);
  });

  it('independent lag, even of a second, is invisible to all of them: only the lag itself shows it (T6)', () => {
    const found = fingerprint('independent lag of 1 s');
    expect(found.andersonDarling).toBeLessThan(ANDERSON_DARLING_ESTIMATED[0.01]);
    expect(fails(found)).toEqual(clean);
  });

  it('a tick of one worker fails everything, with 0.366 of the gaps gone', () => {
    const found = fingerprint('one worker on a 1 ms tick');
    expect(found.andersonDarling).toBeGreaterThan(10_000);
    expect(found.distance).toBeCloseTo(0.366, 1);
    expect(found.effect).toBeGreaterThan(3);
    expect(found.noGap).toBeCloseTo(0.366, 1);
  });

  it('ticks of 20 workers are fainter: distance and effect find them, the Fano factor of the union does not', () => {
    const found = fingerprint('20 workers on ticks of their own');
    expect(found.andersonDarling).toBeGreaterThan(50);
    expect(fails(found)).toEqual({ distance: true, effect: true, fano: false });
    expect(found.noGap).toBeCloseTo(0.0245, 2);
  });

  it('a regular pause is found by the Fano factor at 1 and 10 ms, not at 100 ms', () => {
    const found = fingerprint('a pause of 50 ms every 5 s');
    expect(found.fano[0]).toBeGreaterThan(1.3);
    expect(found.fano[1]).toBeGreaterThan(1.3);
    expect(Math.abs(found.fano[2] - 1)).toBeLessThan(0.1);
    expect(found.effect).toBeCloseTo(0.075, 1);
  });

  it('a gap that is always 50 us too long is found by the fit and by the Fano factor below 1', () => {
    const found = fingerprint('every gap 50 us longer');
    expect(found.andersonDarling).toBeGreaterThan(20);
    expect(found.distance).toBeCloseTo(0.049, 2);
    expect(found.fano[0]).toBeLessThan(0.95);
  });

  it.each([
    [1, 0.367879],
    [0.05, 0.024588],
  ])('with %d arrivals a tick, %d of the gaps are gone: 1 - (1 - e^-a) / a', (a, share) => {
    const perTick = a;
    expect(1 + Math.expm1(-perTick) / perTick).toBeCloseTo(share, 6);
    const ticks = Array.from({ length: 200_000 }, () => 0);
    let now = 0;
    for (let i = 0; i < ticks.length; i += 1) ticks[i] = Math.floor((now += random.exponential(1 / perTick)));
    const same = ticks.filter((tick, i) => i > 0 && tick === ticks[i - 1]).length / ticks.length;
    expect(Math.abs(same - share)).toBeLessThan(0.006);
  });
});
