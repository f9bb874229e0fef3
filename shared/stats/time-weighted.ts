/**
 * How long an event at a random instant waits for the loop to come round again: gaps between turns, weighted by the time they
 * take (design §9). A gap of length g is met with probability g / observed time and then delays by at most g. Not the share of
 * gaps: one pause of 50 ms among a million short turns is rare by number and not by time.
 */

import { assertInvariant } from '../fleet-error.ts';
import type { Histogram } from '../histogram/histogram.ts';
import { bucketHighOf } from '../histogram/layout.ts';

/**
 * The quantile function of the gap that is met at a random instant of `observedNs` (the loops' time together, idle time
 * included, which delays nothing). Upper bucket edges throughout, so it is never too low. `observedNs` below the time in gaps is
 * raised to it. Null when no gap was measured.
 */
export function timeWeightedQuantiles(gaps: Histogram, observedNs: number): ((probability: number) => number) | null {
  const last = gaps.highestIndex();
  const first = gaps.lowestIndex();
  const longest = gaps.max;
  if (last === null || first === null || longest === null) return null;
  /** Upper edges of the buckets from the highest down, and the time spent in gaps of that bucket or above. */
  const edges: number[] = [];
  const timeFrom: number[] = [];
  let time = 0;
  for (let index = last; index >= first; index -= 1) {
    const count = gaps.countAt(index);
    if (count === 0) continue;
    const edge = Math.min(bucketHighOf(index), longest);
    time += count * edge;
    edges.push(edge);
    timeFrom.push(time);
  }
  const whole = Math.max(observedNs, time, 1);
  return (probability) => {
    assertInvariant(probability >= 0 && probability <= 1, `probability is ${probability}, must be in 0..1`);
    const allowed = (1 - probability) * whole;
    // The first bucket from above whose time no longer fits into what may lie beyond.
    const place = timeFrom.findIndex((beyond) => beyond > allowed);
    return place === -1 ? 0 : (edges[place] as number);
  };
}
