/**
 * Compiles the shapes users write (constant, ramp, steps, spike, sine, points) to knots. Runs once, at the coordinator:
 * only here are sines evaluated, and the knots then travel as exact doubles (M§1.3, M§1.4). Ranges are checked by
 * `compileRateCurve`, except where a shape has limits of its own.
 */

import { FleetError } from '../fleet-error.ts';
import type { Knot } from './arrival-law.ts';
import { knotsMax } from './rate-curve.ts';

const nsPerSecond = 1e9;

/** The same rate throughout. */
export function constantRate(ratePerSecond: number, durationSeconds: number): Knot[] {
  return rampRate(ratePerSecond, ratePerSecond, durationSeconds);
}

/** A straight line from one rate to another; either may be 0. */
export function rampRate(fromPerSecond: number, toPerSecond: number, durationSeconds: number): Knot[] {
  return [
    { tSeconds: 0, ratePerSecond: fromPerSecond },
    { tSeconds: durationSeconds, ratePerSecond: toPerSecond },
  ];
}

/** A stretch of a stepped curve; its length in integer ns, since lengths are added up. */
export interface RateStep {
  readonly ratePerSecond: number;
  readonly durationNs: number;
}

/** One rate after another, each for its own time, with sudden changes between them. */
export function steppedRate(steps: readonly RateStep[]): Knot[] {
  const knots: Knot[] = [];
  let tNs = 0;
  for (const { ratePerSecond, durationNs } of steps) {
    knots.push({ tSeconds: tNs / nsPerSecond, ratePerSecond });
    tNs += durationNs;
    knots.push({ tSeconds: tNs / nsPerSecond, ratePerSecond });
  }
  return knots;
}

/** A base rate with one rectangular spike. */
export interface Spike {
  readonly baseRatePerSecond: number;
  readonly peakRatePerSecond: number;
  /** Start of the spike, integer ns from the phase start. */
  readonly atNs: number;
  /** Integer ns. */
  readonly widthNs: number;
}

/**
 * The base rate, the peak rate for the width of the spike, the base rate again until `durationNs`.
 * @throws FleetError 'plan' if the spike does not lie within the phase.
 */
export function spikeRate(spike: Spike, durationNs: number): Knot[] {
  const endNs = spike.atNs + spike.widthNs;
  // In seconds the end is rounded only once: 0.1 s and 0.2 s add up to more than 0.3 s in doubles.
  const [atSeconds, endSeconds, durationSeconds] = [
    spike.atNs / nsPerSecond,
    endNs / nsPerSecond,
    durationNs / nsPerSecond,
  ];
  if (!(spike.atNs >= 0 && spike.widthNs > 0 && endNs <= durationNs)) {
    throw new FleetError(
      'plan',
      `spike: ${atSeconds} s to ${endSeconds} s is not inside a phase of ${durationSeconds} s`,
    );
  }
  return [
    { tSeconds: 0, ratePerSecond: spike.baseRatePerSecond },
    { tSeconds: atSeconds, ratePerSecond: spike.baseRatePerSecond },
    { tSeconds: atSeconds, ratePerSecond: spike.peakRatePerSecond },
    { tSeconds: endSeconds, ratePerSecond: spike.peakRatePerSecond },
    { tSeconds: endSeconds, ratePerSecond: spike.baseRatePerSecond },
    { tSeconds: durationSeconds, ratePerSecond: spike.baseRatePerSecond },
  ];
}

/** λ(t) = mean * (1 + amplitude * sin(2 π t / period)). */
export interface Sine {
  readonly meanRatePerSecond: number;
  /** Swing as a share of the mean, 0..1. */
  readonly amplitude: number;
  readonly periodSeconds: number;
}

/** Knots per period: an error of at most 0.004 % of the mean at the finest, 0.06 % at the coarsest (M§1.4). */
const knotsPerPeriodFinest = 256;
const knotsPerPeriodCoarsest = 64;

/**
 * A sine as straight pieces, 256 to 64 per period (fewer when there are many periods). The mass of whole periods is exact.
 * @throws FleetError 'plan' if the rate would go below 0 or the phase holds too many periods for `knotsMax` knots.
 */
export function sineRate(sine: Sine, durationSeconds: number): Knot[] {
  const { meanRatePerSecond, amplitude, periodSeconds } = sine;
  if (!(amplitude >= 0 && amplitude <= 1)) {
    throw new FleetError('plan', `sine: amplitude ${amplitude} is outside 0..1 (a share of the mean rate)`);
  }
  if (!(periodSeconds > 0)) throw new FleetError('plan', `sine: period ${periodSeconds} s is not positive`);
  const periods = durationSeconds / periodSeconds;
  let perPeriod = knotsPerPeriodFinest;
  while (perPeriod > knotsPerPeriodCoarsest && periods * perPeriod + 2 > knotsMax) perPeriod /= 2;
  if (periods * perPeriod + 2 > knotsMax) {
    const most = Math.floor((knotsMax - 2) / knotsPerPeriodCoarsest);
    throw new FleetError('plan', `sine: ${periods.toFixed(1)} periods in one phase, the limit is ${most}`);
  }
  const rateAt = (t: number): number =>
    meanRatePerSecond * (1 + amplitude * Math.sin((2 * Math.PI * t) / periodSeconds));
  const knots: Knot[] = [];
  for (let i = 0; (i * periodSeconds) / perPeriod < durationSeconds; i++) {
    const tSeconds = (i * periodSeconds) / perPeriod;
    knots.push({ tSeconds, ratePerSecond: Math.max(0, rateAt(tSeconds)) });
  }
  knots.push({ tSeconds: durationSeconds, ratePerSecond: Math.max(0, rateAt(durationSeconds)) });
  return knots;
}
