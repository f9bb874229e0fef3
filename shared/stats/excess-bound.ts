/**
 * The primary verdict on the harness (M§9.1): how much of a measured percentile can at most be the fleet's own delay, with
 * no assumption about how that delay and the target's time depend on each other. measured = target's + harness delay, so for
 * any alpha Q_p(target) >= Q_{p - alpha}(measured) - Q_{1 - alpha}(harness). Thresholds are the verdict's, not this file's.
 */

import { assertInvariant } from '../fleet-error.ts';
import type { Histogram } from '../histogram/histogram.ts';
import { nearestRank } from '../histogram/nearest-rank.ts';

/** A quantile as a function of a probability in (0, 1). */
export type QuantileFunction = (probability: number) => number;

/**
 * The alphas that are tried, as far as they are below 1 - p. Those above 0.005 serve the percentiles of the middle: a rare long pause
 * of ours moves a median by little, and only an alpha beyond the pause's own share can say so.
 */
const ALPHAS = [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1] as const;

/** Beyond p99.99 none of them is: these parts of 1 - p take their place. */
const TAIL_PARTS = [0.1, 0.2, 0.5] as const;

/** Slack for decimals that doubles do not hold. */
const ROUNDING = 1e-9;

/** What is known about one percentile. */
export interface ExcessBound {
  /** The percentile as measured, in the metric's unit. */
  readonly measured: number;
  /** At most this much of it is the harness; between 0 and `measured`. */
  readonly excess: number;
  /** excess / measured; null when `measured` is 0. */
  readonly share: number | null;
  /** The alpha that gave the bound; null when none said more than "all of it". */
  readonly alpha: number | null;
}

/** The alphas tried for the percentile `probability` (a fraction). */
export function alphasFor(probability: number): number[] {
  const tail = 1 - probability;
  // 1 - 0.999 is a little more than 0.001 in doubles.
  const limit = Math.min(tail, probability) * (1 - ROUNDING);
  const usable = ALPHAS.filter((alpha) => alpha < limit);
  return usable.length > 0 ? usable : TAIL_PARTS.map((part) => part * Math.min(tail, probability));
}

/** The bound for one alpha: what Q_p of the target is at least. */
export function targetFloor(
  probability: number,
  alpha: number,
  measured: QuantileFunction,
  harness: QuantileFunction,
): number {
  return measured(probability - alpha) - harness(1 - alpha);
}

/**
 * The bound for the percentile `percentage` (above 0, below 100) of `measured`. Lower edges of buckets for what is
 * subtracted from, upper edges for the rest: rounding to buckets can only raise the bound. Null when nothing was measured.
 */
export function excessBound(measured: Histogram, percentage: number, harness: QuantileFunction): ExcessBound | null {
  assertInvariant(percentage > 0 && percentage < 100, `percentile ${percentage} must be between 0 and 100`);
  const value = measured.percentile(percentage);
  if (value === null) return null;
  const probability = percentage / 100;
  const lowerEdge: QuantileFunction = (q) => measured.rangeAtRank(nearestRank(q * 100, measured.count)).low;
  let floor = 0;
  let best: number | null = null;
  for (const alpha of alphasFor(probability)) {
    const candidate = targetFloor(probability, alpha, lowerEdge, harness);
    if (candidate > floor) {
      floor = candidate;
      best = alpha;
    }
  }
  const excess = Math.max(0, value - floor);
  return { measured: value, excess, share: value === 0 ? null : excess / value, alpha: best };
}

/**
 * Quantiles of the harness delay H = wakeLag + receive delay, which need not be independent:
 * Q_{1 - a}(H) <= Q_{1 - a/2}(wakeLag) + Q_{1 - a/2}(receive delay). The receive delay is bounded by the time-weighted gap
 * between loop turns (`timeWeightedQuantiles`). Null when either was not measured: the gate is then "not measured".
 * @param count samples of the metric that is bounded. Where only some of the requests with a lag have one (time to first token beside
 * plain requests), the late ones may all be among them: a share a of these is a share a * count / lags of all.
 */
export function harnessQuantiles(
  wakeLag: Histogram,
  receiveDelay: QuantileFunction | null,
  count: number = wakeLag.count,
): QuantileFunction | null {
  if (wakeLag.isEmpty() || receiveDelay === null) return null;
  const part = Math.min(1, count / wakeLag.count);
  return (probability) => {
    const risk = (1 - probability) / 2;
    return (wakeLag.percentile((1 - risk * part) * 100) as number) + receiveDelay(1 - risk);
  };
}
