import { expect, it } from 'vitest';
import { goawayText, resetText } from '../../../../../agent/client/h2/server-words.ts';
import { normaliseDetail } from '../../../../../agent/worker/failure-examples.ts';

it('names the code first, which the report keeps', () => {
  expect([resetText(11), goawayText(2, '')]).toEqual(['RST_STREAM 11', 'GOAWAY 2']);
  expect(normaliseDetail(resetText(13))).toBe('RST_STREAM 13: the server asks for HTTP/#.#');
});

it("adds a server's own words, as one short line of ASCII", () => {
  expect(goawayText(11, 'too_many_pings')).toBe('GOAWAY 11: too_many_pings');
  expect(goawayText(2, ' \0one\r\n\x1b[31mtwo\xff')).toBe('GOAWAY 2: one [31mtwo');
  expect(goawayText(1, 'x'.repeat(10_000))).toBe(`GOAWAY 1: ${'x'.repeat(60)}`);
});
