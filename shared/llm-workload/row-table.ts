/** Rows of a workload as the data file that travels with the plan: CSV with one column per part of a request. */

import { formatLaterTurns, LATER_TURNS_COLUMN } from './later-turns.ts';
import { formatRecipe } from './prompt-recipe.ts';
import type { WorkloadRow } from './workload-row.ts';

/** Columns of every workload's data file, in this order; `{{prompt}}`, `{{output_tokens}}` ... in a request take them. */
export const WORKLOAD_COLUMNS = ['prompt', 'input_tokens', 'output_tokens', 'session'] as const;

/** Output tokens asked for where the source does not say. */
const OUTPUT_TOKENS_DEFAULT = 128;

/** True when the prompts of `rows` are recipes (`prompt-recipe.ts`); a workload is all texts or all recipes. */
export function isGenerated(rows: readonly WorkloadRow[]): boolean {
  return rows[0]?.prompt.kind === 'blocks';
}

/** The columns of these rows: one more where a session has several turns. */
export function columnsOf(rows: readonly WorkloadRow[]): readonly string[] {
  const hasLaterTurns = rows.some(({ laterTurns = [] }) => laterTurns.length > 0);
  return hasLaterTurns ? [...WORKLOAD_COLUMNS, LATER_TURNS_COLUMN] : WORKLOAD_COLUMNS;
}

/** UTF-8 CSV of the rows. */
export function encodeRows(rows: readonly WorkloadRow[]): Uint8Array {
  const columns = columnsOf(rows);
  const lines = rows.map(({ prompt, inputTokens, outputTokens, session, laterTurns = [] }) =>
    [
      prompt.kind === 'text' ? prompt.text : formatRecipe(prompt.blocks),
      String(inputTokens),
      // A request for no token at all is none; the traces' zeros are asked for as one.
      String(Math.max(1, outputTokens ?? OUTPUT_TOKENS_DEFAULT)),
      session ?? '',
      // Said for each turn: a body that is carried on would keep the length of the turn before.
      formatLaterTurns(
        laterTurns.map((turn) => ({ ...turn, outputTokens: turn.outputTokens ?? OUTPUT_TOKENS_DEFAULT })),
      ),
    ]
      .slice(0, columns.length)
      .map(quotedCell)
      .join(','),
  );
  return new TextEncoder().encode(`${[columns.join(','), ...lines].join('\n')}\n`);
}

function quotedCell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
