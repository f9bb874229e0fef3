/**
 * Thresholds as text: bounds for the whole run, such as `p99(response)<50ms`. An unknown metric or book is an error here, so that no misspelt threshold can pass (R098).
 */

import { knownNamesHint } from '../nearest-name.ts';
import { DROP_REASONS, FAILURE_CLASSES } from '../metrics/outcome.ts';
import { METRICS, type MetricId, unitOf } from '../metrics/metric.ts';
import { parseDuration } from '../time/duration.ts';
import type { Threshold, ThresholdStatistic } from './plan.ts';
import { readDecimal, readScaled, valueError } from './plan-field.ts';
import { quoted } from './problem-list.ts';

/** Metrics without a value per answered request: no bound can be set on them. */
const NOT_PER_REQUEST: readonly MetricId[] = ['unfinishedAge', 'loopGap'];

/** Metrics that a bound may name. */
export const BOUNDED_METRICS: readonly MetricId[] = METRICS.filter((metric) => !NOT_PER_REQUEST.includes(metric));

/** Names that others use for a metric of ours. */
export const METRIC_ALIASES: Readonly<Record<string, MetricId>> = { e2e: 'response' };

/** Our own name of a metric. */
export function metricNamed(name: string): string {
  return Object.hasOwn(METRIC_ALIASES, name) ? (METRIC_ALIASES[name] as string) : name;
}

const NAMED: readonly string[] = [...BOUNDED_METRICS, ...Object.keys(METRIC_ALIASES)];

/** Response in which failed, dropped and unfinished requests count as infinite (R058); percentiles only. */
const WITH_FAILURES = 'responseWithFailures';

const PARTS = [
  ...DROP_REASONS.map((reason) => `dropped:${reason}`),
  ...FAILURE_CLASSES.map((failure) => `failed:${failure}`),
];
/** Books whose share of attempted + dropped can be bounded; `failure` = failed + dropped + unfinished (P4), `goodput` = ok within the SLO. */
const SHARE_BOOKS: readonly string[] = ['goodput', 'ok', 'failed', 'dropped', 'unfinished', 'failure', ...PARTS];
/** Books that can be bounded as a count. */
const COUNT_BOOKS: readonly string[] = [
  ...['scheduled', 'attempted', 'sent', 'dropped', 'cancelled', 'lost', 'ok', 'failed', 'unfinished', 'failure'],
  ...PARTS,
];
/** Rates that can be bounded. */
const RATES: readonly string[] = ['sent', 'ok', 'goodput'];

const STATISTICS = ['p50', 'p90', 'p99', 'p99.9', 'mean', 'min', 'max', 'share', 'count', 'rate'];
const EXAMPLE = 'write for example p99(response)<50ms, share(failed)<1% or rate(ok)>=900';
const TEXT_MAX = 200;

/**
 * Reads `STATISTIC(NAME) COMPARISON BOUND`; spaces around the parts are allowed.
 * @throws FleetError 'plan' naming what is wrong and the nearest valid name.
 */
export function parseThreshold(text: string): Threshold {
  const match =
    text.length > TEXT_MAX ? null : /^\s*([^\s()]+)\s*\(\s*([^()]*?)\s*\)\s*(<=?|>=?)\s*(\S+)\s*$/.exec(text);
  if (match === null) throw valueError(`threshold ${quoted(text)} cannot be read; ${EXAMPLE}`);
  const [, statisticName = '', name = '', comparison = '', boundText = ''] = match;
  const statistic = parseStatistic(text, statisticName, name);
  const bound = parseBound(text, statistic, boundText);
  return { text: text.trim(), statistic, comparison: comparison as Threshold['comparison'], bound };
}

function parseStatistic(text: string, statistic: string, name: string): ThresholdStatistic {
  const percentile = /^p([0-9]{1,3}(?:\.[0-9]{1,6})?)$/.exec(statistic)?.[1];
  if (percentile !== undefined) {
    const value = Number(percentile);
    if (value <= 0 || value >= 100) {
      throw valueError(
        `threshold ${quoted(text)}: percentile ${percentile} is not between 0 and 100; for p100 write max`,
      );
    }
    const metric = metricNamed(knownName(text, 'metric', name, [...NAMED, WITH_FAILURES]));
    return { kind: 'percentile', percentile: value, metric };
  }
  switch (statistic) {
    case 'mean':
    case 'min':
    case 'max':
      return { kind: statistic, metric: metricNamed(knownName(text, 'metric', name, NAMED)) };
    case 'share':
      return { kind: 'share', book: knownName(text, 'book', name, SHARE_BOOKS) };
    case 'count':
      return { kind: 'count', book: knownName(text, 'book', name, COUNT_BOOKS) };
    case 'rate':
      return { kind: 'rate', of: knownName(text, 'rate', name, RATES) };
    default:
      throw valueError(
        `threshold ${quoted(text)}: unknown statistic "${statistic}"${knownNamesHint(statistic, STATISTICS)}`,
      );
  }
}

function parseBound(text: string, statistic: ThresholdStatistic, bound: string): number {
  switch (statistic.kind) {
    case 'percentile':
    case 'mean':
    case 'min':
    case 'max':
      return parseMetricBound(text, statistic.metric, bound);
    case 'share':
      return parseShare(text, bound);
    case 'count': {
      const value = readDecimal(bound);
      if (value !== null && Number.isSafeInteger(value) && value >= 0) return value;
      throw valueError(`threshold ${quoted(text)}: "${bound}" is not a whole number >= 0`);
    }
    case 'rate': {
      const value = readDecimal(bound.replace(/\/s$/, ''));
      if (value !== null && value >= 0) return value;
      throw valueError(`threshold ${quoted(text)}: "${bound}" is not a rate per second such as 900 or 900/s`);
    }
  }
}

/** A duration for times; for counts and rates of tokens a number of tokens, or of tokens per second. */
function parseMetricBound(text: string, name: string, bound: string): number {
  const metric = METRICS.find((known) => known === name);
  const unit = metric === undefined ? 'ns' : unitOf(metric);
  if (unit === 'ns') return parseDuration(bound);
  const value = readScaled(bound.replace(/\/s$/, ''), unit.startsWith('milli-') ? 3 : 0);
  if (value === null || value < 0) {
    throw valueError(`threshold ${quoted(text)}: "${bound}" is not a number of tokens such as 20`);
  }
  return value;
}

function parseShare(text: string, bound: string): number {
  const isPercent = bound.endsWith('%');
  const share = isPercent ? readScaled(bound.slice(0, -1), -2) : readDecimal(bound);
  if (share !== null && share >= 0 && share <= 1) return share;
  throw valueError(`threshold ${quoted(text)}: "${bound}" is not a share such as 1% or 0.01 (0..1)`);
}

function knownName(text: string, what: string, name: string, known: readonly string[]): string {
  if (known.includes(name)) return name;
  throw valueError(
    `${quoted(text)}: unknown ${what} "${name.slice(0, 60)}"${knownNamesHint(name.slice(0, 60), known)}`,
  );
}
