/**
 * Judges the plan's thresholds, once, on the merged data of the measured phases (R069). Three answers: pass, fail, no data. A time
 * without one sample is no data and fails the run (R098); a count or share of nothing is 0 where its base is not.
 */
import { assertNever } from '../../shared/assert-never.ts';
import { COUNTER } from '../../shared/metrics/counters.ts';
import { METRICS, type MetricId, unitOf } from '../../shared/metrics/metric.ts';
import { DROP_REASONS, FAILURE_CLASSES } from '../../shared/metrics/outcome.ts';
import type { Threshold, ThresholdStatistic } from '../../shared/plan/plan.ts';
import { type Accounting, droppedTotal, failedTotal, failureShareOf } from '../merge/accounting.ts';
import { hasFewSamples } from '../../shared/stats/order-statistics.ts';
import { durationText } from '../../shared/time/duration-text.ts';
import type { ThresholdValue } from './threshold-value.ts';
import type { ScopeData } from './scope-data.ts';

/** The metric of percentiles in which failures count as infinite. */
const WITH_FAILURES = 'responseWithFailures';

/** What a statistic came to. `measured` Infinity: beyond every answer. */
interface Measurement {
  readonly measured: number | null;
  readonly unit: ThresholdValue['unit'];
  readonly samples: number | null;
  readonly note: string | null;
  /** `measured` is unknown, but not below this; absent where it is known. */
  readonly atLeast?: number;
}

/** Judges one threshold. `hasSlo`: the plan bounds requests, so that there is a goodput. */
export function judgeThreshold(threshold: Threshold, data: ScopeData, hasSlo: boolean): ThresholdValue {
  const { measured, unit, samples, note, atLeast = null } = measure(threshold.statistic, data, hasSlo);
  const isLowerBound = threshold.comparison === '>' || threshold.comparison === '>=';
  // Of a value that is only known from below, no more is shown than that it is not less.
  const judged = atLeast !== null && isLowerBound ? atLeast : measured;
  const result = judged === null ? 'no-data' : holds(judged, threshold) ? 'pass' : 'fail';
  return {
    text: threshold.text,
    result,
    measured: measured === Infinity ? null : measured,
    comparison: threshold.comparison,
    bound: threshold.bound,
    unit,
    samples,
    reason: note,
  };
}

function holds(measured: number, threshold: Threshold): boolean {
  switch (threshold.comparison) {
    case '<':
      return measured < threshold.bound;
    case '<=':
      return measured <= threshold.bound;
    case '>':
      return measured > threshold.bound;
    case '>=':
      return measured >= threshold.bound;
    default:
      return assertNever(threshold.comparison);
  }
}

function measure(statistic: ThresholdStatistic, data: ScopeData, hasSlo: boolean): Measurement {
  switch (statistic.kind) {
    case 'percentile':
      return statistic.metric === WITH_FAILURES
        ? percentileWithFailures(statistic.percentile, data)
        : percentile(statistic.percentile, statistic.metric, data);
    case 'mean':
    case 'min':
    case 'max':
      return extreme(statistic.kind, statistic.metric, data);
    case 'share':
      return share(statistic.book, data, hasSlo);
    case 'count':
      return count(statistic.book, data);
    case 'rate':
      return rate(statistic.of, data, hasSlo);
    default:
      return assertNever(statistic);
  }
}

function percentile(percentage: number, metric: string, data: ScopeData): Measurement {
  if (!isMetric(metric)) return unknownName(metric, 'ns');
  const histogram = data.histogram(metric, 'ok');
  const measured = histogram.percentile(percentage);
  if (measured === null) return noSamples(metric);
  const few = percentage === 100 || hasFewSamples(histogram.count, percentage / 100);
  const note = few ? `few samples: ${histogram.count} for percentile ${percentage}` : null;
  return { measured, unit: unitOf(metric), samples: histogram.count, note };
}

