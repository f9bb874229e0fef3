import { describe, expect, it } from 'vitest';
import { LlmAnswer } from '../../../../shared/llm/llm-answer.ts';
import { answerOf, chatChunk, DONE, FINISH, sse, textChunk, valuesOf } from '../../../support/sse-text.ts';

const MS = 1e6;

describe('R039 a role-only first chunk is no token', () => {
  it.each([null, ''])('content %j', (content) => {
    const answer = answerOf([
      [5 * MS, chatChunk({ role: 'assistant', content })],
      [214 * MS, textChunk('a')],
      [234 * MS, textChunk('b')],
      [235 * MS, FINISH + DONE],
    ]);
    const value = valuesOf(answer);
    expect([value('firstChunk'), value('ttft'), value('chunkGap')]).toEqual([5 * MS, 214 * MS, 20 * MS]);
    expect([value('tpot'), value('tpot_open')]).toEqual([20 * MS, 229 * MS]);
    expect(answer.judge().kind).toBe('ok');
  });
});

describe('R040 reasoning tokens are visible', () => {
  it.each([
    { reasoning_content: 'r' },
    { reasoning: 'r' },
    { reasoning: ['r'] },
    { reasoning_content: [{ text: 'r' }] },
    { reasoning_content: '', reasoning: 'r' },
    { reasoning_text: 'r' },
    { thinking: 'r' },
    { content: '', thinking_blocks: [{ type: 'thinking', thinking: 'r' }] },
    { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'r' }] }] },
  ])('%j starts the token clock', (delta) => {
    const answer = answerOf([
      [1200 * MS, chatChunk(delta)],
      [1210 * MS, chatChunk(delta)],
      [1220 * MS, textChunk('answer')],
      [1230 * MS, FINISH],
    ]);
    const value = valuesOf(answer);
    expect([value('ttft'), value('timeToAnswer')]).toEqual([1200 * MS, 1220 * MS]);
    expect(answer.clock.chunksOfKind).toEqual({ text: 1, reasoning: 2, tool: 0, media: 0 });
  });

  it('is counted once where a gateway says it in two ways, and as text where the parts are text', () => {
    const said = [
      [1 * MS, chatChunk({ reasoning_content: 'r', thinking_blocks: [{ type: 'thinking', thinking: 'r' }] })],
      [2 * MS, chatChunk({ content: [{ type: 'text', text: 'answer' }] })],
      [3 * MS, FINISH + DONE],
    ] as const;
    const { clock } = answerOf(said);
    expect([clock.characters, clock.chunksOfKind]).toEqual([
      'ranswer'.length,
      { text: 1, reasoning: 1, tool: 0, media: 0 },
    ]);
  });

  it('an answer of reasoning only has a first token and no first answer token', () => {
    const value = valuesOf(
      answerOf([
        [7 * MS, chatChunk({ reasoning: 'x' })],
        [8 * MS, FINISH + DONE],
      ]),
    );
    expect([value('ttft'), value('timeToAnswer')]).toEqual([7 * MS, null]);
  });
});

