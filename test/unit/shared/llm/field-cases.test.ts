import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { AnswerValues } from '../../../../shared/llm/answer-values.ts';
import { LlmAnswer } from '../../../../shared/llm/llm-answer.ts';
import type { LlmMetricId } from '../../../../shared/metrics/metric.ts';
import { answerOf, chatChunk, DONE, FINISH, sse, textChunk, usageChunk } from '../../../support/sse-text.ts';

const MS = 1e6;

function valuesOf(answer: LlmAnswer, endMs = 0) {
  const values = new AnswerValues(answer, { intendedNs: 0, sendNs: 0, endNs: endMs * MS });
  return (metric: LlmMetricId) => values.valueOf(metric);
}

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
    expect(answer.clock.chunksOfKind).toEqual({ text: 1, reasoning: 2, tool: 0 });
  });

  it('is counted once where a gateway says it in two ways, and as text where the parts are text', () => {
    const said = [
      [1 * MS, chatChunk({ reasoning_content: 'r', thinking_blocks: [{ type: 'thinking', thinking: 'r' }] })],
      [2 * MS, chatChunk({ content: [{ type: 'text', text: 'answer' }] })],
      [3 * MS, FINISH + DONE],
    ] as const;
    const { clock } = answerOf(said);
    expect([clock.characters, clock.chunksOfKind]).toEqual(['ranswer'.length, { text: 1, reasoning: 1, tool: 0 }]);
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

  it('what a voice says is payload by its transcript', () => {
    const answer = answerOf([[50 * MS, chatChunk({ audio: { id: 'a', transcript: 'hi' } }) + FINISH + DONE]]);
    expect(valuesOf(answer)('ttft')).toBe(50 * MS);
  });

  it('so is a legacy function call', () => {
    const answer = answerOf([
      [9 * MS, chatChunk({ function_call: { name: 'f' } })],
      [10 * MS, FINISH],
    ]);
    expect(valuesOf(answer)('timeToAnswer')).toBe(9 * MS);
  });
});

