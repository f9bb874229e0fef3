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
  const apart = isMixed ? Math.abs(tokensInChunks - chunks) / Math.max(tokensInChunks, chunks) : 0;
  const measured = Math.max(contradicted, apart);
  const kind = levelOf(measured, row);
  const sources = `output tokens of ${byUsage} answers are by usage, of ${byChunks} by chunks`;
  const reason =
    kind === 'pass'
      ? `${sources}, and agree with what else is known`
      : contradicted >= apart
        ? `${sources}; those of ${mismatches} (${percentText(contradicted)}) differ by more than 2 % from the chunks that came or the length asked for`
        : `${sources}, but a chunk holds ${(tokensInChunks / chunks).toFixed(2)} tokens: the two sources are ${percentText(apart)} apart`;
  return { kind, name: 'token-counts', measured, limit: row.warnBeyond, unit: row.unit, reason };
}
