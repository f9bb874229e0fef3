import { describe, expect, it } from 'vitest';
import { messagesReader } from '../../../../shared/llm/messages-reader.ts';
import { openAiReader } from '../../../../shared/llm/openai-reader.ts';
import { readerOf } from '../../../../shared/llm/reader-of.ts';
import { responsesReader } from '../../../../shared/llm/responses-reader.ts';
import { errorOf } from '../../../../shared/llm/server-error.ts';
import { LLM_APIS, type StreamDelta } from '../../../../shared/llm/stream-delta.ts';
import { laterUsage, openAiUsage } from '../../../../shared/llm/usage-of.ts';
import { answerOf, chatChunk, DONE, FINISH, sse, usageChunk, valuesOf } from '../../../support/sse-text.ts';

const typed = (value: { readonly type: string; readonly [key: string]: unknown }) =>
  `event: ${value.type}\n${sse(value)}`;

describe('the completions API', () => {
  it('reads text of choices', () => {
    const text = (piece: string, finish: string | null) =>
      sse({ choices: [{ index: 0, text: piece, finish_reason: finish }] });
    const answer = answerOf(
      [
        [1, text('a', null)],
        [2, text('', 'length')],
      ],
      { api: 'completions' },
    );
    expect([answer.clock.chunks, answer.clock.finishReason, answer.judge().kind]).toEqual([1, 'length', 'ok']);
  });
});

describe('the chat API', () => {
  const deltasOf = (delta: object): StreamDelta[] => {
    const into: StreamDelta[] = [];
    openAiReader.event('', JSON.stringify({ choices: [{ index: 0, delta }] }), into);
    return into;
  };
  const reasoning = (text: string): StreamDelta => ({ kind: 'payload', payload: 'reasoning', text, call: null });

  it('R040 reads reasoning that stands in details only, and once where it is repeated', () => {
    const text = [{ type: 'reasoning.text', text: 'hm', index: 0 }];
    expect(deltasOf({ content: '', reasoning_details: text })).toEqual([reasoning('hm')]);
    expect(deltasOf({ reasoning: 'hm', reasoning_details: text })).toEqual([reasoning('hm')]);
    expect(deltasOf({ reasoning_details: [{ type: 'reasoning.summary', summary: 'so' }] })).toEqual([reasoning('so')]);
    expect(deltasOf({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'eA==' }] })).toEqual([
      { kind: 'opened' },
    ]);
  });
});

describe('the responses API', () => {
  const stream = [
    typed({ type: 'response.created', response: { status: 'in_progress', error: null } }),
    typed({ type: 'response.reasoning_summary_text.delta', delta: 'hm' }),
    typed({ type: 'response.output_text.delta', delta: 'hello' }),
    typed({ type: 'response.function_call_arguments.delta', output_index: 1, delta: '{}' }),
    typed({
      type: 'response.completed',
      response: {
        status: 'completed',
        usage: {
          input_tokens: 11,
          output_tokens: 7,
          input_tokens_details: { cached_tokens: 3 },
          output_tokens_details: { reasoning_tokens: 2 },
        },
      },
    }),
  ].join('');

  it('reads deltas of every kind, usage and the end', () => {
    const { clock, ...rest } = answerOf([[1, stream]], { api: 'responses', strictEnd: true });
    expect(rest).toBeDefined();
    expect(clock.chunksOfKind).toEqual({ text: 1, reasoning: 1, tool: 1, media: 0 });
    expect(clock.usage).toEqual({ inputTokens: 11, outputTokens: 7, cachedTokens: 3, reasoningTokens: 2 });
    expect([clock.done, clock.finishReason, clock.unreadable]).toEqual([true, 'completed', 0]);
  });

  it('fails with the reason of response.failed', () => {
    const failed = typed({ type: 'response.failed', response: { error: { code: 'server_error', message: 'no' } } });
    expect(answerOf([[1, failed]], { api: 'responses' }).judge()).toMatchObject({
      detail: 'server error server_error: no',
    });
  });

  it.each([
    { type: 'response.completed', response: { status: 'failed', error: { message: 'no' } } },
    { type: 'response.cancelled', response: { status: 'cancelled' } },
  ])('R042 fails where the server gave the response up: %j', (event) => {
    expect(answerOf([[1, typed(event)]], { api: 'responses' }).judge()).toMatchObject({ class: 'in-stream-error' });
  });

  it('R041 reads a refusal and a custom tool in a whole answer', () => {
    const output = [
      { type: 'message', content: [{ type: 'refusal', refusal: 'no' }] },
      { type: 'custom_tool_call', input: 'look' },
    ];
    const answer = answerOf([[1, JSON.stringify({ status: 'completed', output })]], { api: 'responses' });
    expect(answer.judge()).toEqual({ kind: 'ok' });
    expect([answer.clock.characters, answer.clock.chunksOfKind]).toEqual([
      6,
      { text: 1, reasoning: 0, tool: 1, media: 0 },
    ]);
  });

  it('takes no event for a delta whose type is the name of something else', () => {
    for (const type of ['constructor', '__proto__', 'toString']) {
      const { clock } = answerOf([[1, typed({ type, delta: 'x' })]], { api: 'responses' });
      expect([clock.characters, clock.unreadable]).toEqual([0, 1]);
    }
  });

  it('reads a whole answer', () => {
    const whole = {
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'hi' }] }],
      usage: { input_tokens: 1, output_tokens: 2 },
    };
    const answer = answerOf([[1, JSON.stringify(whole)]], { api: 'responses' });
    expect([answer.judge().kind, answer.notStreamed, answer.clock.usage?.outputTokens]).toEqual(['ok', true, 2]);
  });
});

