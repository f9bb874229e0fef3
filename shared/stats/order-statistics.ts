/**
 * Confidence intervals for percentiles from order statistics: free of any assumption about the distribution, but only for
 * independent samples (M§4.1). Queueing makes samples dependent: show the block interval beside it and take the wider.
 * `probability` is the percentile as a fraction: 0.99 for p99.
 */

import { assertInvariant } from '../fleet-error.ts';
import type { Histogram } from '../histogram/histogram.ts';
import { binomialCdf } from './binomial.ts';

/** Ranks whose samples enclose the percentile. */
export interface RankInterval {
  /** 1-based rank of the lower end; null when no sample is low enough to be sure. */
  readonly low: number | null;
  /** 1-based rank of the upper end; null when no sample is high enough: "not enough samples". */
  readonly high: number | null;
  /** True probability of enclosing it: at least `confidence`. */
  readonly coverage: number;
}

/** A two-sided interval in the metric's unit; an end is null when it is unbounded. */
export interface QuantileInterval {
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * Ranks j and k of the interval [x_(j), x_(k)]: j the largest with P(Bin(n, p) <= j - 1) <= a/2, k the smallest with
 * P(Bin(n, p) <= k - 1) >= 1 - a/2, where a = 1 - confidence. 1,000 samples give (983, 997) for p99 at 95 %.
 */
export function quantileRanks(count: number, probability: number, confidence: number): RankInterval {
  checkProbability('probability', probability);
  checkProbability('confidence', confidence);
  assertInvariant(Number.isSafeInteger(count) && count >= 0, `count is ${count}, must be an integer from 0 on`);
  const outside = (1 - confidence) / 2;
  const below = (rank: number): number => binomialCdf(rank - 1, count, probability);
  const low = firstRank(count, (rank) => below(rank) > outside) - 1;
  const high = firstRank(count, (rank) => below(rank) >= 1 - outside);
  const bounded = high <= count;
  return {
    low: low === 0 ? null : low,
    high: bounded ? high : null,
    coverage: (bounded ? below(high) : 1) - below(low),
  };
}

/** The interval of a percentile read from a histogram: lower edge of the lower rank's bucket, upper edge of the upper's. */
export function quantileInterval(histogram: Histogram, probability: number, confidence: number): QuantileInterval {
  const { low, high } = quantileRanks(histogram.count, probability, confidence);
  return {
    low: low === null ? null : histogram.rangeAtRank(low).low,
    high: high === null ? null : histogram.rangeAtRank(high).high,
  };
}

/** Least number of independent samples whose maximum bounds the percentile: n >= ln a / ln p. 299 for p99 at 95 %. */
export function samplesForUpperBound(probability: number, confidence: number): number {
  checkProbability('probability', probability);
  checkProbability('confidence', confidence);
  return Math.ceil(Math.log(1 - confidence) / Math.log(probability));
}

/**
 * True when fewer than one sample is expected above the percentile: the reading is little more than the maximum and is
 * marked "few samples" (R064). p99 needs 100 samples.
 */
export function hasFewSamples(count: number, probability: number): boolean {
  checkProbability('probability', probability);
  // 1 / (1 - 0.99) is 99.99999999999999 in doubles: round before comparing.
  return count < Math.round(1e6 / (1 - probability)) / 1e6;
}

/** Least rank in 1..count + 1 for which the monotone `reached` holds; count + 1 if none does. */
function firstRank(count: number, reached: (rank: number) => boolean): number {
  let low = 1;
  let high = count + 1;
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (reached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function checkProbability(name: string, value: number): void {
  assertInvariant(value > 0 && value < 1, `${name} is ${value}, must be between 0 and 1`);
}
