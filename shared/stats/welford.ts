/**
 * Mean and variance in O(1) memory that merge exactly up to rounding: Welford's update and Chan, Golub and LeVeque's merge.
 * For counts per window and for block values. Merged sums of different workers are the moments of the pooled values, not
 * those of the summed counts: the union's Fano factor needs aligned counts (M§3.3).
 */

/** Running moments. */
export interface Moments {
  count: number;
  /** Mean of the values; 0 while there is none. */
  mean: number;
  /** Sum of squared deviations from the mean. */
  squares: number;
}

/** No values yet. */
export function createMoments(): Moments {
  return { count: 0, mean: 0, squares: 0 };
}

/** The moments of a list. */
export function momentsOf(values: Iterable<number>): Moments {
  const moments = createMoments();
  for (const value of values) addValue(moments, value);
  return moments;
}

/** Takes one value in. */
export function addValue(moments: Moments, value: number): void {
  moments.count += 1;
  const before = value - moments.mean;
  moments.mean += before / moments.count;
  moments.squares += before * (value - moments.mean);
}

/** Takes the values of `other` in (Chan's formula). */
export function mergeMoments(moments: Moments, other: Moments): void {
  if (other.count === 0) return;
  const count = moments.count + other.count;
  const difference = other.mean - moments.mean;
  moments.squares += other.squares + (difference * difference * moments.count * other.count) / count;
  moments.mean += (difference * other.count) / count;
  moments.count = count;
}

/** Sample variance (divisor count - 1); null below two values. */
export function varianceOf(moments: Moments): number | null {
  return moments.count < 2 ? null : moments.squares / (moments.count - 1);
}
