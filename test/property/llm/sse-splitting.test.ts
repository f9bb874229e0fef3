import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SseParser } from '../../../shared/llm/sse-parser.ts';
import { referenceEvents, type ReferenceEvent } from '../../support/sse-reference.ts';

const encoder = new TextEncoder();

/** Streams made of what streams are made of, and of bytes that are none. */
const fragment = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      'data',
      'data:',
      'data: ',
      ': ',
      'event: x',
      'id: 1',
      ':',
      ' ',
      '{"a":1}',
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom('\ufeff', '\u{1f600}', 'é', '[DONE]', 'eventual: 1', 'dataset: 2') },
  { weight: 1, arbitrary: fc.string({ maxLength: 8 }) },
);
const stream = fc.oneof(
  fc.array(fragment, { maxLength: 60 }).map((parts) => encoder.encode(parts.join(''))),
  fc.uint8Array({ maxLength: 80 }),
);

function eventsOf(pieces: readonly Uint8Array[]): ReferenceEvent[] {
  const events: ReferenceEvent[] = [];
  const parser = new SseParser({ onEvent: (type, data) => events.push({ type, data }) });
  for (const piece of pieces) parser.feed(piece);
  return events;
}

function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...ends].map((from, index) => bytes.subarray(from, ends[index] ?? bytes.length));
}

it('R050 any re-splitting of the bytes gives the same events, and they are those of the standard', () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(), { maxLength: 20 }), (bytes, places) => {
      const expected = referenceEvents(bytes);
      expect(eventsOf([bytes])).toEqual(expected);
      expect(eventsOf(cut(bytes, places))).toEqual(expected);
      expect(eventsOf(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
    }),
    { numRuns: 1500 },
  );
});
