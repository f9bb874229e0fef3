/**
 * Judges the status of an answer against what the plan expects of each request (design §6): all possible outcomes are made
 * before the start, so a judgement is one look-up and allocates nothing.
 */

import type { Outcome } from '../../shared/metrics/outcome.ts';
import type { Expectation } from '../../shared/plan/plan.ts';

/** Statuses have three digits (RFC 9110 §15); anything else is outside all ranges. */
const STATUS_MAX = 999;

/** The outcome of an answer, by its status. */
export class StatusExpectation {
  readonly #outcomes: readonly Outcome[];

  constructor(expectation: Expectation) {
    this.#outcomes = Array.from({ length: STATUS_MAX + 1 }, (_unused, status) => judge(expectation, status));
  }

  /** `ok`, or `failed` with class `http-status`. */
  outcomeOf(status: number): Outcome {
    return this.#outcomes[status] ?? { kind: 'failed', class: 'http-status', status, detail: 'status out of range' };
  }
}

function judge(expectation: Expectation, status: number): Outcome {
  const expected = expectation.status.some(([low, high]) => status >= low && status <= high);
  if (expected) return { kind: 'ok', status };
  return { kind: 'failed', class: 'http-status', status, detail: `status ${status}` };
}
