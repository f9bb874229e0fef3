/**
 * Response time as a user sees it who also met the failures: failed and dropped requests count as infinite (R058), requests
 * still open at the end count with their age as a lower bound (R059).
 */
import { type Histogram } from '../../shared/histogram/histogram.ts';
import { nearestRank } from '../../shared/histogram/nearest-rank.ts';
import { PERCENTILES, percentilesOf } from './metric-summary.ts';
import type { WithFailuresValue } from './result-value.ts';

/** One percentile over ok and failed requests. */
export type PercentileWithFailures =
  | { readonly kind: 'value'; readonly ns: number }
  /** The request at this rank was still open: its response is at least `ns`. */
  | { readonly kind: 'at-least'; readonly ns: number }
  /** The request at this rank failed or was dropped. */
  | { readonly kind: 'beyond' }
  | { readonly kind: 'no-data' };

/** Response times of ok requests, ages of open ones, and how many requests there were at all. */
export class ResponseWithFailures {
  readonly #ok: Histogram;
  readonly #withAges: Histogram;
  readonly #count: number;

  /** `count` = attempted + dropped; whatever is neither ok nor has an age counts as infinite. */
  constructor(ok: Histogram, ages: Histogram, count: number) {
    this.#ok = ok;
    this.#withAges = ok.clone();
    this.#withAges.add(ages);
    this.#count = count;
  }

  /** The percentile by nearest rank among all of them. */
  percentile(percentage: number): PercentileWithFailures {
    if (this.#count === 0) return { kind: 'no-data' };
    const rank = nearestRank(percentage, this.#count);
    if (rank > this.#withAges.count) return { kind: 'beyond' };
    const ns = this.#withAges.valueAtRank(rank);
    // With the ages taken as infinite the rank may move up: only if it does not, the value is certain.
    const isCertain = rank <= this.#ok.count && this.#ok.valueAtRank(rank) === ns;
    return isCertain ? { kind: 'value', ns } : { kind: 'at-least', ns };
  }

  /** All percentiles of the report. */
  value(): WithFailuresValue {
    return {
      unit: 'ns',
      count: this.#count,
      percentiles: percentilesOf((percentage) => {
        const at = this.percentile(percentage);
        return at.kind === 'value' || at.kind === 'at-least' ? at.ns : null;
      }),
      lowerBounds: PERCENTILES.filter((key) => this.percentile(Number(key)).kind === 'at-least'),
    };
  }
}
