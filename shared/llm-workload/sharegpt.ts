/** ShareGPT conversations, filtered by the rules of vLLM's benchmark, which are named and printed: the first question and its answer, or all questions. */

import { FleetError } from '../fleet-error.ts';
import type { LaterTurn } from './later-turns.ts';
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
  /** `first`: the first question alone; `send`: all questions of the conversation, as one session. */
  readonly laterTurns: 'first' | 'send';
}

/** What vLLM's benchmark leaves out of ShareGPT. */
export const vllmShareGptRules: ShareGptRules = {
  turnsMin: 2,
  inputTokensMin: 4,
  outputTokensMin: 4,
  inputTokensMax: 1024,
  totalTokensMax: 2048,
  outputTokens: null,
  laterTurns: 'first',
};

/** Reads the JSON array. Rows that are no conversation (some files hold bare strings) are left out and counted. @throws FleetError 'plan'. */
export function readShareGpt(text: string, source: string, rules: ShareGptRules, counter: TokenCounter): WorkloadRows {
  const rows: WorkloadRow[] = [];
  const leftOut = new LeftOut();
  for (const [index, entry] of conversationsOf(text, source).entries()) {
    const turns = turnsOf(entry);
    if (turns === null) leftOut.add('no conversation');
    else if (turns.length < rules.turnsMin) leftOut.add('too few turns');
    else if (rules.laterTurns === 'send' && !isAlternating(entry)) leftOut.add('not question and answer in turn');
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
  else
    rows.push({
      prompt: { kind: 'text', text: prompt },
      inputTokens,
      outputTokens,
      session: `c${index}`,
      at: null,
      ...(rules.laterTurns === 'send' ? { laterTurns: laterTurnsOf(turns, rules, counter) } : {}),
    });
}

/** The questions after the first; each is followed by its recorded answer, if there is one. */
function laterTurnsOf(turns: readonly string[], rules: ShareGptRules, counter: TokenCounter): LaterTurn[] {
  const later: LaterTurn[] = [];
  for (let question = 2; question < turns.length; question += 2) {
    const answer = turns[question + 1];
    const recorded = answer === undefined ? null : Math.max(1, counter.count(answer));
    later.push({ text: turns[question] as string, outputTokens: rules.outputTokens ?? recorded, delayNs: 0 });
  }
  return later;
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

const ASKS: ReadonlySet<unknown> = new Set(['human', 'user']);
const ANSWERS: ReadonlySet<unknown> = new Set(['gpt', 'chatgpt', 'assistant', 'model', 'bard', 'bing', 'system']);

/** False where those who speak say that a question would be an answer, or a system's text: sent as a user's, it would be another load. */
function isAlternating(entry: unknown): boolean {
  const { conversations } = entry as { readonly conversations: readonly { readonly from?: unknown }[] };
  return conversations.every(({ from }, place) => !(place % 2 === 0 ? ANSWERS : ASKS).has(from));
}

/** The texts of the turns; null for what is no conversation. */
function turnsOf(entry: unknown): readonly string[] | null {
  const turns = (entry as { readonly conversations?: unknown } | null)?.conversations;
  if (!Array.isArray(turns)) return null;
  const texts = turns.map((turn: unknown) => (turn as { readonly value?: unknown } | null)?.value);
  return texts.every((each) => typeof each === 'string') ? texts : null;
}
