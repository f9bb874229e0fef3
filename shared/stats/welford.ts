/**
 * Mean and variance in O(1) memory, by Welford's update. For counts per window and for block values. Moments of different workers are
 * not those of the summed counts: the union's Fano factor needs aligned counts (M§3.3).
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

/** Sample variance (divisor count - 1); null below two values. */
export function varianceOf(moments: Moments): number | null {
  return moments.count < 2 ? null : moments.squares / (moments.count - 1);
}
