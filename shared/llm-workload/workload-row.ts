/** One request of an LLM workload, whatever file or law it came from: prompt, lengths, session and recorded instant. */

import type { ExactInstant } from '../schedule/instant-text.ts';
import type { LaterTurn } from './later-turns.ts';

/** A stretch of generated prompt: `tokens` words that follow from `key`. Equal keys give equal words, so blocks make shared prefixes. */
export interface PromptBlock {
  /** Without spaces and `*`. */
  readonly key: string;
  readonly tokens: number;
}

/** A prompt as text, or as blocks that are turned into words where they are sent. */
export type Prompt =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'blocks'; readonly blocks: readonly PromptBlock[] };

/** One request. */
export interface WorkloadRow {
  readonly prompt: Prompt;
  /** As the source says, or as counted in the text. */
  readonly inputTokens: number;
  /** Null where the source does not say. */
  readonly outputTokens: number | null;
  /** Conversation it belongs to. */
  readonly session: string | null;
  /** Recorded instant, from whatever zero the file has. */
  readonly at: ExactInstant | null;
  /** What the session says after the first answer; left out where there is one turn. */
  readonly laterTurns?: readonly LaterTurn[];
}

/** What a reader makes of its source. */
export interface WorkloadRows {
  readonly rows: readonly WorkloadRow[];
  /** Rows of the source that the reader's rules left out, by rule. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** The rules with their values, for the report. */
  readonly parameters: Readonly<Record<string, string | number | boolean | null>>;
}

/** Counts the tokens of a text; `name` says how, for the report. */
export interface TokenCounter {
  readonly name: string;
  count(text: string): number;
}

/** Counts words and punctuation marks: no tokenizer, but within some tens of per cent of one for English. */
export const wordCounter: TokenCounter = {
  name: 'words',
  count: (text) => text.match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu)?.length ?? 0,
};

/** Counts of left-out rows while a source is read. */
export class LeftOut {
  readonly #counts: Record<string, number> = {};

  add(rule: string): void {
    this.#counts[rule] = (this.#counts[rule] ?? 0) + 1;
  }

  get counts(): Readonly<Record<string, number>> {
    return this.#counts;
  }
}
