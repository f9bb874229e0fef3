import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { LlmAnswer } from '../../../../shared/llm/llm-answer.ts';
import { answerOf, chatChunk, DONE, FINISH, sse, textChunk, usageChunk, valuesOf } from '../../../support/sse-text.ts';

const MS = 1e6;

describe('R043 an answer that is no stream', () => {
  it('a bare JSON error fails with its text', () => {
    expect(answerOf([[1, '{"error":{"message":"bad model"}}']]).judge()).toEqual({
      kind: 'failed',
      class: 'in-stream-error',
      detail: 'server error: bad model',
    });
  });

  it('no event at all is an empty stream', () => {
    const empty = { kind: 'failed', class: 'truncated', detail: 'empty stream: no event' };
    expect(answerOf([]).judge()).toEqual(empty);
    expect(answerOf([[1, '\n\n: ping\n\n']]).judge()).toEqual(empty);
  });

  it.each([
    ['[{"error":{"code":429,"message":"quota"}}]', 'server error 429: quota'],
    ['{"detail":"Not Found"}', 'server error: Not Found'],
    ['{"detail":[{"msg":"field required"}]}', 'server error: [{"msg":"field required"}]'],
    ['{"message":"no route","code":"bad_gateway"}', 'server error bad_gateway: no route'],
  ])('so does one as frameworks and gateways write it: %s', (body, detail) => {
    expect(answerOf([[1, body]]).judge()).toEqual({ kind: 'failed', class: 'in-stream-error', detail });
  });

  it('an end marker with nothing before it is an empty stream, and no success', () => {
    const opened = chatChunk({ role: 'assistant' });
    for (const events of [DONE, opened + DONE, usageChunk(3, 0) + DONE])
      expect(answerOf([[1, events]]).judge()).toMatchObject({
        class: 'truncated',
        detail: expect.stringContaining('empty stream'),
      });
    const foreign = answerOf([[1, `${sse({ tokens: ['a'] })}data: what\n\n${DONE}`]]);
    expect(foreign.judge()).toMatchObject({ class: 'protocol' });
  });

  it('a whole JSON answer is ok, marked, and has no token times', () => {
    const whole = {
      choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 4, completion_tokens: 9 },
    };
    const answer = answerOf([
      [30 * MS, JSON.stringify(whole).slice(0, 20)],
      [40 * MS, JSON.stringify(whole).slice(20)],
    ]);
    expect([answer.judge().kind, answer.notStreamed]).toEqual(['ok', true]);
    const value = valuesOf(answer, 45 * MS);
    expect([value('ttft'), value('firstChunk'), value('chunkGap'), value('tpot')]).toEqual([null, null, null, null]);
    expect([value('outputTokens'), value('inputTokens'), value('ntpot')]).toEqual([9, 4, 5 * MS]);
  });

  it.each([
    ['chat', '{"choices":[]}'],
    ['chat', '{"choices":null,"usage":{"prompt_tokens":3,"completion_tokens":0}}'],
    ['completions', '{"object":"text_completion","choices":[]}'],
    ['messages', '{"type":"message","content":[],"stop_reason":null}'],
  ] as const)('a %s body that holds no answer is none: %s', (api, body) => {
    for (const stream of [true, false])
      expect(answerOf([[1, body]], { api, stream }).judge()).toMatchObject({ kind: 'failed', class: 'truncated' });
  });

  it.each(['queued', 'in_progress'])('a response that is %s has not been answered', (status) => {
    const body = JSON.stringify({ status, output: [], usage: null, error: null });
    expect(answerOf([[1, body]], { api: 'responses', stream: false }).judge()).toEqual({
      kind: 'failed',
      class: 'in-stream-error',
      detail: `server error ${status}: the response is not finished`,
    });
  });

  it('R054 an empty text with a finish reason is an answer', () => {
    const body = JSON.stringify({ choices: [{ message: { content: '' }, finish_reason: 'stop' }] });
    expect(answerOf([[1, body]], { stream: false }).judge()).toEqual({ kind: 'ok' });
  });

  it('R030 compressed bytes are named as what they are', () => {
    const answer = new LlmAnswer({ api: 'chat', stream: true, strictEnd: false });
    answer.take(gzipSync(textChunk('a') + FINISH + DONE), 1);
    expect(answer.judge()).toMatchObject({ class: 'protocol', detail: expect.stringContaining('gzip') });
  });

  it('a page of HTML is no answer', () => {
    expect(answerOf([[1, '<html>\n<body>\n']]).judge()).toMatchObject({ kind: 'failed', class: 'protocol' });
  });
});

describe('R051 keep-alives of all kinds', () => {
  const alive = [
    'data:\n\n',
    'data: \n\n',
    'event: ping\ndata: {"type":"ping"}\n\n',
    'data: {"type": "keepalive"}\n\n',
  ];

  it.each([...alive, 'event: ping\ndata:\n\n', 'event: heartbeat\ndata: 12\n\n'])('%j is like a comment', (event) => {
    const answer = answerOf([
      [1 * MS, event],
      [5 * MS, textChunk('a') + event],
      [9 * MS, FINISH + DONE],
    ]);
    const { clock } = answer;
    expect(answer.judge()).toEqual({ kind: 'ok' });
    expect([clock.firstChunkNs, clock.events, clock.unreadable, answer.comments]).toEqual([5 * MS, 2, 0, 2]);
  });

  it('alone are an empty stream', () => {
    expect(answerOf([[1, alive.join('')]]).judge()).toMatchObject({ detail: 'empty stream: no event' });
  });

  it('are no text that a model writes', () => {
    const answer = answerOf([[1, textChunk('{"type":"ping"}') + FINISH + DONE]]);
    expect([answer.clock.chunks, answer.comments]).toEqual([1, 0]);
  });
});