function percentileWithFailures(percentage: number, data: ScopeData): Measurement {
  const samples = data.accounting.attempted + droppedTotal(data.accounting);
  const at = data.responseWithFailures().percentile(percentage);
  const result = (measured: number | null, note: string | null): Measurement => ({
    measured,
    unit: 'ns',
    samples,
    note,
  });
  switch (at.kind) {
    case 'value':
      return result(at.value, null);
    case 'at-least':
      // The true value is not known to be below any bound.
      return {
        ...result(Infinity, `at least ${durationText(at.value)}: a request was still open at that age`),
        atLeast: at.value,
      };
    case 'beyond':
      return result(Infinity, 'beyond every answer: too many requests failed');
    case 'no-data':
      return result(null, 'no request was attempted or dropped');
    default:
      return assertNever(at);
  }
}

function extreme(kind: 'mean' | 'min' | 'max', metric: string, data: ScopeData): Measurement {
  if (!isMetric(metric)) return unknownName(metric, 'ns');
  const histogram = data.histogram(metric, 'ok');
  const measured = kind === 'mean' ? histogram.mean() : kind === 'min' ? histogram.min : histogram.max;
  if (measured === null) return noSamples(metric);
  return { measured, unit: unitOf(metric), samples: histogram.count, note: null };
}

function share(book: string, data: ScopeData, hasSlo: boolean): Measurement {
  const books = data.accounting;
  const base = books.attempted + droppedTotal(books);
  if (base === 0) return { measured: null, unit: 'share', samples: 0, note: 'no request was attempted or dropped' };
  if (book === 'goodput') {
    if (!hasSlo) return noGoodput('share');
    return { measured: (data.cell[COUNTER.good] as number) / base, unit: 'share', samples: base, note: null };
  }
  const part = book === 'failure' ? null : bookOf(book, books);
  if (book !== 'failure' && part === null) return unknownName(book, 'share');
  const measured = part === null ? failureShareOf(books) : part / base;
  return { measured, unit: 'share', samples: base, note: null };
}

function count(book: string, data: ScopeData): Measurement {
  const measured = bookOf(book, data.accounting);
  if (measured === null) return unknownName(book, 'count');
  return { measured, unit: 'count', samples: null, note: null };
}

function rate(of: string, data: ScopeData, hasSlo: boolean): Measurement {
  if (of === 'goodput' && !hasSlo) return noGoodput('1/s');
  const counted = of === 'goodput' ? (data.cell[COUNTER.good] as number) : bookOf(of, data.accounting);
  if (counted === null) return unknownName(of, '1/s');
  const measured = data.perSecondOfWork(counted);
  const note = measured === null ? 'the measured phases have no length' : null;
  return { measured, unit: '1/s', samples: null, note };
}

/** One book as a count: a field of the accounting, a sum, or one class or reason as `failed:timeout`, `dropped:late`. */
function bookOf(book: string, books: Accounting): number | null {
  switch (book) {
    case 'scheduled':
    case 'attempted':
    case 'sent':
    case 'cancelled':
    case 'lost':
    case 'ok':
    case 'unfinished':
      return books[book];
    case 'dropped':
      return droppedTotal(books);
    case 'failed':
      return failedTotal(books);
    case 'failure':
      return failedTotal(books) + droppedTotal(books) + books.unfinished;
    default: {
      const failure = FAILURE_CLASSES.find((name) => book === `failed:${name}`);
      if (failure !== undefined) return books.failed[failure];
      const reason = DROP_REASONS.find((name) => book === `dropped:${name}`);
      return reason === undefined ? null : books.dropped[reason];
    }
  }
}

function isMetric(name: string): name is MetricId {
  return METRICS.some((metric) => metric === name);
}

function noSamples(metric: MetricId): Measurement {
  return {
    measured: null,
    unit: unitOf(metric),
    samples: 0,
    note: `no ok request has a ${metric} ${unitOf(metric) === 'ns' ? 'time' : 'value'}`,
  };
}

/** The plan's parser refuses unknown names; a distant coordinator may be older than the plan. */
function unknownName(name: string, unit: ThresholdValue['unit']): Measurement {
  return { measured: null, unit, samples: null, note: `${name} is not measured by this version` };
}

/** Without a bound per request nothing is good, and nothing is missed either. */
function noGoodput(unit: ThresholdValue['unit']): Measurement {
  return { measured: null, unit, samples: null, note: 'the plan has no slo, so no goodput' };
}
