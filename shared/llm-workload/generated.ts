/** Workloads that are made and not read: random lengths, shared prefixes and prefix groups, text put together from the lines of a file. */

import { FleetError } from '../fleet-error.ts';
import type { Seed } from '../random/seed.ts';
import { rowKey } from './prompt-recipe.ts';
import type { PromptBlock, TokenCounter, WorkloadRow, WorkloadRows } from './workload-row.ts';
import { WORKLOAD_PURPOSE, WorkloadDraws } from './workload-draws.ts';

/** How far a length spreads. The tools share one flag name with opposite meanings, so each keeps its own. */
export type LengthSpread =
  | { readonly kind: 'fixed' }
  /** Whole numbers, uniform on floor(L (1 - r)) .. ceil(L (1 + r)); r = 0 is fixed. vLLM since 0.8.4. */
  | { readonly kind: 'vllm'; readonly ratio: number }
  /** Whole numbers, uniform on max(1, floor(L r)) .. L; r = 1 is fixed, r = 0 is 1 .. L. SGLang. */
  | { readonly kind: 'sglang'; readonly ratio: number };

/** The range of a length. A length is at least 1. */
export function lengthRange(length: number, spread: LengthSpread): readonly [low: number, high: number] {
  switch (spread.kind) {
    case 'fixed':
      return [length, length];
    case 'vllm':
      return [
        Math.max(1, Math.floor(nudged(length * (1 - spread.ratio)))),
        Math.max(1, Math.ceil(nudged(length * (1 + spread.ratio)))),
      ];
    case 'sglang':
      return [Math.max(1, Math.floor(nudged(length * spread.ratio))), length];
  }
}

/** 10 x (1 + 0.1) is meant to be 11, not the next number above. */
function nudged(value: number): number {
  const whole = Math.round(value);
  return Math.abs(value - whole) < 1e-9 * Math.max(1, value) ? whole : value;
}

/** Prompts of random lengths: how many, how long on average, and how far apart. */
export interface RandomLengths {
  readonly count: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In front of every prompt, the same for all. */
  readonly prefixTokens: number;
  readonly spread: LengthSpread;
}

/** Prompts of random lengths with nothing in common but the prefix. */
export function randomRows(options: RandomLengths, seed: Seed): WorkloadRows {
  const { count, inputTokens, outputTokens, prefixTokens, spread } = options;
  const inputs = new WorkloadDraws(seed, WORKLOAD_PURPOSE.inputLength);
  const outputs = new WorkloadDraws(seed, WORKLOAD_PURPOSE.outputLength);
  const rows = Array.from({ length: count }, (_, index) => {
    const own = inputs.whole(...lengthRange(inputTokens, spread));
    const blocks = [...prefixBlocks('p', prefixTokens), { key: rowKey(index), tokens: own }];
    return generatedRow(blocks, outputs.whole(...lengthRange(outputTokens, spread)));
  });
  const ratio = spread.kind === 'fixed' ? {} : { [`${spread.kind}RangeRatio`]: spread.ratio };
  return { rows, leftOut: {}, parameters: { count, inputTokens, outputTokens, prefixTokens, ...ratio } };
}

/** Prompts in groups that share a beginning: how many, and how long their parts. */
export interface PrefixGroups {
  readonly groups: number;
  readonly promptsPerGroup: number;
  readonly prefixTokens: number;
  readonly suffixTokens: number;
  readonly outputTokens: number;
}

/** Groups of prompts that share a prefix (a system prompt, a document), evenly many each, in a seeded order. */
export function prefixRows(options: PrefixGroups, seed: Seed): WorkloadRows {
  const { groups, promptsPerGroup, prefixTokens, suffixTokens, outputTokens } = options;
  const rows = Array.from({ length: groups * promptsPerGroup }, (_, index) =>
    generatedRow(
      [...prefixBlocks(`g${index % groups}`, prefixTokens), { key: rowKey(index), tokens: suffixTokens }],
      outputTokens,
    ),
  );
  const shuffled = new WorkloadDraws(seed, WORKLOAD_PURPOSE.shuffle).shuffled(rows);
  return { rows: shuffled, leftOut: {}, parameters: { ...options } };
}

/** Prompts of lines of a text: how many, and how long. */
export interface SonnetText {
  readonly count: number;
  readonly inputTokens: number;
  /** The first lines of the file, the same in front of every prompt. */
  readonly prefixTokens: number;
  readonly outputTokens: number;
}

/** Prompts of whole lines of a local text: a common beginning, then lines drawn at random up to the length. @throws FleetError 'plan'. */
export function sonnetRows(
  text: string,
  source: string,
  options: SonnetText,
  parts: { readonly seed: Seed; readonly counter: TokenCounter },
): WorkloadRows {
  const lines = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => ({ line, tokens: parts.counter.count(line) }));
  if (lines.length === 0) throw new FleetError('plan', `${source}: holds no line of text`);
  if (options.prefixTokens > options.inputTokens)
    throw new FleetError(
      'plan',
      `prefixTokens ${options.prefixTokens} is more than inputTokens ${options.inputTokens}`,
    );
  const draws = new WorkloadDraws(parts.seed, WORKLOAD_PURPOSE.lines);
  const prefix = linesUpTo(options.prefixTokens, (place) => lines[place % lines.length] as (typeof lines)[number]);
  const rows = Array.from({ length: options.count }, (): WorkloadRow => {
    const own = linesUpTo(
      options.inputTokens - prefix.tokens,
      () => lines[draws.whole(0, lines.length - 1)] as (typeof lines)[number],
    );
    const prompt = [...prefix.lines, ...own.lines].join('\n');
    const inputTokens = parts.counter.count(prompt);
    return {
      prompt: { kind: 'text', text: prompt },
      inputTokens,
      outputTokens: options.outputTokens,
      session: null,
      at: null,
    };
  });
  return { rows, leftOut: {}, parameters: { ...options, tokenCounter: parts.counter.name } };
}

/** Lines as `next` gives them while they fit; at least one where anything is asked for. */
function linesUpTo(
  tokensMax: number,
  next: (place: number) => { readonly line: string; readonly tokens: number },
): { readonly lines: readonly string[]; readonly tokens: number } {
  const lines: string[] = [];
  let tokens = 0;
  while (tokens < tokensMax) {
    const { line, tokens: more } = next(lines.length);
    if (lines.length > 0 && tokens + more > tokensMax) break;
    lines.push(line);
    tokens += Math.max(1, more);
  }
  return { lines, tokens };
}

function prefixBlocks(key: string, tokens: number): PromptBlock[] {
  return tokens === 0 ? [] : [{ key, tokens }];
}

function generatedRow(blocks: readonly PromptBlock[], outputTokens: number): WorkloadRow {
  const inputTokens = blocks.reduce((sum, { tokens }) => sum + tokens, 0);
  return { prompt: { kind: 'blocks', blocks }, inputTokens, outputTokens, session: null, at: null };
}