describe('the messages API', () => {
  const stream = [
    typed({
      type: 'message_start',
      message: { usage: { input_tokens: 5, cache_read_input_tokens: 20, output_tokens: 1 } },
    }),
    typed({ type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } }),
    typed({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } }),
    typed({ type: 'ping' }),
    typed({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'hi' } }),
    typed({ type: 'content_block_start', index: 2, content_block: { type: 'tool_use', name: 'look' } }),
    typed({ type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{}' } }),
    typed({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } }),
    typed({ type: 'message_stop' }),
  ].join('');

  it('reads text, thinking, tools, and usage told in two parts', () => {
    const { clock } = answerOf([[1, stream]], { api: 'messages', strictEnd: true });
    expect(clock.chunksOfKind).toEqual({ text: 1, reasoning: 1, tool: 2, media: 0 });
    expect(clock.usage).toEqual({ inputTokens: 25, outputTokens: 9, cachedTokens: 20, reasoningTokens: null });
    expect([clock.done, clock.finishReason, clock.unreadable]).toEqual([true, 'end_turn', 0]);
  });

  it('R041 reads tools that the server runs', () => {
    const block = { type: 'server_tool_use', name: 'web_search', input: {} };
    const events = typed({ type: 'content_block_start', index: 0, content_block: block });
    expect(answerOf([[1, events]], { api: 'messages' }).clock.chunksOfKind.tool).toBe(1);
    const whole = JSON.stringify({ content: [block], stop_reason: 'pause_turn' });
    const answer = answerOf([[1, whole]], { api: 'messages', stream: false });
    expect([answer.judge().kind, answer.clock.chunksOfKind.tool]).toEqual(['ok', 1]);
  });

  it('R047 counts the input once where a gateway repeats it at the end, without its cached part or as 0', () => {
    const start = typed({
      type: 'message_start',
      message: { usage: { input_tokens: 5, cache_read_input_tokens: 20 } },
    });
    for (const input of [5, 0]) {
      const usage = { input_tokens: input, output_tokens: 9 };
      const end = typed({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage });
      const { clock } = answerOf([[1, start + end]], { api: 'messages' });
      expect([clock.usage?.inputTokens, clock.usage?.cachedTokens, clock.usage?.outputTokens]).toEqual([25, 20, 9]);
    }
  });

  it('R047 takes no count for the output from the beginning of a message, before there is any', () => {
    const start = typed({ type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } });
    const text = typed({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } });
    const end = typed({ type: 'message_delta', delta: { stop_reason: 'end_turn' } });
    const answer = answerOf([[1, start + text + text + text + end]], { api: 'messages' });
    expect(answer.clock.usage).toMatchObject({ inputTokens: 5, outputTokens: null });
    expect(valuesOf(answer)('outputTokens')).toBe(3);
  });

  it('fails with an error event', () => {
    const overloaded = typed({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
    expect(answerOf([[1, overloaded]], { api: 'messages' }).judge()).toMatchObject({
      class: 'in-stream-error',
      detail: 'server error overloaded_error: Overloaded',
    });
  });
});

