/**
 * The interval of a percentile from blocks of a run: how much the share of samples above it swings from block to block,
 * turned back into values through the merged histogram. It sees the dependence that order statistics ignore, and gives the
 * effective sample size (M§4.3). Blocks are stretches of run time, so their sizes differ: the share is a ratio estimate.
 */

import { assertInvariant } from '../fleet-error.ts';
import type { Histogram } from '../histogram/histogram.ts';
import { nearestRank } from '../histogram/nearest-rank.ts';
import type { QuantileInterval } from './order-statistics.ts';
import { studentTQuantile } from './student-t.ts';

/** What the blocks say about a percentile of their merged histogram. */
export interface BlockQuantile extends QuantileInterval {
  /** Number of blocks that had samples. */
  readonly blocks: number;
  /** Variance of the share above the percentile over that of independent samples; 1 or less means no visible dependence. */
  readonly varianceInflation: number;
  /** Number of independent samples that would be as informative: count / max(1, inflation). */
  readonly effectiveSamples: number;
}

/** Samples of one block, and how many of them were above the percentile. */
export interface BlockShare {
  readonly count: number;
  readonly above: number;
}

/** Fewer blocks give no usable estimate of a variance. */
const BLOCKS_LEAST = 6;

/**
 * The interval of the percentile `probability` (a fraction) of `merged` at two-sided `confidence`, from the blocks it was
 * merged from: with f the pooled share above, residuals above_b - f count_b give its standard error; the percentile lies
 * between the values at probability -+ t se. An end is null when it would need a rank outside the samples. Null with fewer
 * than 6 blocks that have samples.
 */
export function blockQuantile(
  merged: Histogram,
  shares: readonly BlockShare[],
  probability: number,
  confidence: number,
): BlockQuantile | null {
  assertInvariant(probability > 0 && probability < 1, `probability is ${probability}, must be between 0 and 1`);
  assertInvariant(confidence > 0 && confidence < 1, `confidence is ${confidence}, must be between 0 and 1`);
  const used = shares.filter(({ count }) => count > 0);
  const blocks = used.length;
  if (blocks < BLOCKS_LEAST) return null;
  const count = used.reduce((sum, share) => sum + share.count, 0);
  const pooled = used.reduce((sum, share) => sum + share.above, 0) / count;
  const squares = used.reduce((sum, share) => sum + (share.above - pooled * share.count) ** 2, 0);
  const variance = (squares * blocks) / ((blocks - 1) * count * count);
  const independent = (pooled * (1 - pooled)) / count;
  const varianceInflation = independent === 0 ? 1 : variance / independent;
  const reach = studentTQuantile((1 + confidence) / 2, blocks - 1) * Math.sqrt(variance);
  return {
    low: probability - reach <= 0 ? null : merged.rangeAtRank(rankOf(merged, probability - reach)).low,
    high: probability + reach >= 1 ? null : merged.rangeAtRank(rankOf(merged, probability + reach)).high,
    blocks,
    varianceInflation,
    effectiveSamples: count / Math.max(1, varianceInflation),
  };
}

/** The wider of two intervals, end by end; an unbounded end wins. */
export function widerInterval(a: QuantileInterval, b: QuantileInterval): QuantileInterval {
  return {
    low: a.low === null || b.low === null ? null : Math.min(a.low, b.low),
    high: a.high === null || b.high === null ? null : Math.max(a.high, b.high),
  };
}

function rankOf(merged: Histogram, probability: number): number {
  return nearestRank(probability * 100, merged.count);
}
