import { describe, expect, it } from 'vitest';
import { LlmAnswer } from '../../../../shared/llm/llm-answer.ts';
import { NewPayload } from '../../../../shared/llm/new-payload.ts';
import type { StreamDelta } from '../../../../shared/llm/stream-delta.ts';
import { answerOf, chatChunk, DONE, sse, valuesOf } from '../../../support/sse-text.ts';

const payload = (more: object = {}): StreamDelta => ({
  kind: 'payload',
  payload: 'text',
  text: 'a',
  call: null,
  ...more,
});
const WHOLE = payload({ whole: true });
const FINISH: StreamDelta = { kind: 'finish', reason: 'stop' };

describe('what of an event is new', () => {
  it('is a whole item until a piece of its kind has come', () => {
    const payloads = new NewPayload();
    expect(payloads.of([WHOLE], false)).toEqual([WHOLE]);
    expect(payloads.of([WHOLE], false)).toEqual([WHOLE]);
    expect(payloads.of([payload({ payload: 'reasoning' }), WHOLE], false)).toHaveLength(2);
    expect(payloads.of([payload(), WHOLE, FINISH], false)).toEqual([payload(), FINISH]);
    expect(payloads.of([WHOLE], false)).toEqual([]);
    payloads.reset();
    expect(payloads.of([WHOLE], false)).toEqual([WHOLE]);
  });

  it('are the arguments of a call as a whole behind its name', () => {
    const payloads = new NewPayload();
    const call = (more: object): StreamDelta => payload({ payload: 'tool', call: 0, ...more });
    payloads.of([call({ begins: 'id' })], false);
    expect(payloads.of([call({ whole: true })], false)).toHaveLength(1);
  });

  it('is no payload behind the end marker', () => {
    expect(new NewPayload().of([payload(), FINISH], true)).toEqual([FINISH]);
  });
});

describe('the items of a response', () => {
  it.each([
    ['response.output_text.delta', 'text'],
    ['response.audio_transcript.delta', 'text'],
    ['response.output_audio_transcript.delta', 'text'],
    ['response.output_audio.delta', 'media'],
    ['response.reasoning_summary.delta', 'reasoning'],
    ['response.mcp_call.arguments.delta', 'tool'],
    ['response.code_interpreter_call.code.delta', 'tool'],
  ])('R039 takes %s for %s', (type, kind) => {
    const end = sse({ type: 'response.completed', response: { status: 'completed' } });
    const { clock } = answerOf([[1, sse({ type, delta: 'x' }) + end]], { api: 'responses' });
    expect([clock.chunks, clock.chunksOfKind[kind as 'text']]).toEqual([1, 1]);
  });

  it('R039 R041 reads items that come as a whole only, and none twice', () => {
    const end = sse({ type: 'response.completed', response: { status: 'completed' } });
    const text = sse({ type: 'response.output_text.done', text: 'hello' });
    const only = answerOf(
      [
        [1, sse({ type: 'response.created', response: {} })],
        [50, text],
        [60, end],
      ],
      { api: 'responses' },
    );
    expect([valuesOf(only)('ttft'), only.clock.chunks, only.clock.characters]).toEqual([50, 1, 5]);
    const delta = sse({ type: 'response.output_text.delta', delta: 'hello' });
    const both = answerOf([[1, delta + text + end]], { api: 'responses' });
    expect([both.clock.chunks, both.clock.characters, both.judge().kind]).toEqual([1, 5, 'ok']);
    const name = sse({ type: 'response.output_item.added', output_index: 0, item: { id: 'c', name: 'f' } });
    const args = sse({ type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"x":1}' });
    const { clock } = answerOf([[1, name + args + end]], { api: 'responses' });
    expect([clock.chunksOfKind.tool, clock.characters, clock.toolCalls]).toEqual([2, 8, 1]);
  });
});

describe('R039 the whole message at the end of a chat stream', () => {
  const MESSAGE = { role: 'assistant', content: 'ab', reasoning_content: 'hm' };
  const whole = (message: object): string =>
    sse({ object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }] }) + DONE;

  it('repeats what came in pieces', () => {
    const pieces = [
      [1, chatChunk({ reasoning_content: 'hm' })],
      [2, chatChunk({ content: 'a' })],
      [3, chatChunk({ content: 'b' })],
    ] as const;
    const { clock } = answerOf([...pieces, [9, whole(MESSAGE)]]);
    expect([clock.chunks, clock.lastPayloadNs, clock.finishReason, clock.done]).toEqual([3, 3, 'stop', true]);
  });

  it('repeats a call, whether its arguments came in pieces or with its name', () => {
    const call = (args: string, name?: string) => ({
      tool_calls: [{ index: 0, ...(name === undefined ? {} : { id: 'c1' }), function: { name, arguments: args } }],
    });
    for (const pieces of [chatChunk(call('{}', 'f')), chatChunk(call('{', 'f')) + chatChunk(call('}'))]) {
      const { clock } = answerOf([
        [1, pieces],
        [9, whole({ role: 'assistant', ...call('{}', 'f') })],
      ]);
      expect([clock.lastPayloadNs, clock.toolCalls]).toEqual([1, 1]);
    }
  });

  it('is the answer where nothing came before', () => {
    const { clock } = answerOf([
      [1, chatChunk({ role: 'assistant' })],
      [9, whole(MESSAGE)],
    ]);
    expect([clock.chunks, clock.firstPayloadNs]).toEqual([1, 9]);
  });
});

describe('R039 a stream of events whose form is known from the stream before', () => {
  const encoder = new TextEncoder();
  const event = (value: { readonly type: string; readonly [member: string]: unknown }): string =>
    `event: ${value.type}\n${sse(value)}`;
  const STREAMS = {
    responses: [
      event({ type: 'response.created', response: {} }),
      ...['one', ' two', ' three'].map((delta) => event({ type: 'response.output_text.delta', delta })),
      event({ type: 'response.output_text.done', text: 'one two three' }),
      event({ type: 'response.completed', response: { status: 'completed' } }),
    ],
    chat: [
      chatChunk({ role: 'assistant' }),
      ...['one', ' two', ' three'].map((content) => chatChunk({ content })),
      sse({ choices: [{ index: 0, message: { content: 'one two three' }, finish_reason: 'stop' }] }),
      DONE,
    ],
  };

  it.each(['responses', 'chat'] as const)('is no longer for the %s item that repeats them', (api) => {
    const answer = new LlmAnswer({ api, stream: true, strictEnd: false }, undefined, true);
    for (let stream = 0; stream < 4; stream += 1) {
      answer.reset();
      for (const [at, text] of STREAMS[api].entries()) answer.take(encoder.encode(text), at + 1);
      expect(answer.judge().kind).toBe('ok');
      expect([answer.clock.chunks, answer.clock.lastPayloadNs, answer.text]).toEqual([3, 4, 'one two three']);
    }
  });
});
