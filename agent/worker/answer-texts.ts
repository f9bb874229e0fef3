/**
 * Texts of answers on their way to be counted by a tokenizer: not on this thread, where that would be lateness for every stream, but on the
 * agent's main thread (`agent/merge/token-counting.ts`). A sample: as many as fit between two hand-overs, the first ones.
 */

import { windowOf } from '../../shared/metrics/window.ts';
import type { AnswerText } from './answer-text.ts';
import type { OpenRequest } from './open-request.ts';

/** Characters of texts in one hand-over: some 8,000 tokens, which take the main thread 10 to 50 ms to count. */
const CHARACTERS_MAX = 32_768;

export class AnswerTexts {
  readonly #charactersMax: number;
  #texts: AnswerText[] = [];
  #characters = 0;

  constructor(charactersMax = CHARACTERS_MAX) {
    this.#charactersMax = charactersMax;
  }

  /** Takes the text of an ok answer; false when it is left out. */
  add({ phase, template, endNs, reader }: OpenRequest): boolean {
    const counted = reader?.countedText() ?? null;
    if (counted === null || this.#characters + counted.text.length > this.#charactersMax) return false;
    this.#characters += counted.text.length;
    this.#texts.push({ phase, window: windowOf(endNs), template, ...counted });
    return true;
  }

  /** Gives away what came since the last call. */
  take(): readonly AnswerText[] {
    const texts = this.#texts;
    this.#texts = [];
    this.#characters = 0;
    return texts;
  }
}
