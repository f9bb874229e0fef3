import { describe, expect, it } from 'vitest';
import { TokenCounting } from '../../../../agent/merge/token-counting.ts';
import { COUNTER, createCounterCell } from '../../../../shared/metrics/counters.ts';
import { planBlobs } from '../../../../shared/plan/plan-blobs.ts';
import { planFromJson, planToJson } from '../../../../shared/plan/plan-json.ts';
import { planErrorOf, planOfText } from '../../../support/plan-of-text.ts';

const FILE = JSON.stringify({
  version: '1.0',
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: null,
  decoder: null,
  model: { type: 'WordLevel', vocab: { one: 0, two: 1, '[UNK]': 2 }, unk_token: '[UNK]' },
});

function planWith(tokenizer: string): string {
  return `target: {url: "http://h"}
workload:
  - {name: a, llm: {api: chat, tokenizer: "${tokenizer}"}}
  - {name: b, llm: {api: chat}}
load: [{rate: 1, duration: 1s}]
`;
}

const text = { phase: 0, window: 3, template: 0, text: 'one two, three', tokens: 7 };

describe('a plan with a tokenizer for answers', () => {
  it.each([
    ['words', 4],
    ['gpt2', 4],
    ['t.json', 4],
  ])('%s counts %i tokens of a text', (name, tokens) => {
    const { plan, blobs } = planOfText(planWith(name), { files: { 't.json': FILE } });
    const travelled = planFromJson(planToJson(plan));
    expect(travelled).toEqual(plan);
    expect(planBlobs(travelled).map((blob) => blob.name)).toEqual(name === 't.json' ? [name] : []);
    const counting = new TokenCounting(travelled, blobs);
    const cell = counting.cellOf(text);
    expect(cell[COUNTER['llm-tokenizer-answers']]).toBe(1);
    expect(cell[COUNTER['llm-tokenizer-tokens']]).toBe(tokens);
    expect(cell[COUNTER['llm-tokenizer-otherwise']]).toBe(7);
    // Answers of the other request are none of its business.
    expect(counting.cellOf({ ...text, template: 1 })).toEqual(createCounterCell());
  });

  it.each([
    ['cl100k_bse', /workload\[0\]\.llm\.tokenizer: .*did you mean "cl100k_base"/],
    ['missing.json', /missing\.json cannot be read/],
    ['bad.json', /no tokenizer\.json that can be read/],
  ])('is refused with %s', (name, reason) => {
    expect(planErrorOf(planWith(name), { files: { 'bad.json': '{' } })).toMatch(reason);
  });

  it('is refused by an agent that has not got the file', () => {
    const { plan } = planOfText(planWith('t.json'), { files: { 't.json': FILE } });
    expect(() => new TokenCounting(plan, new Map())).toThrow(/t\.json.*not at hand/);
  });
});
