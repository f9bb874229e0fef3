/**
 * MSER-5 (White 1997; White, Cobb and Spratt 2000): how much of a run's beginning to leave out so that the mean of the rest
 * is known best. It shows whether the planned warm-up was long enough; it never changes what was measured (M§4.3).
 */

/** Raw values averaged into one before the search. */
const BATCH = 5;

/** The advice, or why there is none. */
export type WarmupAdvice =
  | {
      readonly kind: 'found';
      /** Raw values to leave out, a multiple of 5. */
      readonly leaveOut: number;
      /** Mean of the raw values that are left (whole batches). */
      readonly mean: number;
    }
  /** The best cut is at the half: the run is too short to tell. */
  | { readonly kind: 'too-short' };

/**
 * The d <= half of the batches that minimises sum_{i > d} (z_i - mean)^2 / (k - d)^2 over the k batch means z.
 * A last batch that is not full is not used.
 */
export function adviseWarmup(values: readonly number[]): WarmupAdvice {
  const batches = batchMeans(values);
  const half = Math.floor(batches.length / 2);
  let best = 0;
  let bestStatistic = Infinity;
  for (let d = 0; d <= half; d += 1) {
    const statistic = mserStatistic(batches, d);
    if (statistic < bestStatistic) {
      best = d;
      bestStatistic = statistic;
    }
  }
  if (batches.length < 2 || best === half) return { kind: 'too-short' };
  const rest = batches.slice(best);
  return { kind: 'found', leaveOut: best * BATCH, mean: rest.reduce((sum, z) => sum + z, 0) / rest.length };
}

/** The statistic for leaving out the first `d` of `batches`: squared standard error of the mean of the rest. */
export function mserStatistic(batches: readonly number[], d: number): number {
  const rest = batches.slice(d);
  const mean = rest.reduce((sum, z) => sum + z, 0) / rest.length;
  return rest.reduce((sum, z) => sum + (z - mean) ** 2, 0) / rest.length ** 2;
}

/** Means of each five values; a remainder is left out. */
export function batchMeans(values: readonly number[]): number[] {
  return Array.from({ length: Math.floor(values.length / BATCH) }, (_, i) => {
    const batch = values.slice(i * BATCH, (i + 1) * BATCH);
    return batch.reduce((sum, value) => sum + value, 0) / BATCH;
  });
}
