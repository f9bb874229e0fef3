import { describe, expect, it } from 'vitest';
import { LlmAnswer } from '../../../../shared/llm/llm-answer.ts';
import { LLM_APIS, type LlmApi } from '../../../../shared/llm/stream-delta.ts';
import { readCompletionRequest, type CompletionRequest } from '../../../../target/llm/completion-request.ts';
import { createEventWriter, type EventText, wholeBody } from '../../../../target/llm/event-writer.ts';

const USAGE = { promptTokens: 11, cachedTokens: 4, completionTokens: 5, reasoningTokens: 0 };

function requestOf(api: LlmApi): CompletionRequest {
  const prompt = { chat: 'messages', completions: 'prompt', responses: 'input', messages: 'messages' }[api];
  const value = prompt === 'messages' ? [{ role: 'user', content: 'one two' }] : 'one two';
  const read = readCompletionRequest(
    api,
    JSON.stringify({
      model: 'm',
      stream: true,
      max_tokens: 5,
      stream_options: { include_usage: true },
      [prompt]: value,
    }),
  );
  if ('refused' in read) throw new Error(read.refused);
  return read;
}

function frame({ type, data }: EventText): string {
  return `${type === null ? '' : `event: ${type}\n`}data: ${data}\n\n`;
}

function answerOf(api: LlmApi, events: readonly EventText[]): LlmAnswer {
  const answer = new LlmAnswer({ api, stream: true, strictEnd: true });
  for (const [index, event] of events.entries()) answer.take(new TextEncoder().encode(frame(event)), (index + 1) * 1e6);
  return answer;
}

describe.each(LLM_APIS)('the events of %s, read back by the fleet', (api) => {
  const writer = () => createEventWriter(requestOf(api), 'id-1', new Set());

  it('are chunks, a finish reason, usage and an end', () => {
    const write = writer();
    const answer = answerOf(api, [
      ...write.opening(),
      write.chunk('text', 0, 1),
      write.chunk('text', 1, 2),
      write.chunk('text', 3, 2),
      ...write.finish('length'),
      ...write.usage(USAGE),
      ...write.done(),
    ]);
    expect(answer.judge()).toEqual({ kind: 'ok' });
    const { clock } = answer;
    expect([clock.chunks, clock.chunksOfKind.text, clock.unreadable, clock.done]).toEqual([3, 3, 0, true]);
    expect(clock.finishReason).not.toBeNull();
    expect(clock.usage?.outputTokens).toBe(5);
    expect(clock.usage?.cachedTokens).toBe(4);
  });

  it('fail with the error in the stream (R042)', () => {
    const write = writer();
    const answer = answerOf(api, [...write.opening(), write.chunk('text', 0, 1), write.error('engine died', 500)]);
    expect(answer.judge()).toMatchObject({ kind: 'failed', class: 'in-stream-error' });
    expect(answer.errorDetail()).toMatch(/engine died/);
  });

  it.each(api === 'completions' ? (['text'] as const) : (['text', 'reasoning', 'tool'] as const))(
    'carry payload of kind %s',
    (kind) => {
      const write = writer();
      const { clock } = answerOf(api, [...write.opening(), write.chunk(kind, 0, 1), write.chunk(kind, 1, 1)]);
      expect(clock.chunksOfKind[kind]).toBe(2);
    },
  );

  it('as one body hold the same usage', () => {
    const answer = new LlmAnswer({ api, stream: false, strictEnd: false });
    answer.take(new TextEncoder().encode(wholeBody(requestOf(api), 'id-1', USAGE, 'stop')), 1e6);
    expect(answer.judge()).toEqual({ kind: 'ok' });
    expect(answer.clock.usage?.outputTokens).toBe(5);
  });
});
