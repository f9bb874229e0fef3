import { describe, expect, it } from 'vitest';
import { NewPayload } from '../../../../shared/llm/new-payload.ts';
import type { StreamDelta } from '../../../../shared/llm/stream-delta.ts';
import { answerOf, sse, valuesOf } from '../../../support/sse-text.ts';

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
