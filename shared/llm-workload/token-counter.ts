/** Which counter a plan's `tokenizer` names: `words`, an encoding, or a file. Used where a plan is made, never while it runs. */

import { FleetError } from '../fleet-error.ts';
import { knownNamesHint } from '../nearest-name.ts';
import { TIKTOKEN_ENCODINGS, tiktokenCounter } from './tiktoken-counter.ts';
import { tokenizerFileCounter } from './tokenizer-file.ts';
import { type TokenCounter, wordCounter } from './workload-row.ts';

/** The counter of this name; `readText` gives a file's text. @throws FleetError 'plan'. */
export function tokenCounterOf(name: string, readText: (file: string) => string): TokenCounter {
  if (name === wordCounter.name) return wordCounter;
  const encoding = TIKTOKEN_ENCODINGS.find((known) => known === name);
  if (encoding !== undefined) return tiktokenCounter(encoding);
  if (name.endsWith('.json')) return tokenizerFileCounter(readText(name), name);
  throw new FleetError(
    'plan',
    `tokenizer "${name.slice(0, 60)}" is neither a known encoding nor a .json file${knownNamesHint(name, ['words', ...TIKTOKEN_ENCODINGS])}`,
  );
}