describe('usage of OpenAI-compatible servers', () => {
  const usageOf = (reasoning: number, total: number) =>
    openAiUsage({
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: total,
      completion_tokens_details: { reasoning_tokens: reasoning },
    });

  it('R047 is read from the choice where the answer has none of its own', () => {
    const end = { index: 0, delta: {}, finish_reason: 'stop', usage: { prompt_tokens: 4, completion_tokens: 9 } };
    expect(answerOf([[1, sse({ choices: [end], usage: null })]]).clock.usage).toMatchObject({ outputTokens: 9 });
  });

  it('R047 is read where Groq puts it', () => {
    const usage = { prompt_tokens: 4, completion_tokens: 9 };
    const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], x_groq: { id: 'r', usage } };
    expect(answerOf([[1, sse(end)]]).clock.usage).toMatchObject({ inputTokens: 4, outputTokens: 9 });
  });

  it.each([
    '"prompt_tokens_details":{"cached_tokens":6}',
    '"prompt_cache_hit_tokens":6,"prompt_cache_miss_tokens":4',
    '"cached_tokens":6',
  ])('R055 says what came from the cache: %s', (cached) => {
    const usage: unknown = JSON.parse(`{"prompt_tokens":10,"completion_tokens":5,${cached}}`);
    expect(openAiUsage(usage)).toMatchObject({ cachedTokens: 6 });
  });

  it('R047 is read from the total where the output is left out of it', () => {
    expect(openAiUsage({ prompt_tokens: 10, total_tokens: 25 })).toMatchObject({ outputTokens: 15 });
    expect(openAiUsage({ prompt_tokens: 10, completion_tokens: null, total_tokens: 10 })).toMatchObject({
      outputTokens: 0,
    });
    expect(openAiUsage({ prompt_tokens: 10, total_tokens: 4 })).toMatchObject({ outputTokens: null });
  });

  it('R047 does not shrink where the last chunk says 0 after running counts', () => {
    const counted = (tokens: number) => ({ usage: { prompt_tokens: 4, completion_tokens: tokens } });
    const { clock } = answerOf([
      [1, chatChunk({ content: 'a' }, null, counted(1)) + chatChunk({ content: 'b' }, null, counted(40))],
      [2, FINISH + usageChunk(4, 0) + DONE],
    ]);
    expect(clock.usage).toMatchObject({ inputTokens: 4, outputTokens: 40 });
  });

  it('R040 counts reasoning as output once, whether the server holds it for a part of it or leaves it out', () => {
    expect(usageOf(3, 15)).toMatchObject({ outputTokens: 5, reasoningTokens: 3 });
    expect(usageOf(30, 45)).toMatchObject({ outputTokens: 35, reasoningTokens: 30 });
    expect(usageOf(0, 15)).toMatchObject({ outputTokens: 5, reasoningTokens: 0 });
    // More of it than there is output, and a total that leaves it out too.
    expect(usageOf(30, 15)).toMatchObject({ outputTokens: 35, reasoningTokens: 30 });
  });
});

describe('all APIs', () => {
  it('have a reader, and the two of OpenAI share one', () => {
    expect(LLM_APIS.map(readerOf)).toEqual([openAiReader, openAiReader, responsesReader, messagesReader]);
  });

  it.each(LLM_APIS)('%s tells data that is none of its own as unreadable, and never throws', (api) => {
    for (const data of ['', 'null', '[]', '12', '{"a":1}', '{', 'plain']) {
      const deltas: StreamDelta[] = [];
      readerOf(api).event('message', data, deltas);
      expect(
        deltas.map((delta) => delta.kind),
        data,
      ).toEqual(['unreadable']);
    }
  });

  it('tell an error whose words stand elsewhere by all that it says', () => {
    expect(errorOf({ error: { code: 7, reason: 'overloaded' } })).toEqual({
      kind: 'error',
      code: '7',
      message: '{"reason":"overloaded"}',
    });
    expect(errorOf({ error: { message: { text: 'no room' } } })).toMatchObject({
      message: '{"message":{"text":"no room"}}',
    });
    expect(errorOf({ error: { code: 7 } })).toMatchObject({ code: '7', message: 'no message' });
  });

  it('take no error from a null, and cut a long message', () => {
    expect(errorOf({ error: null })).toBeNull();
    expect(errorOf({ error: 'x'.repeat(9000) })).toMatchObject({ message: `${'x'.repeat(1024)}...` });
  });

  it('keep what a later usage does not say again', () => {
    const none = { inputTokens: null, outputTokens: null, cachedTokens: null, reasoningTokens: null };
    expect(laterUsage({ ...none, inputTokens: 5 }, { ...none, outputTokens: 7 })).toEqual({
      ...none,
      inputTokens: 5,
      outputTokens: 7,
    });
  });
});
