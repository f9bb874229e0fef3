/**
 * The percentile of *all* requests, where a failure counts as infinitely slow (R058) and a request that was still open at
 * the end of the drain is at least as old as it was then (R059). It cannot look good by failing. The headline percentile of
 * the successes stands beside it, with the failure share.
 */

import { assertInvariant } from '../fleet-error.ts';
import type { Histogram } from '../histogram/histogram.ts';
import { bucketIndexOf } from '../histogram/layout.ts';
import { nearestRank } from '../histogram/nearest-rank.ts';

/** Every request that counts, by how it ended. */
export interface RequestPopulation {
  /** Times of the successes. */
  readonly ok: Histogram;
  /** Ages of the unfinished requests when the drain ended. */
  readonly unfinishedAges: Histogram;
  /** Failed and dropped requests: no time is good enough for them. */
  readonly failed: number;
}

/** A percentile where some times are unknown. */
export type PercentileWithFailures =
  | { readonly kind: 'value'; readonly value: number }
  /** It falls among unfinished requests, or might have moved up with them: the value is a lower bound. */
  | { readonly kind: 'at-least'; readonly value: number }
  /** It falls among the failures: beyond any time. Written as null with "beyond". */
  | { readonly kind: 'beyond' }
  /** There was no request at all. */
  | { readonly kind: 'no-data' };

/** The percentile (0..100, nearest rank) of the whole population, in the metric's unit. */
export function percentileWithFailures(population: RequestPopulation, percentage: number): PercentileWithFailures {
  const { ok, unfinishedAges, failed } = population;
  assertInvariant(Number.isSafeInteger(failed) && failed >= 0, `failed is ${failed}, must be an integer from 0 on`);
  const finite = ok.count + unfinishedAges.count;
  if (finite + failed === 0) return { kind: 'no-data' };
  const rank = nearestRank(percentage, finite + failed);
  if (rank > finite) return { kind: 'beyond' };
  if (unfinishedAges.isEmpty()) return { kind: 'value', value: ok.valueAtRank(rank) };
  const known = ok.clone();
  known.add(unfinishedAges);
  const value = known.valueAtRank(rank);
  if (rank > ok.count) return { kind: 'at-least', value };
  // Had every unfinished request taken for ever, it would read so. If that is the same bucket, their times do not matter.
  const atMost = ok.valueAtRank(rank);
  return bucketIndexOf(atMost) === bucketIndexOf(value)
    ? { kind: 'value', value: atMost }
    : { kind: 'at-least', value };
}

/** The number to print: null for `beyond` and `no-data`, which are then named in words. */
export function numberOrNull(percentile: PercentileWithFailures): number | null {
  return percentile.kind === 'value' || percentile.kind === 'at-least' ? percentile.value : null;
}