describe('R041 tool calls are payload', () => {
  it('the first fragment is the first token, and fragments with one index are one call', () => {
    const call = (piece: object) => chatChunk({ tool_calls: [{ index: 0, function: piece }] });
    const answer = answerOf([
      [1 * MS, chatChunk({ role: 'assistant' })],
      [50 * MS, call({ name: 'look', arguments: '' })],
      [60 * MS, call({ arguments: '{"q":' })],
      [70 * MS, call({ arguments: '1}' })],
      [71 * MS, chatChunk({}, 'tool_calls') + DONE],
    ]);
    expect([valuesOf(answer)('ttft'), answer.clock.chunks, answer.clock.toolCalls]).toEqual([50 * MS, 3, 1]);
    expect(answer.judge().kind).toBe('ok');
  });

  it.each([
    { tool_calls: [{ index: 0, type: 'custom', custom: { name: 'look', input: '' } }] },
    { tool_calls: [{ index: 0, type: 'custom', custom: { input: 'for it' } }] },
    { tool_calls: [{ index: 0, function: { arguments: { q: 1 } } }] },
  ])('in whatever form: %j', (delta) => {
    const answer = answerOf([
      [5 * MS, chatChunk({ role: 'assistant' })],
      [50 * MS, chatChunk(delta)],
      [51 * MS, chatChunk({}, 'tool_calls') + DONE],
    ]);
    expect([valuesOf(answer)('ttft'), answer.clock.chunksOfKind.tool]).toEqual([50 * MS, 1]);
  });

  it('calls are counted by their index, also in another choice and behind other content', () => {
    const call = (choice: number, index: number): string =>
      sse({ choices: [{ index: choice, delta: { tool_calls: [{ index, function: { arguments: '{}' } }] } }] });
    const calls = call(0, 0) + call(0, 1) + call(0, 0) + call(1, 0) + FINISH + DONE;
    expect(answerOf([[1, calls]]).clock.toolCalls).toBe(3);
    const block = (index: number, delta: object): string => sse({ type: 'content_block_delta', index, delta });
    const blocks = block(0, { text: 'a' }) + block(1, { partial_json: '{' }) + block(1, { partial_json: '}' });
    expect(answerOf([[1, blocks]], { api: 'messages' }).clock.toolCalls).toBe(1);
  });

  it.each([
    ['give all the same index', { index: 0 }],
    ['give none', {}],
    ['give null', { index: null }],
  ])('calls of servers that %s are told apart by their own ids', (_, index) => {
    const piece = (more: object, text: object): string =>
      chatChunk({ tool_calls: [{ ...index, ...more, function: text }] });
    const first = piece({ id: 'a' }, { name: 'f', arguments: '{"x"' }) + piece({}, { arguments: ':1}' });
    const second =
      piece({ id: 'b' }, { name: 'f', arguments: '{}' }) + piece({ id: 'b' }, { name: 'f', arguments: ' ' });
    expect(answerOf([[1, first + second + FINISH + DONE]]).clock.toolCalls).toBe(2);
    // An id without a name begins none: some servers make a new one for every fragment.
    const other = piece({ id: 'c' }, { arguments: ' ' }) + piece({ id: 'd' }, { arguments: ' ' });
    expect(answerOf([[1, first + other + FINISH + DONE]]).clock.toolCalls).toBe(1);
  });

  it('what a voice says is payload by its transcript', () => {
    const answer = answerOf([[50 * MS, chatChunk({ audio: { id: 'a', transcript: 'hi' } }) + FINISH + DONE]]);
    expect(valuesOf(answer)('ttft')).toBe(50 * MS);
  });

  it.each([
    { audio: { id: 'a', data: 'UklGRg==' } },
    { images: [{ type: 'image_url', image_url: { url: 'data:,x' } }] },
  ])('sound and pictures are, and are no text: %j', (delta) => {
    const rules = { api: 'chat', stream: true, strictEnd: false } as const;
    const answer = new LlmAnswer(rules, undefined, true);
    answer.take(new TextEncoder().encode(chatChunk(delta)), 50 * MS);
    answer.take(new TextEncoder().encode(textChunk('hi') + FINISH + DONE), 60 * MS);
    expect([valuesOf(answer)('ttft'), answer.clock.chunksOfKind.media, answer.text]).toEqual([50 * MS, 1, 'hi']);
  });

  it('a picture of some megabytes is one event', () => {
    const url = `data:image/png;base64,${'A'.repeat(3_000_000)}`;
    const answer = answerOf([[50 * MS, chatChunk({ images: [{ image_url: { url } }] }) + FINISH + DONE]]);
    expect([answer.judge().kind, answer.clock.chunksOfKind.media]).toEqual(['ok', 1]);
  });

  it('so is a legacy function call', () => {
    const answer = answerOf([
      [9 * MS, chatChunk({ function_call: { name: 'f' } })],
      [10 * MS, FINISH],
    ]);
    expect(valuesOf(answer)('timeToAnswer')).toBe(9 * MS);
  });
});
