/**
 * MLPerf's early stopping (M§4.2). It assumes independent queries: behind a queue it passes far more often than it should (M§4.3), so
 * a report labels it "iid" and shows it beside the block statistics.
 */

import { assertInvariant } from '../fleet-error.ts';
import { incompleteBeta } from './incomplete-beta.ts';

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

function checkedRule({ probability, confidence, tolerance }: EarlyStoppingRule): { p: number; risk: number } {
  const p = probability - tolerance;
  assertInvariant(p > 0 && p < 1, `probability less tolerance is ${p}, must be between 0 and 1`);
  assertInvariant(confidence > 0 && confidence < 1, `confidence is ${confidence}, must be between 0 and 1`);
  return { p, risk: 1 - confidence };
}
