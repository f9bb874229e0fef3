/**
 * A small sample of failure texts per class for the report: normalised so that ids and addresses do not make each one new, and
 * capped, so that a server that invents texts cannot use up memory (R095). Not the count of failures: the books have that.
 */

import type { FailureExample } from '../../shared/metrics/agent-report.ts';
import { withoutOccasion } from '../../shared/metrics/failure-text.ts';
import type { FailureClass } from '../../shared/metrics/outcome.ts';

/** Distinct texts kept per class between two hand-overs; later ones are counted as `other`. */
export const EXAMPLES_PER_CLASS = 8;

const DETAIL_LENGTH_MAX = 120;
const RAW_LENGTH_MAX = 1024;

/**
 * Codes at the beginning of a text, of an answer's status, of a frame that ended it and of a server's error in it: there are few of them, and
 * they say the most.
 */
const CODES =
  /^(?:status [0-9]{3}\b|(?:grpc-status|RST_STREAM|GOAWAY) [0-9]{1,2}\b)?(?:(?:^|, )server error [0-9]{3}\b)?/;

/** A failure text without what differs from request to request: URLs, addresses, numbers but codes, and control characters. */
export function normaliseDetail(detail: string): string {
  const codes = CODES.exec(detail)?.[0] ?? '';
  return (codes + withoutOccasion(detail.slice(codes.length, RAW_LENGTH_MAX))).slice(0, DETAIL_LENGTH_MAX);
}

export class FailureExamples {
  #byClass = new Map<FailureClass, Map<string, number>>();

  /** Notes one failure. */
  note(failure: FailureClass, detail: string): void {
    let texts = this.#byClass.get(failure);
    if (texts === undefined) {
      texts = new Map();
      this.#byClass.set(failure, texts);
    }
    const text = normaliseDetail(detail);
    const key = texts.has(text) || texts.size < EXAMPLES_PER_CLASS ? text : 'other';
    texts.set(key, (texts.get(key) ?? 0) + 1);
  }

  /** What was noted since the last call. */
  take(): FailureExample[] {
    if (this.#byClass.size === 0) return [];
    const examples: FailureExample[] = [];
    for (const [failure, texts] of this.#byClass) {
      for (const [detail, count] of texts) examples.push({ class: failure, detail, count });
    }
    this.#byClass = new Map();
    return examples;
  }
}
