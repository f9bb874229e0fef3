/** Counts tokens by the encodings of OpenAI's models. The only file that sees js-tiktoken; an encoding's ranks are loaded when it is asked for. */

import { createRequire } from 'node:module';
import { Tiktoken, type TiktokenBPE } from 'js-tiktoken/lite';
import type { TokenCounter } from './workload-row.ts';

/** Encodings that can be named. */
export const TIKTOKEN_ENCODINGS = ['o200k_base', 'cl100k_base', 'p50k_base', 'r50k_base', 'gpt2'] as const;

export type TiktokenEncoding = (typeof TIKTOKEN_ENCODINGS)[number];

// Megabytes of ranks: an import would load them for every run of the command line.
const require = createRequire(import.meta.url);

/** Counts by `encoding`, made at the first count: that takes a second. Text that looks like a special token is counted as text. */
export function tiktokenCounter(encoding: TiktokenEncoding): TokenCounter {
  let made: Tiktoken | null = null;
  return {
    name: encoding,
    count: (text) => {
      made ??= tokenizerOf(encoding);
      return made.encode(text, [], []).length;
    },
  };
}

function tokenizerOf(encoding: TiktokenEncoding): Tiktoken {
  // The package's own types say the same of the files by name.
  const ranks = require(`js-tiktoken/ranks/${encoding}`) as TiktokenBPE | { readonly default: TiktokenBPE };
  return new Tiktoken('default' in ranks ? ranks.default : ranks);
}
