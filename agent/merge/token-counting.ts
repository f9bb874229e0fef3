/**
 * Counts texts of answers by the tokenizers of the plan, on the agent's main thread. A sample that workers keep small
 * (`agent/worker/answer-texts.ts`); what comes of it are counters like all others.
 */
import { FleetError } from '../../shared/fleet-error.ts';
import { tokenCounterOf } from '../../shared/llm-workload/token-counter.ts';
import type { TokenCounter } from '../../shared/llm-workload/workload-row.ts';
import { COUNTER, type CounterCell, createCounterCell } from '../../shared/metrics/counters.ts';
import type { BlobStore } from '../../shared/plan/blob-ref.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import type { AnswerText } from '../worker/answer-text.ts';

export class TokenCounting {
  /** By position in `Plan.requests`. */
  readonly #counters: readonly (TokenCounter | null)[];

  /** @throws FleetError 'plan' when a tokenizer cannot be read. */
  constructor(plan: Plan, blobs: BlobStore) {
    const made = new Map<string, TokenCounter>();
    this.#counters = plan.requests.map(({ llm }) => {
      if (llm === null || llm.tokenizer === null) return null;
      const { name, file } = llm.tokenizer;
      const key = file?.sha256 ?? name;
      const counter = made.get(key) ?? tokenCounterOf(name, () => textOf(blobs, file?.sha256 ?? '', name));
      made.set(key, counter);
      // Whatever is made at the first count is made now, before the load.
      counter.count('');
      return counter;
    });
  }

  /** What counting `answer` adds to the books of its window. */
  cellOf({ template, text, tokens }: AnswerText): CounterCell {
    const cell = createCounterCell();
    const counter = this.#counters[template] ?? null;
    if (counter === null) return cell;
    cell[COUNTER['llm-tokenizer-answers']] = 1;
    cell[COUNTER['llm-tokenizer-tokens']] = counter.count(text);
    cell[COUNTER['llm-tokenizer-otherwise']] = tokens;
    return cell;
  }
}

function textOf(blobs: BlobStore, sha256: string, name: string): string {
  const bytes = blobs.get(sha256);
  if (bytes === undefined) throw new FleetError('plan', `tokenizer "${name}": its content (${sha256}) is not at hand`);
  return new TextDecoder().decode(bytes);
}
