/**
 * A small sample of failure texts per class for the report: normalised so that ids and addresses do not make each one new, and
 * capped, so that a server that invents texts cannot use up memory (R095). Not the count of failures: the books have that.
 */

import type { FailureExample } from '../../shared/metrics/agent-report.ts';
import type { FailureClass } from '../../shared/metrics/outcome.ts';

/** Distinct texts kept per class between two hand-overs; later ones are counted as `other`. */
export const EXAMPLES_PER_CLASS = 8;

const DETAIL_LENGTH_MAX = 120;
const RAW_LENGTH_MAX = 1024;

/** A failure text without what differs from request to request: URLs, addresses, numbers and control characters. */
export function normaliseDetail(detail: string): string {
  return detail
    .slice(0, RAW_LENGTH_MAX)
    .replace(/[a-z][a-z0-9+.-]*:\/\/\S+/gi, '<url>')
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/\b[0-9a-f]{8,}(-[0-9a-f]+)*\b/gi, '<id>')
    .replace(/[0-9]+/g, '#')
    .slice(0, DETAIL_LENGTH_MAX);
}

export class FailureExamples {
  #byClass = new Map<FailureClass, Map<string, number>>();

  /** Notes one failure. A status code in `detail` stays: there are few of them. */
  note(failure: FailureClass, detail: string): void {
    let texts = this.#byClass.get(failure);
    if (texts === undefined) {
      texts = new Map();
      this.#byClass.set(failure, texts);
    }
    const text = failure === 'http-status' ? detail : normaliseDetail(detail);
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
