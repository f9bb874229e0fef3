/**
 * Traces in JSON lines whose prompts are lists of block hashes: Mooncake (512 tokens a block, ms) and vLLM's timed_trace (16, s, any field
 * names). Equal hashes at the start of two prompts become the same words, so that a server's prefix cache sees what it saw in production.
 */

import { type ExactInstant, type InstantUnit, parseInstantText } from '../schedule/instant-text.ts';
import { type JsonLine, readJsonLines } from './json-lines.ts';
import { rowKey } from './prompt-recipe.ts';
import type { PromptBlock, WorkloadRow, WorkloadRows } from './workload-row.ts';

/** How a file of this kind is written. */
export interface HashTraceFormat {
  readonly blockTokens: number;
  readonly unit: InstantUnit;
  readonly timestamp: string;
  readonly inputLength: string;
  readonly outputLength: string;
  readonly hashIds: string;
}

export const mooncakeFormat: HashTraceFormat = {
  blockTokens: 512,
  unit: 'ms',
  timestamp: 'timestamp',
  inputLength: 'input_length',
  outputLength: 'output_length',
  hashIds: 'hash_ids',
};

/** vLLM's defaults. */
export const timedTraceFormat: HashTraceFormat = { ...mooncakeFormat, blockTokens: 16, unit: 's' };

/**
 * Reads a trace. k hashes must cover the input: (k - 1) * block < input <= k * block; anything else means another block size.
 * @throws FleetError 'plan', with the line.
 */
export function readHashTrace(text: string, source: string, format: HashTraceFormat): WorkloadRows {
  const rows = readJsonLines(text, source).map((line, index): WorkloadRow => {
    const inputTokens = line.whole(format.inputLength, 1);
    return {
      prompt: { kind: 'blocks', blocks: blocksOf(line, inputTokens, index, format) },
      inputTokens,
      outputTokens: line.whole(format.outputLength),
      session: null,
      at: instantOf(line, format),
    };
  });
  return { rows, leftOut: {}, parameters: { blockTokens: format.blockTokens, timestamps: format.unit } };
}

function instantOf(line: JsonLine, { timestamp, unit }: HashTraceFormat): ExactInstant {
  const text = line.numberText(timestamp);
  if (text === null) return line.fail(`has no field "${timestamp}"`);
  return parseInstantText(text, unit) ?? line.fail(`"${text.slice(0, 60)}" is not a number of ${unit}`);
}

function blocksOf(line: JsonLine, inputTokens: number, index: number, format: HashTraceFormat): PromptBlock[] {
  const { blockTokens, hashIds } = format;
  const hashes = line.get(hashIds);
  // Without hashes nothing is known to be shared.
  if (hashes === undefined || hashes === null) return [{ key: rowKey(index), tokens: inputTokens }];
  if (!Array.isArray(hashes)) return line.fail(`"${hashIds}" is not a list`);
  const needed = Math.ceil(inputTokens / blockTokens);
  if (hashes.length !== needed) {
    return line.fail(
      `${hashes.length} hashes do not cover ${inputTokens} input tokens in blocks of ${blockTokens} (that takes ${needed}); another block size?`,
    );
  }
  return hashes.map((hash: unknown, place) => {
    if (!(Number.isSafeInteger(hash) || (typeof hash === 'string' && /^[^\s*]{1,200}$/.test(hash))))
      return line.fail(`"${hashIds}" holds ${JSON.stringify(hash).slice(0, 60)}, expected whole numbers or words`);
    const tokens = place < needed - 1 ? blockTokens : inputTokens - blockTokens * (needed - 1);
    return { key: `h${hash as string | number}`, tokens };
  });
}
