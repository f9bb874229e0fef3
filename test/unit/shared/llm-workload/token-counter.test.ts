import { describe, expect, it } from 'vitest';
import { tokenCounterOf } from '../../../../shared/llm-workload/token-counter.ts';
import { TIKTOKEN_ENCODINGS } from '../../../../shared/llm-workload/tiktoken-counter.ts';
import { tokenizerFileCounter } from '../../../../shared/llm-workload/tokenizer-file.ts';
import { VOCABULARY } from '../../../../shared/llm-workload/vocabulary.ts';

const noFile = (file: string): string => {
  throw new Error(`${file} was read`);
};

const counters = new Map<string, ReturnType<typeof tokenCounterOf>>();

/** The counter of a known encoding, made once: its tables take a second to build. */
function counterOf(name: string): ReturnType<typeof tokenCounterOf> {
  const counter = counters.get(name) ?? tokenCounterOf(name, noFile);
  counters.set(name, counter);
  return counter;
}

/** A tokenizer of whole words, as small as they come. */
const WORD_LEVEL = JSON.stringify({
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: { type: 'Lowercase' },
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: null,
  decoder: null,
  model: { type: 'WordLevel', vocab: { '[UNK]': 0, hello: 1, world: 2 }, unk_token: '[UNK]' },
});

describe('token counters', () => {
  it.each([
    // Known from the encodings' publisher: t, ik, token, " is", " great", "!".
    ['cl100k_base', 'tiktoken is great!', 6],
    ['o200k_base', 'hello world', 2],
    ['gpt2', 'hello world', 2],
    ['words', 'Hello, world - 42!', 6],
    ['cl100k_base', '<|endoftext|>', 7],
    ['o200k_base', '', 0],
  ])('%s counts %j as %i', (name, text, tokens) => {
    expect(counterOf(name).count(text)).toBe(tokens);
  });

  it('counts by a tokenizer.json', () => {
    const counter = tokenCounterOf('models/t.json', () => WORD_LEVEL);
    expect([counter.name, counter.count('Hello world'), counter.count('hello, unknown world')]).toEqual([
      'models/t.json',
      2,
      4,
    ]);
  });

  it.each([
    ['o20k_base', /did you mean "o200k_base"/],
    ['llama', /neither a known encoding nor a \.json file/],
  ])('refuses %s', (name, reason) => {
    expect(() => tokenCounterOf(name, noFile)).toThrow(reason);
  });

  it('refuses a file that is no tokenizer', () => {
    expect(() => tokenCounterOf('x.json', () => '{')).toThrow(/x\.json: is no tokenizer\.json/);
    expect(() => tokenCounterOf('x.json', () => '{}')).toThrow(/x\.json: is no tokenizer\.json/);
  });
});

describe('the libraries behind', () => {
  it.each(TIKTOKEN_ENCODINGS)('%s counts one common word as one token', (encoding) => {
    expect(counterOf(encoding).count('hello')).toBe(1);
  });

  it('a file is read once and counts without special tokens', () => {
    expect(tokenizerFileCounter(WORD_LEVEL, 't.json').count('')).toBe(0);
  });
});

describe('the words of generated prompts', () => {
  it.each(['cl100k_base', 'o200k_base'])('are one token each in %s', (encoding) => {
    const counter = counterOf(encoding);
    expect(VOCABULARY.filter((word) => counter.count(` ${word}`) !== 1)).toEqual([]);
    expect(counter.count(VOCABULARY.join(' '))).toBeLessThanOrEqual(VOCABULARY.length + 2);
  });
});
