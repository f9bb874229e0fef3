import { expect, it } from 'vitest';
import { KnownEvent, type PlainPayload } from '../../../../shared/llm/known-event.ts';
import { readerOf } from '../../../../shared/llm/reader-of.ts';

const encoder = new TextEncoder();
const bytesOf = (text: string): Uint8Array => encoder.encode(text);
const chat = (content: string, id = 'a'): string =>
  `data: {"id":"${id}","choices":[{"index":0,"delta":{"content":"${content}"},"finish_reason":null}]}\n\n`;
const said = (text: string): PlainPayload => ({ kind: 'payload', payload: 'text', text, call: null });

function learntFrom(event: string, delta: PlainPayload): KnownEvent {
  const known = new KnownEvent(readerOf('chat'));
  known.learn(bytesOf(event), delta);
  return known;
}

it('takes events that differ from the one that was learnt in their text only, one behind the other', () => {
  const known = learntFrom(chat('Hello'), said('Hello'));
  const first = chat(' world');
  const both = bytesOf(first + chat(' été \u{1f600}'));
  expect(known.take(both, 0)).toBe(first.length);
  expect([known.payload, known.characters(both), known.text(both)]).toEqual(['text', 6, ' world']);
  expect(known.take(both, first.length)).toBe(both.length);
  expect([known.characters(both), known.text(both)]).toEqual([' été \u{1f600}'.length, ' été \u{1f600}']);
});

it.each([
  ['another stream', chat('x', 'b')],
  ['an escape', chat(String.raw`\n`)],
  ['empty text, which is no payload (R039)', chat('')],
  ['a finish reason', chat('x').replace('null', '"stop"')],
  ['a byte too few', chat('x').slice(0, -1)],
  ['a line end inside the text', chat('a\nb')],
  ['one more member', chat('x').replace('"}', '","refusal":"y"}')],
  ['the end marker', 'data: [DONE]\n\n'],
])('does not know %s', (_name, event) => {
  expect(learntFrom(chat('Hello'), said('Hello')).take(bytesOf(event), 0)).toBe(0);
});

it.each([
  ['text that is there twice', chat('a', 'a'), said('a')],
  ['text that is not where the reader takes it from', chat('b', 'id'), said('id')],
  ['text that is put together', 'data: {"id":"ab","choices":[{"delta":{"content":["a","b"]}}]}\n\n', said('ab')],
])('learns no %s', (_name, event, delta) => {
  expect(learntFrom(event, delta).take(bytesOf(event), 0)).toBe(0);
});

it('does not go on learning what is never seen again', () => {
  const reader = readerOf('chat');
  let tries = 0;
  const known = new KnownEvent({
    ...reader,
    event: (type, data, into) => {
      tries += 1;
      reader.event(type, data, into);
    },
  });
  for (let index = 0; index < 1000; index += 1) {
    const event = bytesOf(chat('x', `id${index}`));
    expect(known.take(event, 0)).toBe(0);
    known.learn(event, said('x'));
  }
  expect(tries).toBeGreaterThan(5);
  expect(tries).toBeLessThan(15);
});
