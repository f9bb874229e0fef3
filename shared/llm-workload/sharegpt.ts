/** ShareGPT conversations, filtered by the rules of vLLM's benchmark, which are named and printed: the first question and its answer. */

import { FleetError } from '../fleet-error.ts';
import { LeftOut, type TokenCounter, type WorkloadRow, type WorkloadRows } from './workload-row.ts';

/** vLLM's rules; its values are the defaults. */
export interface ShareGptRules {
  readonly turnsMin: number;
  readonly inputTokensMin: number;
  /** Not applied when `outputTokens` is given. */
  readonly outputTokensMin: number;
  readonly inputTokensMax: number;
  readonly totalTokensMax: number;
  /** Every answer this long; null = as long as the recorded one. */
  readonly outputTokens: number | null;
}

export const vllmShareGptRules: ShareGptRules = {
  turnsMin: 2,
  inputTokensMin: 4,
  outputTokensMin: 4,
  inputTokensMax: 1024,
  totalTokensMax: 2048,
  outputTokens: null,
};

/** Reads the JSON array. Rows that are no conversation (some files hold bare strings) are left out and counted. @throws FleetError 'plan'. */
export function readShareGpt(text: string, source: string, rules: ShareGptRules, counter: TokenCounter): WorkloadRows {
  const rows: WorkloadRow[] = [];
  const leftOut = new LeftOut();
  for (const [index, entry] of conversationsOf(text, source).entries()) {
    const turns = turnsOf(entry);
    if (turns === null) leftOut.add('no conversation');
    else if (turns.length < rules.turnsMin) leftOut.add('too few turns');
    else takeRow(index, turns, { rules, counter, rows, leftOut });
  }
  return { rows, leftOut: leftOut.counts, parameters: { ...rules, tokenCounter: counter.name } };
}

function takeRow(
  index: number,
  turns: readonly string[],
  into: { rules: ShareGptRules; counter: TokenCounter; rows: WorkloadRow[]; leftOut: LeftOut },
): void {
  const { rules, counter, rows, leftOut } = into;
  const [prompt = '', answer = ''] = turns;
  const inputTokens = counter.count(prompt);
  const outputTokens = rules.outputTokens ?? counter.count(answer);
  if (inputTokens < rules.inputTokensMin) leftOut.add('prompt too short');
  else if (rules.outputTokens === null && outputTokens < rules.outputTokensMin) leftOut.add('answer too short');
  else if (inputTokens > rules.inputTokensMax) leftOut.add('prompt too long');
  else if (inputTokens + outputTokens > rules.totalTokensMax) leftOut.add('prompt and answer too long');
  else rows.push({ prompt: { kind: 'text', text: prompt }, inputTokens, outputTokens, session: `c${index}`, at: null });
}

function conversationsOf(text: string, source: string): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new FleetError('plan', `${source}: is not JSON`, { cause });
  }
  if (!Array.isArray(value)) throw new FleetError('plan', `${source}: is not a JSON array of conversations`);
  return value;
}

/** The texts of the turns; null for what is no conversation. */
function turnsOf(entry: unknown): readonly string[] | null {
  const turns = (entry as { readonly conversations?: unknown } | null)?.conversations;
  if (!Array.isArray(turns)) return null;
  const texts = turns.map((turn: unknown) => (turn as { readonly value?: unknown } | null)?.value);
  return texts.every((each) => typeof each === 'string') ? texts : null;
}
