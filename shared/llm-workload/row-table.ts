/** Rows of a workload as the data file that travels with the plan: CSV with one column per part of a request. */

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

/** UTF-8 CSV of the rows. */
export function encodeRows(rows: readonly WorkloadRow[]): Uint8Array {
  const lines = rows.map(({ prompt, inputTokens, outputTokens, session }) =>
    [
      prompt.kind === 'text' ? prompt.text : formatRecipe(prompt.blocks),
      String(inputTokens),
      // A request for no token at all is none; the traces' zeros are asked for as one.
      String(Math.max(1, outputTokens ?? OUTPUT_TOKENS_DEFAULT)),
      session ?? '',
    ]
      .map(quotedCell)
      .join(','),
  );
  return new TextEncoder().encode(`${[WORKLOAD_COLUMNS.join(','), ...lines].join('\n')}\n`);
}

function quotedCell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
