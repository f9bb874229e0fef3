/**
 * Response time as a user sees it who also met the failures, as it is reported: failed and dropped requests count as infinite
 * (R058), requests still open at the end count with their age as a lower bound (R059). The rule itself is in shared/stats.
 */
import type { Histogram } from '../../shared/histogram/histogram.ts';
import {
  numberOrNull,
  type PercentileWithFailures,
  percentileWithFailures,
  type RequestPopulation,
} from '../../shared/stats/percentile-with-failures.ts';
import { PERCENTILES, type PercentileValues, percentilesOf } from './metric-summary.ts';

/** Response time with failed, dropped and unfinished requests counted as infinite (R058). */
export interface WithFailuresValue {
  readonly unit: 'ns';
  /** attempted + dropped. */
  readonly count: number;
  /** null = beyond every answer: that many requests failed (or there was none). */
  readonly percentiles: PercentileValues;
  /** Percentiles whose value is only a lower bound, because a request was still open at that age (R059). */
  readonly lowerBounds: readonly string[];
}

/** Response times of ok requests, ages of open ones, and how many requests there were at all. */
export class ResponseWithFailures {
  readonly #population: RequestPopulation;

  /** `count` = attempted + dropped; whatever is neither ok nor has an age counts as infinite. */
  constructor(ok: Histogram, ages: Histogram, count: number) {
    // Books that do not balance are named by their own gate; here they must not stop the report.
    this.#population = { ok, unfinishedAges: ages, failed: Math.max(0, count - ok.count - ages.count) };
  }

  /** The percentile by nearest rank among all of them, ns. */
  percentile(percentage: number): PercentileWithFailures {
    return percentileWithFailures(this.#population, percentage);
  }

  /** All percentiles of the report. */
  value(): WithFailuresValue {
    const { ok, unfinishedAges, failed } = this.#population;
    return {
      unit: 'ns',
      count: ok.count + unfinishedAges.count + failed,
      percentiles: percentilesOf((percentage) => numberOrNull(this.percentile(percentage))),
      lowerBounds: PERCENTILES.filter((key) => this.percentile(Number(key)).kind === 'at-least'),
    };
  }
}
