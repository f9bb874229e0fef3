/**
 * Quantiles of a histogram in buckets, with how much the buckets leave open: a server's histogram has a dozen of them, so a quantile is
 * known to lie between two bounds and the value between is drawn on a straight line.
 */

/** A quantile and the bucket that holds it. */
export interface BucketQuantile {
  /** On the straight line through the bucket; null in the last bucket, which has no upper bound. */
  readonly value: number | null;
  readonly low: number;
  /** Null = no upper bound. */
  readonly high: number | null;
}

/**
 * The `q` quantile (0..1) of counts per bucket, not cumulative; bounds as Prometheus gives them (`le`, the last Infinity). Values are
 * taken to be >= 0 where the first bucket reaches above 0; below that it has no lower bound that is known, and its upper one is shown. Null
 * without a sample.
 */
export function bucketQuantile(
  upperBounds: readonly number[],
  counts: readonly number[],
  q: number,
): BucketQuantile | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (!(total > 0)) return null;
  const rank = q * total;
  let before = 0;
  for (const [place, count] of counts.entries()) {
    if (before + count < rank || count === 0) {
      before += count;
      continue;
    }
    const high = upperBounds[place] as number;
    const low = place === 0 ? Math.min(0, high) : (upperBounds[place - 1] as number);
    if (!Number.isFinite(high)) return { value: null, low, high: null };
    return { value: low + (high - low) * ((rank - before) / count), low, high };
  }
  return null;
}
