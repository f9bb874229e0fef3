/**
 * Whether the sources of output token counts agree: the server's usage, the chunks that came, the length that was asked for. Every time per
 * token and every token rate rests on one of them; where two contradict each other it is not known which is right (R047).
 */
import { levelOf, notMeasured, percentText } from './gate-making.ts';
import { GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** Output tokens of ok answers in the measured phases, by what they were counted from. */
export interface TokenCountEvidence {
  /** Answers counted by the server's usage, and by chunks. */
  readonly byUsage: number;
  readonly byChunks: number;
  /** Answers whose count contradicts another source of the same answer by more than 2 %. */
  readonly mismatches: number;
  /** Tokens and chunks of streamed answers, however they were counted. */
  readonly tokensInChunks: number;
  readonly chunks: number;
  /** Tokens of a sample of the answers by a tokenizer, and by usage or chunks. */
  readonly tokenizer: { readonly answers: number; readonly tokens: number; readonly otherwise: number };
}

/** Judges their distance. */
export function tokenCountsGate(evidence: TokenCountEvidence): Gate {
  const row = GATES['token-counts'];
  const { byUsage, byChunks, mismatches, chunks, tokensInChunks } = evidence;
  const answers = byUsage + byChunks;
  if (answers === 0) return notMeasured('token-counts', row.unit, row.warnBeyond, 'no answer had tokens to count');
  const contradicted = mismatches / answers;
  // Answers counted one token a chunk stand beside others whose usage says what a chunk holds.
  const isMixed = byUsage > 0 && byChunks > 0 && tokensInChunks > 0;
  const { tokenizer } = evidence;
  const tokenized =
    tokenizer.answers === 0
      ? 0
      : Math.abs(tokenizer.tokens - tokenizer.otherwise) / Math.max(1, tokenizer.tokens, tokenizer.otherwise);
  const apart = isMixed ? Math.abs(tokensInChunks - chunks) / Math.max(tokensInChunks, chunks) : 0;
  const measured = Math.max(contradicted, apart, tokenized);
  const kind = levelOf(measured, row);
  const sources = `output tokens of ${byUsage} answers are by usage, of ${byChunks} by chunks`;
  const found = [
    {
      share: contradicted,
      text: `those of ${mismatches} answers (${percentText(contradicted)}) differ by more than 2 % from the chunks that came or the length asked for`,
    },
    {
      share: apart,
      text: `a chunk holds ${(tokensInChunks / chunks).toFixed(2)} tokens, so the two are ${percentText(apart)} apart`,
    },
    {
      share: tokenized,
      text: `the tokenizer counted ${tokenizer.tokens} in ${tokenizer.answers} answers that have ${tokenizer.otherwise} so (${percentText(tokenized)} apart)`,
    },
  ].filter(({ share }) => share === measured);
  const reason =
    kind === 'pass' ? `${sources}, and agree with what else is known` : `${sources}; ${found[0]?.text ?? ''}`;
  return { kind, name: 'token-counts', measured, limit: row.warnBeyond, unit: row.unit, reason };
}
