import { describe, expect, it } from 'vitest';
import { answerOf, chatChunk, DONE, FINISH, sse, textChunk, valuesOf } from '../../../support/sse-text.ts';

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

  it('fails with the error that Groq puts into a member of its own', () => {
    const event = sse({ choices: [], x_groq: { id: 'r', error: 'over capacity' } });
    expect(answerOf([[1, two + event + DONE]]).judge()).toMatchObject({
      class: 'in-stream-error',
      detail: 'server error: over capacity',
    });
    expect(answerOf([[1, two + sse({ choices: [], x_groq: { id: 'r' } }) + FINISH + DONE]]).judge()).toEqual({
      kind: 'ok',
    });
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
