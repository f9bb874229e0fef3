/**
 * Counts occurrences of texts that come from outside, in bounded memory (R095). The first `limit` texts in string order are
 * kept by name, the rest is counted together: a rule that gives the same tally for every order of arrival, unlike "the
 * first that came".
 */

/** One text and how often it was seen. */
export interface TallyEntry {
  readonly text: string;
  readonly count: number;
}

/** A tally of at most `limit` distinct texts. */
export class BoundedTally {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();
  #other = 0;
  /** The greatest text that is kept; a greater one goes to `other` once the tally is full. */
  #greatest = '';

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Occurrences of texts that are not kept by name. */
  get other(): number {
    return this.#other;
  }

  /** Adds `count` occurrences of `text`. */
  add(text: string, count: number): void {
    const known = this.#counts.get(text);
    if (known !== undefined) {
      this.#counts.set(text, known + count);
      return;
    }
    if (this.#counts.size >= this.#limit) {
      if (text > this.#greatest) {
        this.#other += count;
        return;
      }
      // A text that is once put out is greater than all that are kept from then on, so it never comes back in part.
      this.#other += this.#counts.get(this.#greatest) ?? 0;
      this.#counts.delete(this.#greatest);
    }
    this.#counts.set(text, count);
    this.#greatest = greatestOf(this.#counts.keys());
  }

  /** The kept texts, most frequent first, equal ones in string order. */
  entries(): readonly TallyEntry[] {
    return [...this.#counts]
      .map(([text, count]) => ({ text, count }))
      .sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1));
  }
}

function greatestOf(texts: Iterable<string>): string {
  let greatest = '';
  for (const text of texts) if (text > greatest) greatest = text;
  return greatest;
}
