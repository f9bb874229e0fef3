/**
 * The ladder of a calibration: one plan whose phases are rising rates, and what its result says about each rate. Pure; the verb
 * `calibrate` runs it.
 */

import { type ExcessLevel, excessLevel } from '../../coordinator/verdict/excess-gate.ts';
import type { MetricSummary } from '../../coordinator/report/metric-summary.ts';
import type { PercentileStatistics } from '../../coordinator/report/percentile-statistics.ts';
import type { PhaseValue } from '../../coordinator/report/result-value.ts';
import { type ClientCalibration, H2_CLIENT, type Rung, type Spread } from '../../shared/calibration/calibration.ts';

/** Steps of the ladder as parts of the asked rate: it climbs beyond it (M§9.3). */
const STEPS = [0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5] as const;

/** Least share of arrivals that must be sent and answered for a rate to count. */
const SHARE_LEAST = 0.99;

/** How a ladder is run. */
export interface LadderOptions {
  readonly targetUrl: string;
  readonly client: string;
  readonly workers: number;
  /** Of the rungs, per worker, rising. */
  readonly rates: readonly number[];
  readonly stepSeconds: number;
}

/** Rates per worker, rising. */
export function ladderRates(ratePerSecond: number): readonly number[] {
  return STEPS.map((step) => step * ratePerSecond);
}

/** The plan as YAML text: a warm-up at the lowest rate, then every rung. One agent, Poisson. */
export function ladderPlan({ targetUrl, client, workers, rates, stepSeconds }: LadderOptions): string {
  const phase = (name: string, rate: number, more: string): string =>
    `  - {name: ${name}, rate: ${rate * workers}, duration: ${stepSeconds}s${more}}`;
  return [
    'name: calibrate',
    'seed: 1',
    `target: {url: '${targetUrl}', ${client === H2_CLIENT ? 'http: 2' : `client: ${client}`}}`,
    'workload:',
    '  - {name: probe, url: /}',
    'load:',
    phase('warm-up', rates[0] ?? 1, ', warmup: true'),
    ...rates.map((rate, index) => phase(`rung-${index + 1}`, rate, '')),
    `fleet: {agents: 1, workers: ${workers}}`,
    'limits: {timeout: 5s, drain: 5s}',
    'failOn: never',
    '',
  ].join('\n');
}

/** What a phase at `ratePerSecond` per worker came to; every request truly took `serviceNs`. */
export function rungOf(phase: PhaseValue, ratePerSecond: number, serviceNs: number): Rung {
  const { scheduled, sent, ok } = phase.accounting;
  const [p50, p99] = [phase.statistics.metrics.response['50'], phase.statistics.metrics.response['99']];
  return {
    ratePerSecond,
    scheduled,
    sent,
    ok,
    wakeLag: spreadOfMetric(phase.metrics['wakeLag'], 0),
    serviceError: spreadOfMetric(phase.metrics['service'], serviceNs),
    excess: { '50': excessIn(p50), '99': excessIn(p99) },
    level: gravest([levelOf(p50), levelOf(p99)]),
  };
}

/** Whether what was planned at a rate was also sent and answered. */
export function isCarried({ scheduled, sent, ok }: Pick<Rung, 'scheduled' | 'sent' | 'ok'>): boolean {
  return scheduled > 0 && sent >= SHARE_LEAST * scheduled && ok >= SHARE_LEAST * scheduled;
}

/** The certified rate of rising rungs: the highest below the first that is not clean. */
export function certify(rungs: readonly Rung[]): Pick<ClientCalibration, 'certifiedRatePerSecond' | 'limitedBy'> {
  const firstBad = rungs.findIndex((rung) => rung.level !== 'pass' || !isCarried(rung));
  const bad = rungs[firstBad];
  if (bad === undefined) return { certifiedRatePerSecond: rungs.at(-1)?.ratePerSecond ?? null, limitedBy: 'ladder' };
  const certifiedRatePerSecond = rungs[firstBad - 1]?.ratePerSecond ?? null;
  return { certifiedRatePerSecond, limitedBy: bad.level === 'pass' ? 'load' : 'excess' };
}

/** Percentiles of a metric less `offset`. */
export function spreadOfMetric(metric: MetricSummary | undefined, offset: number): Spread {
  const less = (value: number | null | undefined): number | null =>
    value === null || value === undefined ? null : value - offset;
  const { percentiles, max } = metric ?? {};
  return {
    p50: less(percentiles?.['50']),
    p99: less(percentiles?.['99']),
    p999: less(percentiles?.['99.9']),
    max: less(max),
  };
}

function excessIn(statistics: PercentileStatistics | null): Rung['excess']['50'] {
  const excess = statistics?.excess ?? null;
  return excess === null ? null : { bound: excess.bound, share: excess.share };
}

function levelOf(statistics: PercentileStatistics | null): ExcessLevel | 'not-measured' {
  if (statistics === null || statistics.excess === null) return 'not-measured';
  const { bound, share, alpha } = statistics.excess;
  return excessLevel({ measured: statistics.value, excess: bound, share, alpha });
}

function gravest(levels: readonly Rung['level'][]): Rung['level'] {
  const order: readonly Rung['level'][] = ['fail', 'not-measured', 'warn', 'pass'];
  return order.find((level) => levels.includes(level)) ?? 'not-measured';
}
