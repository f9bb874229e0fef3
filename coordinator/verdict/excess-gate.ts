/**
 * The primary gate (design §9, M§9.1): how much of the percentiles that the run is judged by can be the fleet's own delay. Beyond
 * the limit the run is invalid, not slow. Judges bounds that were computed elsewhere; reads no histogram.
 */
import type { ExcessBound } from '../../shared/stats/excess-bound.ts';
import { EXCESS_SLACK_NS, GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** One percentile that is judged, with its bound; null = not measured. */
export interface NamedExcess {
  readonly metric: string;
  /** 0..100, as the plan names it. */
  readonly percentage: number;
  readonly bound: ExcessBound | null;
}

/** How grave a bound is. */
export type ExcessLevel = 'pass' | 'warn' | 'fail';

/** The level of one bound: up to 2 % of the percentile (or 0.1 ms) passes, up to 5 % warns, beyond it fails. */
export function excessLevel({ excess, measured }: ExcessBound): ExcessLevel {
  const { warnBeyond, failBeyond } = GATES['excess-bound'];
  if (excess <= EXCESS_SLACK_NS || excess <= warnBeyond * measured) return 'pass';
  return excess <= failBeyond * measured ? 'warn' : 'fail';
}

/** `p99 of response = 46.000 ms, of which at most 1.000 ms (2.17 %) can be the fleet`. */
export function excessSentence({ metric, percentage }: NamedExcess, { measured, excess, share }: ExcessBound): string {
  const part = share === null ? '' : ` (${(share * 100).toFixed(2)} %)`;
  return `p${percentage} of ${metric} = ${milliseconds(measured)}, of which at most ${milliseconds(excess)}${part} can be the fleet`;
}

/** Judges the named percentiles by the gravest of them; those of equal level by the largest share. */
export function excessGate(named: readonly NamedExcess[]): Gate {
  const row = GATES['excess-bound'];
  const known = named.flatMap((one) => (one.bound === null ? [] : [{ one, bound: one.bound }]));
  const missing = named.filter((one) => one.bound === null);
  const unmeasured = `not measured for ${missing.map((one) => `p${one.percentage} of ${one.metric}`).join(', ')}`;
  const worst = known.sort((a, b) => gravity(b.bound) - gravity(a.bound))[0];
  if (worst === undefined) {
    const reason =
      missing.length === 0 ? 'no percentile is judged' : `${unmeasured}: no ok request, or no gap of the loop`;
    return {
      kind: 'not-measured',
      name: 'excess-bound',
      measured: null,
      limit: row.warnBeyond,
      unit: row.unit,
      reason,
    };
  }
  const kind = excessLevel(worst.bound);
  const sentence = excessSentence(worst.one, worst.bound);
  const beyond =
    kind === 'pass' ? '' : `, the limit is ${row.warnBeyond * 100} % (invalid beyond ${row.failBeyond * 100} %)`;
  const rest = missing.length === 0 ? '' : `; ${unmeasured}`;
  return {
    kind,
    name: 'excess-bound',
    measured: worst.bound.share ?? 0,
    limit: row.warnBeyond,
    unit: row.unit,
    reason: `${sentence}${beyond}${rest}`,
  };
}

function gravity(bound: ExcessBound): number {
  const level = { pass: 0, warn: 2, fail: 4 }[excessLevel(bound)];
  return level + (bound.share ?? 0);
}

function milliseconds(ns: number): string {
  return `${(ns / 1e6).toFixed(3)} ms`;
}
