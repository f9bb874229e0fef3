/** What a workload is like, for plan and report: its lengths, how many prompts differ, how much of them a prefix cache could reuse. */

import type { Prompt, WorkloadRow } from './workload-row.ts';

/** A distribution of lengths in tokens. Percentiles by nearest rank. */
export interface LengthSummary {
  readonly mean: number;
  readonly min: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** The rows of a workload in few numbers. */
export interface WorkloadDescription {
  readonly rows: number;
  readonly inputTokens: LengthSummary;
  /** Of rows that say; null where none does. */
  readonly outputTokens: LengthSummary | null;
  /** Different prompts. */
  readonly uniquePrompts: number;
  /**
   * Share of all input tokens that begin a prompt as an earlier one in this order began: what an endless prefix cache would reuse.
   * By blocks for generated prompts; whole equal prompts for texts.
   */
  readonly prefixReuse: number;
  readonly sessions: number;
}

/** Describes rows; there must be one. */
export function describeRows(rows: readonly WorkloadRow[]): WorkloadDescription {
  const seen = new PrefixTree();
  const texts = new Set<string>();
  let reused = 0;
  let total = 0;
  let unique = 0;
  for (const { prompt, inputTokens } of rows) {
    const { tokens, isNew } = prompt.kind === 'blocks' ? seen.take(prompt) : takeText(texts, prompt.text, inputTokens);
    reused += tokens;
    total += inputTokens;
    if (isNew) unique += 1;
  }
  const outputs = rows.flatMap(({ outputTokens }) => (outputTokens === null ? [] : [outputTokens]));
  return {
    rows: rows.length,
    inputTokens: summaryOf(rows.map(({ inputTokens }) => inputTokens)),
    outputTokens: outputs.length === 0 ? null : summaryOf(outputs),
    uniquePrompts: unique,
    prefixReuse: total === 0 ? 0 : reused / total,
    sessions: new Set(rows.map(({ session }) => session).filter((session) => session !== null)).size,
  };
}

interface Taken {
  /** Tokens at its start that came before. */
  readonly tokens: number;
  readonly isNew: boolean;
}

function takeText(texts: Set<string>, text: string, inputTokens: number): Taken {
  const isNew = !texts.has(text);
  texts.add(text);
  return { tokens: isNew ? 0 : inputTokens, isNew };
}

/** All beginnings seen so far, block by block. */
class PrefixTree {
  readonly #nodes = new Map<string, { readonly id: number; tokens: number }>();
  readonly #whole = new Set<string>();

  take({ blocks }: Extract<Prompt, { readonly kind: 'blocks' }>): Taken {
    let node = 0;
    let shared = 0;
    let isShared = true;
    let whole = '';
    for (const { key, tokens } of blocks) {
      const name = `${node} ${key}`;
      const before = this.#nodes.get(name);
      if (before === undefined || !isShared) isShared = false;
      else {
        shared += Math.min(tokens, before.tokens);
        isShared = tokens === before.tokens;
      }
      const here = before ?? { id: this.#nodes.size + 1, tokens };
      if (before === undefined) this.#nodes.set(name, here);
      else before.tokens = Math.max(before.tokens, tokens);
      node = here.id;
      whole = `${node} ${tokens}`;
    }
    const isNew = !this.#whole.has(whole);
    this.#whole.add(whole);
    return { tokens: shared, isNew };
  }
}

function summaryOf(lengths: readonly number[]): LengthSummary {
  const sorted = [...lengths].sort((a, b) => a - b);
  const rank = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] as number;
  return {
    mean: lengths.reduce((sum, length) => sum + length, 0) / lengths.length,
    min: sorted[0] as number,
    p50: rank(0.5),
    p90: rank(0.9),
    p99: rank(0.99),
    max: sorted.at(-1) as number,
  };
}
