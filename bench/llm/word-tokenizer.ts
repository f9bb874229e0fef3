/** A tokenizer of whole words in Hugging Face's format, for harnesses that do not run without one; nothing is downloaded. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const WORDS = 1000;

/** Writes it into the new folder `path`. */
export function writeWordTokenizer(path: string): void {
  mkdirSync(path);
  const words = ['[UNK]', ...Array.from({ length: WORDS }, (_unused, index) => `w${index}`)];
  const tokenizer = {
    version: '1.0',
    added_tokens: [],
    pre_tokenizer: { type: 'Whitespace' },
    model: { type: 'WordLevel', vocab: Object.fromEntries(words.map((word, id) => [word, id])), unk_token: '[UNK]' },
  };
  const settings = { tokenizer_class: 'PreTrainedTokenizerFast', unk_token: '[UNK]', bos_token: 'w0', eos_token: 'w1' };
  writeFileSync(join(path, 'tokenizer.json'), JSON.stringify(tokenizer));
  writeFileSync(join(path, 'tokenizer_config.json'), JSON.stringify(settings));
}
