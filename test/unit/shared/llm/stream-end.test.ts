import { describe, expect, it } from 'vitest';
import { LlmAnswer } from '../../../../shared/llm/llm-answer.ts';
import { answerOf, chatChunk, DONE, FINISH, sse, textChunk, usageChunk } from '../../../support/sse-text.ts';

const MS = 1e6;

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