describe('R042 an error inside a stream of status 200', () => {
  const two = textChunk('a') + textChunk('b');

  it('fails with code and message, whatever comes before and after', () => {
    const answer = answerOf([
      [1, two],
      [2, sse({ error: { message: 'engine died', code: 500 } }) + DONE],
    ]);
    expect(answer.judge()).toEqual({
      kind: 'failed',
      class: 'in-stream-error',
      detail: 'server error 500: engine died',
    });
    expect(answer.clock.chunks).toBe(2);
  });

  it.each([
    sse({ error: 'no room' }),
    'event: error\ndata: plain words\n\n',
    'event: error\ndata: {"message":"x"}\n\n',
    sse({ object: 'error', message: 'm', code: 400 }),
  ])('%j before any token', (event) => {
    const answer = answerOf([[1, event + DONE]]);
    expect(answer.judge()).toMatchObject({ kind: 'failed', class: 'in-stream-error' });
    expect(valuesOf(answer)('ttft')).toBeNull();
  });

  it('fails where the server ends the answer by a finish reason that says so, marker or not', () => {
    for (const reason of ['abort', 'error', 'ERROR', 'network_error', 'insufficient_system_resource']) {
      const end = chatChunk({}, reason);
      for (const events of [two + end, two + end + DONE])
        expect(answerOf([[1, events]]).judge()).toEqual({
          kind: 'failed',
          class: 'in-stream-error',
          detail: `the server gave the answer up: finish reason ${reason}`,
        });
    }
  });

  it('fails where one choice of several was given up, whatever the others end with', () => {
    const choice = (index: number, reason: string): string =>
      sse({ choices: [{ index, delta: {}, finish_reason: reason }] });
    expect(answerOf([[1, two + choice(0, 'abort') + choice(1, 'stop') + DONE]]).judge()).toMatchObject({
      class: 'in-stream-error',
      detail: 'the server gave the answer up: finish reason abort',
    });
  });

  it('fails with the error of the provider that a gateway puts into the choice, streamed and whole', () => {
    const choice = (error: unknown): object => ({ index: 0, delta: { content: 'c' }, finish_reason: null, error });
    const failure = { class: 'in-stream-error', detail: 'server error 502: no provider' };
    const error = { code: 502, message: 'no provider' };
    expect(answerOf([[1, two + sse({ choices: [choice(error)] }) + DONE]]).judge()).toMatchObject(failure);
    const whole = { choices: [{ message: { content: 'x' }, finish_reason: 'stop', error }] };
    expect(answerOf([[1, JSON.stringify(whole)]]).judge()).toMatchObject(failure);
    expect(answerOf([[1, two + sse({ choices: [choice(null)] }) + DONE]]).judge()).toEqual({ kind: 'ok' });
  });

  it('fails with an error that a gateway wrote into the stream without data:', () => {
    const answer = answerOf([[1, `${two}{"error":{"message":"upstream died","code":502}}\n\n${DONE}`]]);
    expect(answer.judge()).toMatchObject({
      class: 'in-stream-error',
      detail: 'server error 502: upstream died',
    });
    expect(answerOf([[1, `${two}{"note":1}\n\n${FINISH}${DONE}`]]).judge()).toEqual({ kind: 'ok' });
  });

  it.each([
    null,
    '',
    false,
    0,
    {},
    [],
    { message: '', type: '', param: null, code: null },
    { code: 0, message: '' },
    { message: null, details: [], cause: {} },
  ])('"error": %j and text about errors are none', (error) => {
    const answer = answerOf([[1, textChunk('error: {"error":1}', { error }) + FINISH + DONE]]);
    expect(answer.judge()).toEqual({ kind: 'ok' });
    const whole = { choices: [{ message: { content: 'x' }, finish_reason: 'stop' }], error };
    expect(answerOf([[1, JSON.stringify(whole)]]).judge()).toEqual({ kind: 'ok' });
    expect(answerOf([[1, JSON.stringify({ error })]]).judge()).toMatchObject({ kind: 'failed' });
  });

  it.each([{ code: 500 }, { message: 'no' }, [{ message: 'no' }]])('"error": %j is one', (error) => {
    expect(answerOf([[1, textChunk('a') + sse({ error }) + DONE]]).judge()).toMatchObject({ class: 'in-stream-error' });
  });

  it.each([
    ['error: {"code":500,"message":"boom","type":"server_error"}', 'server error 500: boom'],
    ['error:{"error":{"message":"boom"}}', 'server error: boom'],
    ['error: boom', 'server error: boom'],
  ])('fails with an error in a field of that name, as llama.cpp writes it: %s', (line, detail) => {
    for (const end of ['\n\n', '\r\n\r\n', '\n', ''])
      expect(answerOf([[1, two + line + end]]).judge()).toEqual({ kind: 'failed', class: 'in-stream-error', detail });
    expect(answerOf([[1, `${line}\n\n`]]).judge()).toMatchObject({ class: 'in-stream-error', detail });
    expect(answerOf([[1, `${two}errors: 0\n\n${FINISH}${DONE}`]]).judge()).toEqual({ kind: 'ok' });
  });

  it.each([
    ['data: {"message":"boom","code":500}\n\n', 'server error 500: boom'],
    ['data: {"code":500,"msg":"boom"}\n\n', 'server error 500: boom'],
    ['data: {"detail":"boom"}\n\n', 'server error: boom'],
    ['data: {"detail":"boom"}\n\n: ping\n\ndata:\n\n', 'server error: boom'],
  ])('an event that is none of the API ends an answer that was not finished: %j', (event, detail) => {
    for (const end of ['', DONE])
      expect(answerOf([[1, two + event + end]]).judge()).toEqual({ kind: 'failed', class: 'in-stream-error', detail });
    // The model had finished, or went on.
    expect(answerOf([[1, two + FINISH + event + DONE]]).judge()).toEqual({ kind: 'ok' });
    expect(answerOf([[1, event + two + DONE]]).judge()).toEqual({ kind: 'ok' });
  });

  it.each([{ errors: ['boom'] }, { code: 500 }, { status: 'error', reason: 'boom' }, { error_msg: 'boom', id: 1 }])(
    'and so does one that names its failure in another way: %j',
    (event) => {
      expect(answerOf([[1, two + sse(event) + DONE]]).judge()).toMatchObject({ class: 'in-stream-error' });
    },
  );

  it.each([
    { timings: { predicted_ms: 12 } },
    { id: 'x', object: 'chat.completion.chunk' },
    { citations: ['https://error.test/'], status: 'completed', code: 200, errors: [] },
  ])('but not one that names none, from a server that gives no finish reasons: %j', (event) => {
    expect(answerOf([[1, two + sse(event) + DONE]]).judge()).toEqual({ kind: 'ok' });
    expect(answerOf([[1, two + sse(event)]]).judge()).toMatchObject({ class: 'truncated' });
  });

  it('but none behind which the model went on, in the form that its chunks have', () => {
    const stray = sse({ message: 'busy' });
    const reads = [textChunk('a'), textChunk('b'), stray, textChunk('c'), DONE];
    expect(answerOf(reads.map((read, at): [number, string] => [at + 1, read])).judge()).toEqual({ kind: 'ok' });
  });

  it('and so do bare words before the end marker', () => {
    expect(answerOf([[1, `${two}data: Internal Server Error\n\n${DONE}`]]).judge()).toMatchObject({
      class: 'in-stream-error',
      detail: 'server error: Internal Server Error',
    });
  });

  it('that is nested without end is judged like any other', () => {
    // Of a member of this name JavaScript writes by a way that recurses.
    const deep = `{"toJSON":1,"a":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`;
    for (const body of [`{"error":${deep}}`, `{"detail":${deep}}`])
      for (const text of [body, `data: ${body}\n\n`])
        expect(answerOf([[1, text]]).judge()).toMatchObject({ detail: 'server error: (nested too deeply)' });
    const call = chatChunk({ tool_calls: [{ function: { arguments: 0 } }] }).replace('0}}]', `${deep}}}]`);
    expect(answerOf([[1, call + FINISH]]).judge()).toEqual({ kind: 'ok' });
    const whole = `{"content":[{"type":"tool_use","name":"x","input":${deep}}],"stop_reason":"tool_use"}`;
    expect(answerOf([[1, whole]], { api: 'messages' }).judge()).toEqual({ kind: 'ok' });
  });

  it('"error": true takes its words from beside it', () => {
    expect(answerOf([[1, sse({ error: true, message: 'no room' })]]).judge()).toMatchObject({
      detail: 'server error: no room',
    });
  });
});

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
    const value = valuesOf(answer, 45);
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

