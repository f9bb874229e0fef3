/**
 * MLPerf's early stopping and its fixed query counts (M§4.2). Both assume independent queries: behind a queue they pass far
 * more often than they should (M§4.3), so a report labels them "iid" and shows them beside the block statistics.
 */

import { assertInvariant } from '../fleet-error.ts';
import { incompleteBeta } from './incomplete-beta.ts';
import { normalQuantile } from './normal.ts';

/** What is to be shown: at most a share 1 - probability of queries over the bound. */
export interface EarlyStoppingRule {
  /** The percentile as a fraction, 0.99 for p99. */
  readonly probability: number;
  /** MLPerf uses 0.99. */
  readonly confidence: number;
  /** Tolerance d: the share is tested against probability - d. MLPerf uses 0. */
  readonly tolerance: number;
}

/** MLPerf's rule for a percentile. */
export function mlperfRule(probability: number): EarlyStoppingRule {
  return { probability, confidence: 0.99, tolerance: 0 };
}

/**
 * Least total of queries, over-bound ones included, with which `overBound` of them may be over the bound: h + t for the
 * least h with I_{p - d}(h, t + 1) <= 1 - c. p99: 459 for 0, 662 for 1, 838 for 2.
 */
export function queriesNeeded(overBound: number, rule: EarlyStoppingRule): number {
  assertInvariant(Number.isSafeInteger(overBound) && overBound >= 0, `overBound is ${overBound}, must be from 0 on`);
  const { p, risk } = checkedRule(rule);
  const enough = (within: number): boolean => incompleteBeta(p, within, overBound + 1) <= risk;
  let high = 1;
  while (!enough(high)) high *= 2;
  let low = Math.floor(high / 2);
  while (low + 1 < high) {
    const middle = Math.floor((low + high) / 2);
    if (enough(middle)) high = middle;
    else low = middle;
  }
  return high + overBound;
}

/** Most queries of `total` that may be over the bound; null when even 0 is too many to tell. p99 of 270,336: 2,583. */
export function overBoundAllowed(total: number, rule: EarlyStoppingRule): number | null {
  const { p, risk } = checkedRule(rule);
  // h + t <= total for the least h exactly when total - t within the bound already show it: the beta function falls with h.
  const allowed = (overBound: number): boolean => incompleteBeta(p, total - overBound, overBound + 1) <= risk;
  if (total < 1 || !allowed(0)) return null;
  let low = 0;
  let high = total;
  while (low + 1 < high) {
    const middle = Math.floor((low + high) / 2);
    if (allowed(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** MLPerf's fixed query count for a percentile. */
export interface FixedQueryCount {
  /** z^2 p (1 - p) / m^2 with margin m = (1 - p) / 20, before any rounding. */
  readonly exact: number;
  /** Rounded up to a multiple of 2^13, as MLPerf publishes it. */
  readonly rounded: number;
}

const MARGIN_PARTS = 20;
const ROUNDING = 2 ** 13;

/** Queries that MLPerf asks for to know a percentile to a twentieth of its tail at 99 % confidence. p99: 270,336. */
export function fixedQueryCount(probability: number): FixedQueryCount {
  assertInvariant(probability > 0 && probability < 1, `probability is ${probability}, must be between 0 and 1`);
  const z = normalQuantile(0.995);
  const margin = (1 - probability) / MARGIN_PARTS;
  const exact = (z * z * probability * (1 - probability)) / (margin * margin);
  return { exact, rounded: Math.ceil(exact / ROUNDING) * ROUNDING };
}

function checkedRule({ probability, confidence, tolerance }: EarlyStoppingRule): { p: number; risk: number } {
  const p = probability - tolerance;
  assertInvariant(p > 0 && p < 1, `probability less tolerance is ${p}, must be between 0 and 1`);
  assertInvariant(confidence > 0 && confidence < 1, `confidence is ${confidence}, must be between 0 and 1`);
  return { p, risk: 1 - confidence };
}
