/**
 * How much a server's histogram grew from one page to the next. Buckets are matched by their bounds, not by their place: some servers
 * show a bucket only once it holds something, and one that was started anew may have others. Pure.
 */
import type { PageSeries } from './prometheus-text.ts';

/** A histogram of one page. */
export type HistogramSeries = Extract<PageSeries, { readonly kind: 'histogram' }>;

/** What came between two pages. */
export interface HistogramGrowth {
  readonly upperBounds: readonly number[];
  /** Samples per bucket, not cumulative. */
  readonly counts: readonly number[];
  readonly sum: number;
  /** The server was started anew and counts from 0: all of the later page is growth. */
  readonly isReset: boolean;
}

/** The growth up to `now`; `before` null = from nothing. */
export function histogramGrowth(before: HistogramSeries | null, now: HistogramSeries): HistogramGrowth {
  const isReset = before !== null && wasReset(before, now);
  const basis = isReset ? null : before;
  const grown = now.upperBounds.map(
    (bound, place) => (now.cumulative[place] as number) - (basis === null ? 0 : countUpTo(basis, bound)),
  );
  return {
    upperBounds: now.upperBounds,
    counts: grown.map((count, place) => Math.max(0, count - (grown[place - 1] ?? 0))),
    sum: now.sum - (basis?.sum ?? 0),
    isReset,
  };
}

/** A process never counts down in any bucket, and keeps the bounds that it has shown. A busy one may soon be above its old total. */
function wasReset(before: HistogramSeries, now: HistogramSeries): boolean {
  const shown = new Set(now.upperBounds);
  return (
    before.upperBounds.some((bound) => !shown.has(bound)) ||
    now.upperBounds.some((bound, place) => (now.cumulative[place] as number) < countUpTo(before, bound))
  );
}

/** Samples up to `bound`: where the page has no such bucket, it was empty. */
function countUpTo({ upperBounds, cumulative }: HistogramSeries, bound: number): number {
  const place = upperBounds.findLastIndex((each) => each <= bound);
  return place < 0 ? 0 : (cumulative[place] as number);
}

/** Counts of two histograms in the bounds of both, ascending. */
export function unionOfBuckets(
  a: Pick<HistogramGrowth, 'upperBounds' | 'counts'>,
  b: Pick<HistogramGrowth, 'upperBounds' | 'counts'>,
): { readonly upperBounds: number[]; readonly counts: number[] } {
  const counts = new Map<number, number>();
  for (const { upperBounds, counts: own } of [a, b]) {
    for (const [place, bound] of upperBounds.entries())
      counts.set(bound, (counts.get(bound) ?? 0) + (own[place] as number));
  }
  const sorted = [...counts].sort(([one], [other]) => one - other);
  return { upperBounds: sorted.map(([bound]) => bound), counts: sorted.map(([, count]) => count) };
}
