import { describe, expect, it } from 'vitest';
import { SseParser } from '../../../../shared/llm/sse-parser.ts';

const encoder = new TextEncoder();

function eventsOf(pieces: readonly (string | readonly number[])[], eventBytesMax?: number) {
  const events: [string, string][] = [];
  const parser = new SseParser({ onEvent: (type, data) => events.push([type, data]) }, eventBytesMax);
  for (const piece of pieces) parser.feed(typeof piece === 'string' ? encoder.encode(piece) : Uint8Array.from(piece));
  return { events, parser };
}

describe('R050 CR, LF and CRLF, also across reads', () => {
  it('joins a CR and an LF of two reads into one ending', () => {
    const { events } = eventsOf(['data: A\r\n', 'data: B\r', '\ndata: C\r\n', '\r\n']);
    expect(events).toEqual([['message', 'A\nB\nC']]);
  });

  it.each(['\n', '\r', '\r\n'])('ends lines with %j alone', (ending) => {
    const { events } = eventsOf([`data: 1${ending}${ending}data: 2${ending}${ending}`]);
    expect(events.map(([, data]) => data)).toEqual(['1', '2']);
  });

  it('takes CR CR for two endings and LF after them for part of the second', () => {
    expect(eventsOf(['data: 1\r\r', '\ndata: 2\n\n']).events.map(([, data]) => data)).toEqual(['1', '2']);
  });
});

describe('R051 UTF-8 split, BOM, missing space, multi-line data', () => {
  const emoji = [0xf0, 0x9f, 0x98, 0x80];

  it.each([1, 2, 3])('keeps an emoji cut after %i of its bytes', (cut) => {
    const { events } = eventsOf(['data: ', emoji.slice(0, cut), emoji.slice(cut), '\n\n']);
    expect(events).toEqual([['message', '\u{1f600}']]);
  });

  it('strips one BOM, also when it is cut, and only one', () => {
    const bom = [0xef, 0xbb, 0xbf];
    expect(eventsOf([bom.slice(0, 1), bom.slice(1, 2), bom.slice(2), 'data: a\n\n']).events).toEqual([
      ['message', 'a'],
    ]);
    expect(eventsOf([[...bom, ...bom], 'data: a\n\ndata: b\n\n']).events).toEqual([['message', 'b']]);
    expect(eventsOf([bom.slice(0, 2), 'data: a\n\ndata: b\n\n']).events).toEqual([['message', 'b']]);
    expect(eventsOf(['data: a', bom, '\n\n']).events).toEqual([['message', 'a\ufeff']]);
  });

  it('takes data with and without a space, and only one space off', () => {
    expect(eventsOf(['data:{"a":1}\n\ndata:  b\n\ndata: \n\ndata\n\n']).events.map(([, data]) => data)).toEqual([
      '{"a":1}',
      ' b',
      '',
      '',
    ]);
  });

  it('joins data lines by LF and knows the type of an event', () => {
    expect(eventsOf(['event: error\ndata: a\ndata:\ndata: c\n\ndata: d\n\n']).events).toEqual([
      ['error', 'a\n\nc'],
      ['message', 'd'],
    ]);
  });

  it('ends the reading when an unfinished event grows above the limit, in lines or in one', () => {
    for (const pieces of [
      ['data: ok\n\n', `data: ${'x'.repeat(70)}`, 'y'.repeat(70)],
      ['data: ok\n\n', `data: ${'x'.repeat(50)}\n`.repeat(3)],
    ]) {
      const { events, parser } = eventsOf([...pieces, '\n\ndata: later\n\n'], 100);
      expect(events).toEqual([['message', 'ok']]);
      expect(parser.overflowed).toBe(true);
    }
  });

  it('never counts finished events against the limit', () => {
    const { events, parser } = eventsOf([`data: ${'x'.repeat(60)}\n\n`.repeat(50)], 100);
    expect([events.length, parser.overflowed]).toEqual([50, false]);
  });
});

describe('R052 a network read is no event', () => {
  it('finds three events in one read and one event in three reads', () => {
    expect(eventsOf(['data: 1\n\ndata: 2\n\ndata: 3\n\n']).events).toHaveLength(3);
    expect(eventsOf(['da', 'ta: 1', '\n', '\n']).events).toEqual([['message', '1']]);
  });
});

describe('the rest of a stream', () => {
  it('counts comments and unknown fields, and passes over id and retry', () => {
    const { events, parser } = eventsOf([': ping\nid: 7\nretry: 10\nfoo: bar\ndata: 1\n\n: again\n\n']);
    expect(events).toEqual([['message', '1']]);
    expect(parser.counts).toEqual({ events: 1, comments: 2, unknownFields: 1 });
  });

  it('gives up what is not ended, and says so', () => {
    const { events, parser } = eventsOf(['data: 1\n\ndata: 2\n']);
    expect([events.length, parser.pending]).toEqual([1, true]);
  });

  it('starts anew after reset', () => {
    const { events, parser } = eventsOf(['data: lost\n', 'half']);
    parser.reset();
    parser.feed(encoder.encode('\ufeffdata: 1\n\n'));
    expect(events).toEqual([['message', '1']]);
  });
});
