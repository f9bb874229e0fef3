/** Counts tokens by a local `tokenizer.json`, as models are published with. The only file that sees @huggingface/tokenizers. */

import * as library from '@huggingface/tokenizers';
import { FleetError } from '../fleet-error.ts';
import type { TokenCounter } from './workload-row.ts';

/** What of it is used. */
interface FileTokenizer {
  encode(text: string, options: { readonly add_special_tokens: boolean }): { readonly ids: readonly number[] };
}

// The package's types import each other without file extensions, which TypeScript does not resolve for modules.
const { Tokenizer } = library as unknown as {
  readonly Tokenizer: new (file: unknown, config: object) => FileTokenizer;
};

/** Counts by the tokenizer in `text`, without the special tokens that a server adds. @throws FleetError 'plan' when it is none. */
export function tokenizerFileCounter(text: string, source: string): TokenCounter {
  let tokenizer: FileTokenizer;
  try {
    tokenizer = new Tokenizer(JSON.parse(text), {});
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FleetError('plan', `${source}: is no tokenizer.json that can be read: ${reason}`, { cause });
  }
  return { name: source, count: (input) => tokenizer.encode(input, { add_special_tokens: false }).ids.length };
}