describe('R044 a stream that is cut off', () => {
  const three = textChunk('a') + textChunk('b') + textChunk('c');

  it('fails with neither finish reason nor end marker', () => {
    expect(answerOf([[1, three]]).judge()).toMatchObject({ kind: 'failed', class: 'truncated' });
  });

  it.each(['null', 'None'])('fails where %j stands for no finish reason in every chunk', (reason) => {
    const chunk = chatChunk({ content: 'a' }, reason);
    expect(answerOf([[1, chunk + chunk]]).judge()).toMatchObject({ kind: 'failed', class: 'truncated' });
  });

  it('reads a finish reason that is an object', () => {
    const end = (type: string) => sse({ choices: [{ index: 0, delta: {}, finish_reason: { type, length: 3 } }] });
    expect(answerOf([[1, three + end('stop')]]).judge()).toEqual({ kind: 'ok' });
    expect(answerOf([[1, three + end('abort') + DONE]]).judge()).toMatchObject({ class: 'in-stream-error' });
  });

  it('is ok, with a note, after a finish reason; not where the marker is demanded', () => {
    const noted = answerOf([[1, three + FINISH]]);
    expect([noted.judge().kind, noted.withoutMarker]).toEqual(['ok', true]);
    expect(answerOf([[1, three + FINISH]], { strictEnd: true }).judge()).toMatchObject({ class: 'truncated' });
    expect(answerOf([[1, three + DONE]], { strictEnd: true }).judge().kind).toBe('ok');
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

describe('R046 what is said behind the end marker', () => {
  it('is no payload also where it comes in the form that chunks of this stream have', () => {
    const reads = [textChunk('a'), textChunk('b'), FINISH, DONE, textChunk('c')];
    const { clock } = answerOf(reads.map((read, at): [number, string] => [(at + 1) * MS, read]));
    expect([clock.chunks, clock.lastPayloadNs]).toEqual([2, 2 * MS]);
  });

  it.each([1, 7, 10_000])('is no payload: no token time is longer by it, in reads of %i bytes', (size) => {
    const answer = new LlmAnswer({ api: 'chat', stream: true, strictEnd: true }, undefined, true);
    const bytes = new TextEncoder().encode(textChunk('a') + textChunk('b') + FINISH + DONE);
    for (let at = 0; at < bytes.length; at += size) answer.take(bytes.subarray(at, at + size), 5 * MS);
    answer.take(new TextEncoder().encode(textChunk('c')), 900 * MS);
    answer.take(new TextEncoder().encode(`${usageChunk(3, 2)}${DONE}<html>\n`), 901 * MS);
    expect(answer.judge()).toEqual({ kind: 'ok' });
    expect([answer.clock.chunks, answer.clock.lastPayloadNs, answer.text]).toEqual([2, 5 * MS, 'ab']);
    expect(answer.clock.usage?.outputTokens).toBe(2);
  });
});

describe('R044 answers of several choices', () => {
  const said = (index: number, content: string, finish: string | null = null): string =>
    sse({ choices: [{ index, delta: content === '' ? {} : { content }, finish_reason: finish }] });
  const both = said(0, 'a') + said(1, 'x') + said(0, 'b') + said(1, 'y');

  it('are cut off where one of them has no end, unless the stream has its own', () => {
    for (const ended of [0, 1]) {
      expect(answerOf([[1, both + said(ended, '', 'stop')]]).judge()).toMatchObject({ class: 'truncated' });
      expect(answerOf([[1, both + said(ended, '', 'stop') + DONE]]).judge()).toEqual({ kind: 'ok' });
    }
    expect(answerOf([[1, both + said(1, '', 'stop') + said(0, '', 'length')]]).judge()).toEqual({ kind: 'ok' });
  });

  it('are known as such, also where the first choice has a known form, and only its text is kept', () => {
    const answer = new LlmAnswer({ api: 'chat', stream: true, strictEnd: false }, undefined, true);
    const take = (text: string) => answer.take(new TextEncoder().encode(text), 1);
    for (const content of ['a', 'b', 'c', 'd']) take(said(0, content));
    expect([answer.clock.hasSeveralChoices, answer.clock.hasOpenChoice]).toEqual([false, true]);
    take(said(1, 'x'));
    take(said(0, 'e'));
    expect([answer.clock.hasSeveralChoices, answer.text, answer.clock.chunks]).toEqual([true, 'abcde', 6]);
    take(said(0, '', 'stop'));
    expect(answer.judge()).toMatchObject({ class: 'truncated' });
    answer.reset();
    take(said(0, 'f') + said(0, '', 'stop'));
    expect([answer.judge(), answer.clock.hasSeveralChoices]).toEqual([{ kind: 'ok' }, false]);
  });
});

describe('R044 R050 a last event without its blank line', () => {
  it.each(['', '\n', '\r', '\r\n'])('counts where the body has ended whole: %j', (ending) => {
    const marked = answerOf([[1, `${textChunk('a')}data: [DONE]${ending}`]], { strictEnd: true });
    expect([marked.judge().kind, marked.clock.done]).toEqual(['ok', true]);
    const finished = answerOf([
      [1, textChunk('a')],
      [
        7,
        chatChunk({ content: 'b' }, 'stop', { usage: { prompt_tokens: 3, completion_tokens: 2 } }).trimEnd() + ending,
      ],
    ]);
    expect(finished.judge().kind).toBe('ok');
    expect([finished.clock.usage?.outputTokens, finished.clock.lastPayloadNs]).toEqual([2, 7]);
  });

  it('that is cut in its middle stays a truncated stream', () => {
    const cut = answerOf([[1, `${textChunk('a')}data: {"choices":[{"delta":{"content":"b"}`]]);
    expect(cut.judge()).toMatchObject({ class: 'truncated' });
    expect(cut.clock.chunks).toBe(1);
  });
});

describe('R046 times end with the last token, and add up', () => {
  it('usage and end marker extend no token time', () => {
    const answer = answerOf([
      [313 * MS + 1, textChunk('a')],
      [700 * MS + 5, textChunk('b')],
      [1000 * MS, textChunk('c')],
      [1150 * MS, usageChunk(3, 3)],
      [1160 * MS, DONE],
    ]);
    const value = valuesOf(answer, 1170);
    expect(value('lastToken')).toBe(1000 * MS);
    expect((value('ttft') ?? 0) + answer.clock.gaps.sum).toBe(1000 * MS);
  });
});

describe('R047 one event is not one token', () => {
  it('100 tokens in 25 events: per-token time from usage, gaps named chunk gaps', () => {
    const chunks = Array.from({ length: 25 }, (_, index) => [(100 + index * 24) * MS, textChunk('four')] as const);
    const answer = answerOf([...chunks, [700 * MS, usageChunk(5, 100) + FINISH + DONE]]);
    const value = valuesOf(answer);
    expect(value('chunkGap')).toBe(24 * MS);
    expect(value('tpot')).toBe(Math.floor((576 * MS) / 99));
    expect(value('tokensPerChunk')).toBe(4000);
    expect([value('itl'), value('tpot_n1')]).toEqual([null, null]);
  });

  it('M§10 bundles of 8: TPOT over n - 1 is 19.296 ms, over n - n1 exactly 20 ms', () => {
    const chunks = Array.from({ length: 25 }, (_, index) => {
      const usage = { prompt_tokens: 5, completion_tokens: 8 * (index + 1) };
      return [(2000 + index * 160) * MS, textChunk('eight', { usage })] as const;
    });
    const value = valuesOf(answerOf([...chunks, [5841 * MS, FINISH + DONE]]));
    expect(value('tpot')).toBe(Math.floor((3840 * MS) / 199));
    expect((value('tpot') ?? 0) / MS).toBeCloseTo(19.296, 3);
    expect(value('tpot_n1')).toBe(20 * MS);
    expect(value('itl')).toBe(20 * MS);
  });
});

describe('R052 events of one read share its instant', () => {
  it('and are counted as shared arrivals', () => {
    const answer = answerOf([
      [5 * MS, textChunk('a') + textChunk('b') + textChunk('c')],
      [9 * MS, textChunk('d') + FINISH],
    ]);
    expect(answer.clock.sharedArrivals).toBe(2);
    expect([answer.clock.gaps.count, answer.clock.gaps.sum]).toEqual([3, 4 * MS]);
  });
});

describe('R054 answers of no token and of one', () => {
  it('an empty answer is ok and has no token time', () => {
    const answer = answerOf([
      [3 * MS, chatChunk({ role: 'assistant' })],
      [5 * MS, FINISH + usageChunk(4, 0) + DONE],
    ]);
    const value = valuesOf(answer);
    expect(answer.judge().kind).toBe('ok');
    expect([value('ttft'), value('tpot'), value('ntpot'), value('outputTokenRate'), value('tokensPerChunk')]).toEqual(
      Array.from({ length: 5 }, () => null),
    );
    expect(value('outputTokens')).toBe(0);
  });

  it('an answer of one token has no time per token, and meets a bound on it', () => {
    const answer = answerOf([[3 * MS, textChunk('a') + FINISH + DONE]]);
    const values = new AnswerValues(answer, { intendedNs: 0, sendNs: 0, endNs: 4 * MS });
    expect([values.valueOf('ttft'), values.valueOf('tpot')]).toEqual([3 * MS, null]);
    expect([values.meets('tpot', 1), values.meets('ttft', 1)]).toEqual([true, false]);
  });

  it('an answer within one read has no rate', () => {
    const answer = answerOf([[3 * MS, textChunk('a') + textChunk('b') + FINISH + DONE]]);
    expect([valuesOf(answer)('tpot'), valuesOf(answer)('outputTokenRate')]).toEqual([0, null]);
  });
});
