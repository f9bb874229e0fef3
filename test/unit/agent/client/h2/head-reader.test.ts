/** A block that is compared instead of decoded must mean what decoding says, whatever came before it on the connection. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AnswerHead } from '../../../../../agent/client/h2/answer-head.ts';
import { HeadReader } from '../../../../../agent/client/h2/head-reader.ts';
import { HpackDecoder } from '../../../../../agent/client/hpack/hpack-decoder.ts';

/** content-length as a new entry of the table, as a literal that is not kept, and the first entries of the table. */
const INSERTED = ['\x5c\x011', '\x5c\x012', '\x5c\x03333'];
const LITERAL = ['\x0f\x0d\x011', '\x0f\x0d\x014'];
const ENTRIES = ['\xbe', '\xbf', '\xc0'];
/** Table sizes of 0, of one entry, and of all. */
const SIZES = ['\x20', '\x3f\x19', '\x3f\xe1\x1f'];

/** Blocks of few kinds, so that the same ones come again, with and without the table. */
const block = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...INSERTED, ...LITERAL).map((field) => `\x88${field}`) },
  { weight: 2, arbitrary: fc.constantFrom(...ENTRIES).map((field) => `\x88${field}`) },
  { weight: 1, arbitrary: fc.constantFrom(...INSERTED).map((field) => `\x88${field}${field}`) },
  { weight: 1, arbitrary: fc.constantFrom(...ENTRIES).map((field) => `\x88\x5c\x015${field}`) },
  { weight: 1, arbitrary: fc.constantFrom(...SIZES).map((size) => `${size}\x88`) },
  { weight: 1, arbitrary: fc.constant('') },
);

/** What decoding each block says, up to the first refused one. */
function decoded(blocks: readonly Buffer[]): unknown[] {
  const decoder = new HpackDecoder(4096, 262_144);
  const said: unknown[] = [];
  for (const bytes of blocks) {
    const head = new AnswerHead();
    const refusal = decoder.decode(bytes, 0, bytes.length, (name, value) => head.takeField(name, value));
    said.push(refusal ?? [head.status, head.contentLength, head.fault]);
    if (refusal !== null) break;
  }
  return said;
}

function readAll(blocks: readonly Buffer[]): unknown[] {
  const reader = new HeadReader();
  const said: unknown[] = [];
  for (const bytes of blocks) {
    const refusal = reader.read(bytes, 0, bytes.length);
    said.push(refusal ?? [reader.head.status, reader.head.contentLength, reader.head.fault]);
    if (refusal !== null) break;
  }
  return said;
}

it('reads every sequence of blocks as decoding does', () => {
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 40 }), (texts) => {
      const blocks = texts.map((text) => Buffer.from(text, 'latin1'));
      expect(readAll(blocks)).toEqual(decoded(blocks));
    }),
    { seed: 7541, numRuns: 3000 },
  );
});
