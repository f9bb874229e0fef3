import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HpackDecoder } from '../../../../../agent/client/hpack/hpack-decoder.ts';
import { STATIC_TABLE } from '../../../../../agent/client/hpack/hpack-static-table.ts';
import { decodedBlock, fieldLines } from '../../../../support/decoded-block.ts';
import { hpackInteger, plainText } from '../../../../support/hpack-text.ts';
import { huffmanOf } from '../../../../support/huffman-encoder.ts';

const SECTION_BYTES_MAX = 1e6;
const decoderOf = (tableBytesMax = 4096, sectionBytesMax = SECTION_BYTES_MAX): HpackDecoder =>
  new HpackDecoder(tableBytesMax, sectionBytesMax);
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const linesOf = (decoder: HpackDecoder, block: string): readonly string[] => fieldLines(decoder, hex(block));
const refusalOf = (block: string | Uint8Array, decoder = decoderOf()): string | null =>
  decodedBlock(decoder, typeof block === 'string' ? hex(block) : block).refusal;

/** The fields that are in the dynamic table, the newest first. Looks one index further than there are, so the decoder is spent. */
function tableOf(decoder: HpackDecoder): readonly string[] {
  const lines: string[] = [];
  for (let index = 62; ; index += 1) {
    const { fields, refusal } = decodedBlock(decoder, integer(0x80, 7, index));
    if (refusal !== null) return lines;
    lines.push(...fields.map(([name, value]) => `${name}: ${value}`));
  }
}

/** An integer behind the bits `kind`, with `zeros` octets more than it takes. */
function integer(kind: number, prefixBits: number, value: number, zeros = 0): Buffer {
  const octets = [...Buffer.from(hpackInteger(kind, prefixBits, value), 'latin1')];
  for (let count = 0; count < zeros; count += 1) {
    octets.push((octets.pop() as number) | 0x80, 0);
  }
  return Buffer.from(octets);
}

/** A literal that goes into the dynamic table, its texts plain. */
function inserting(name: string, value: string): Buffer {
  return Buffer.from(`\x40${plainText(name)}${plainText(value)}`, 'latin1');
}

const FIRST_REQUEST = [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'];
const SECOND_REQUEST = [...FIRST_REQUEST, 'cache-control: no-cache'];
const THIRD_REQUEST = [
  ':method: GET',
  ':scheme: https',
  ':path: /index.html',
  ':authority: www.example.com',
  'custom-key: custom-value',
];
const FIRST_RESPONSE = [
  ':status: 302',
  'cache-control: private',
  'date: Mon, 21 Oct 2013 20:13:21 GMT',
  'location: https://www.example.com',
];
const SECOND_RESPONSE = [':status: 307', ...FIRST_RESPONSE.slice(1)];
const THIRD_RESPONSE = [
  ':status: 200',
  'cache-control: private',
  'date: Mon, 21 Oct 2013 20:13:22 GMT',
  'location: https://www.example.com',
  'content-encoding: gzip',
  'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
];

const REQUEST_BLOCKS = {
  'C.3, plain': [
    '828684410f7777772e6578616d706c652e636f6d',
    '828684be58086e6f2d6361636865',
    '828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565',
  ],
  'C.4, Huffman': [
    '828684418cf1e3c2e5f23a6ba0ab90f4ff',
    '828684be5886a8eb10649cbf',
    '828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf',
  ],
};
const RESPONSE_BLOCKS = {
  'C.5, plain': [
    '4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a323120474d546e1768747470733a2f2f7777772e6578616d706c652e636f6d',
    '4803333037c1c0bf',
    '88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738666f6f3d4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d6167653d333630303b2076657273696f6e3d31',
  ],
  'C.6, Huffman': [
    '488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3',
    '4883640effc1c0bf',
    '88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007',
  ],
};

describe('the examples of RFC 7541 appendix C', () => {
  it('C.1: integers', () => {
    // 10 in five bits, as a size update; the table is empty either way.
    expect(refusalOf('2a')).toBe(null);
    // 1337 in five bits: too large for a table of 1336, right for one of 1337.
    expect(refusalOf('3f9a0a', decoderOf(1337))).toBe(null);
    expect(refusalOf('3f9a0a', decoderOf(1336))).toMatch(/1337/);
    expect(linesOf(decoderOf(), 'aa')).toEqual(['if-range: ']);
  });

  it('C.2: the four kinds of fields', () => {
    const decoder = decoderOf();
    expect(linesOf(decoder, '400a637573746f6d2d6b65790d637573746f6d2d686561646572')).toEqual([
      'custom-key: custom-header',
    ]);
    expect(linesOf(decoder, '040c2f73616d706c652f70617468')).toEqual([':path: /sample/path']);
    expect(linesOf(decoder, '100870617373776f726406736563726574')).toEqual(['password: secret']);
    expect(linesOf(decoder, '82')).toEqual([':method: GET']);
    expect(tableOf(decoder)).toEqual(['custom-key: custom-header']);
  });

  it.each(Object.entries(REQUEST_BLOCKS))('%s: three requests', (_title, [first = '', second = '', third = '']) => {
    const decoder = decoderOf();
    expect(linesOf(decoder, first)).toEqual(FIRST_REQUEST);
    expect(linesOf(decoder, second)).toEqual(SECOND_REQUEST);
    expect(linesOf(decoder, third)).toEqual(THIRD_REQUEST);
    expect(tableOf(decoder)).toEqual([
      'custom-key: custom-value',
      'cache-control: no-cache',
      ':authority: www.example.com',
    ]);
  });

  it.each(Object.entries(RESPONSE_BLOCKS))('%s: three responses with a table of 256', (_title, blocks) => {
    const [first = '', second = '', third = ''] = blocks;
    const tableAfter = (...seen: string[]): readonly string[] => {
      const decoder = decoderOf(256);
      for (const block of seen) linesOf(decoder, block);
      return tableOf(decoder);
    };
    const decoder = decoderOf(256);
    expect(linesOf(decoder, first)).toEqual(FIRST_RESPONSE);
    expect(linesOf(decoder, second)).toEqual(SECOND_RESPONSE);
    expect(linesOf(decoder, third)).toEqual(THIRD_RESPONSE);
    expect(tableAfter(first)).toEqual(FIRST_RESPONSE.toReversed());
    expect(tableAfter(first, second)).toEqual([':status: 307', ...FIRST_RESPONSE.slice(1).toReversed()]);
    expect(tableAfter(first, second, third)).toEqual([5, 4, 2].map((at) => THIRD_RESPONSE[at]));
  });
});

describe('a block', () => {
  it('reads no octet before or behind the block', () => {
    const block = hex(RESPONSE_BLOCKS['C.6, Huffman'][0] as string);
    const bytes = new Uint8Array([0xff, 0xff, ...block, 0x82, 0x82]);
    const lines: string[] = [];
    const add = (name: string, value: string): unknown => lines.push(`${name}: ${value}`);
    expect(decoderOf().decode(bytes, 2, 2 + block.length, add)).toBe(null);
    expect(lines).toEqual(FIRST_RESPONSE);
  });
});

describe('the tables', () => {
  it('has the static fields at 1 to 61, as fields and as names', () => {
    expect(STATIC_TABLE).toHaveLength(61);
    const decoder = decoderOf();
    for (const [at, [name, value]] of STATIC_TABLE.entries()) {
      expect(fieldLines(decoder, integer(0x80, 7, at + 1))).toEqual([`${name}: ${value}`]);
      expect(fieldLines(decoder, Buffer.concat([integer(0, 4, at + 1), Buffer.from('\x01x')]))).toEqual([`${name}: x`]);
    }
    expect(STATIC_TABLE[0]).toEqual([':authority', '']);
    expect(STATIC_TABLE[15]).toEqual(['accept-encoding', 'gzip, deflate']);
    expect(STATIC_TABLE[60]).toEqual(['www-authenticate', '']);
  });

  it('keeps what a plain list would keep, whatever is inserted and however its size changes', () => {
    const text = fc.string({ maxLength: 40 }).map((long) => Buffer.from(long).toString('latin1'));
    const step = fc.oneof(
      { weight: 9, arbitrary: fc.tuple(text, text) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 4096 }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150, size: 'max' }), (steps) => {
        const decoder = decoderOf();
        let model: (readonly [string, string])[] = [];
        let bytesMax = 4096;
        for (const one of steps) {
          if (typeof one === 'number') bytesMax = one;
          else model.unshift(one);
          let bytes = 0;
          model = model.filter(([name, value]) => (bytes += name.length + value.length + 32) <= bytesMax);
          expect(refusalOf(typeof one === 'number' ? integer(0x20, 5, one) : inserting(...one), decoder)).toBe(null);
        }
        expect(tableOf(decoder)).toEqual(model.map(([name, value]) => `${name}: ${value}`));
      }),
      { seed: 7541, numRuns: 200 },
    );
  });

  it('holds as many fields as fit, down to empty ones', () => {
    const decoder = decoderOf();
    for (let count = 0; count < 1000; count += 1) fieldLines(decoder, inserting('', ''));
    expect(tableOf(decoder)).toHaveLength(4096 / 32);
  });

  it('holds a field that fills it, and is emptied by one that is larger', () => {
    const filling = decoderOf(64);
    fieldLines(filling, inserting('a', 'b'));
    fieldLines(filling, inserting('c', 'd'.repeat(31)));
    expect(tableOf(filling)).toEqual([`c: ${'d'.repeat(31)}`]);
    const decoder = decoderOf(64);
    expect(fieldLines(decoder, inserting('a', 'b'))).toEqual(['a: b']);
    expect(fieldLines(decoder, inserting('c', 'd'.repeat(32)))).toEqual([`c: ${'d'.repeat(32)}`]);
    expect(tableOf(decoder)).toEqual([]);
  });

  it('lends a name to the field whose insertion drops it', () => {
    const decoder = decoderOf(64);
    fieldLines(decoder, inserting('some-name', 'old'));
    expect(linesOf(decoder, '7e 03 6e6577')).toEqual(['some-name: new']);
    expect(tableOf(decoder)).toEqual(['some-name: new']);
  });

  it('begins with at most 4,096 bytes, and takes more once the other side says so', () => {
    const long = 'v'.repeat(5000);
    const decoder = decoderOf(65536);
    fieldLines(decoder, inserting('n', long));
    fieldLines(decoder, integer(0x20, 5, 65536));
    fieldLines(decoder, inserting('n', long));
    expect(tableOf(decoder)).toEqual([`n: ${long}`]);
  });

  it('takes several size updates before the fields, the smallest of which empties it', () => {
    const decoder = decoderOf();
    fieldLines(decoder, inserting('a', 'b'));
    expect(fieldLines(decoder, Buffer.concat([integer(0x20, 5, 0), integer(0x20, 5, 4096), hex('82')]))).toEqual([
      ':method: GET',
    ]);
    expect(tableOf(decoder)).toEqual([]);
  });

  it('says with its version whether a block changed the dynamic table', () => {
    const decoder = decoderOf();
    const changes = (block: string | Buffer): boolean => {
      const before = decoder.tableVersion;
      fieldLines(decoder, typeof block === 'string' ? hex(block) : block);
      expect(decoder.tableVersion).toBeGreaterThanOrEqual(before);
      return decoder.tableVersion > before;
    };
    expect(changes(inserting('a', 'b'))).toBe(true);
    expect(changes('be82')).toBe(false);
    expect(changes('0f2f0178 7e0178')).toBe(true);
    expect(changes('0f2f0178 100161017a')).toBe(false);
    expect(changes(integer(0x20, 5, 40))).toBe(true);
    // Too large for the table: it drops what was there.
    expect(changes(inserting('a', 'b'.repeat(50)))).toBe(true);
    expect(changes('')).toBe(false);
    // The table is empty and too small for it; the size is what it was.
    expect(changes(inserting('a', 'b'.repeat(50)))).toBe(false);
    expect(changes(integer(0x20, 5, 40))).toBe(false);
    expect(changes(inserting('a', 'b'))).toBe(true);
    expect(changes(integer(0x20, 5, 0))).toBe(true);
    expect(changes(inserting('a', ''))).toBe(false);
  });
});

describe('what is refused', () => {
  it('an index that is 0 or in no table', () => {
    expect(refusalOf('80')).toMatch(/index 0/);
    expect(refusalOf('be')).toMatch(/index 62/);
    expect(refusalOf('7e0178')).toMatch(/index 62/);
    expect(refusalOf('0f2f0178')).toMatch(/index 62/);
    expect(refusalOf('1f2f0178')).toMatch(/index 62/);
    expect(refusalOf(integer(0x80, 7, 2 ** 31))).toMatch(/index 2147483648/);
    const decoder = decoderOf();
    fieldLines(decoder, inserting('a', 'b'));
    expect(linesOf(decoder, 'be')).toEqual(['a: b']);
    expect(refusalOf('bf', decoder)).toMatch(/index 63/);
  });

  it('an integer above 2^31, or of more than five octets behind the first', () => {
    expect(refusalOf(integer(0x20, 5, 2 ** 31), decoderOf(2 ** 31))).toBe(null);
    expect(refusalOf(integer(0x20, 5, 2 ** 31 + 1), decoderOf(2 ** 33))).toMatch(/integer/);
    expect(refusalOf('3fffffffff7f', decoderOf(2 ** 40))).toMatch(/integer/);
    expect(refusalOf(integer(0x20, 5, 1000, 3))).toBe(null);
    expect(refusalOf(integer(0x20, 5, 1000, 4))).toMatch(/integer/);
    expect(refusalOf('3f8080808000')).toBe(null);
    expect(refusalOf('3f808080808000')).toMatch(/integer/);
    expect(refusalOf(Buffer.alloc(100, 0xff))).toMatch(/integer/);
  });

  it('an integer or a text that is cut short', () => {
    for (const block of ['ff', 'ff80', '7f', '0f', '1f80', '3f', '3fe1'])
      expect(refusalOf(block), block).toMatch(/cut/);
    for (const block of ['40', '00', '10', '400161', '42', '0f01']) expect(refusalOf(block), block).toMatch(/missing/);
    for (const block of ['4003', '40036161', '4001610361', '42034745', '0081', '40016184f1', '007fffffff7f'])
      expect(refusalOf(block), block).toMatch(/cut/);
  });

  it('Huffman code that says nothing', () => {
    expect(refusalOf('0081ff0161')).toMatch(/Huffman/);
    expect(refusalOf('42 84 ffffffff')).toMatch(/Huffman/);
    expect(refusalOf('42 81 00')).toMatch(/Huffman/);
  });

  it('a size update above what we announced, or behind a field', () => {
    expect(refusalOf(integer(0x20, 5, 4096))).toBe(null);
    expect(refusalOf(integer(0x20, 5, 4097))).toMatch(/4097 is above our limit of 4096/);
    expect(refusalOf(integer(0x20, 5, 1), decoderOf(0))).toMatch(/above/);
    expect(refusalOf('8220')).toMatch(/after a field/);
    expect(refusalOf('2082')).toBe(null);
  });

  it('a header section that is too large, however small the block is', () => {
    const value = 'x'.repeat(67);
    const decoder = decoderOf(4096, 300);
    fieldLines(decoder, inserting('n', value));
    expect(linesOf(decoder, 'bebebe')).toHaveLength(3);
    const { fields, refusal } = decodedBlock(decoder, hex('bebebe be'));
    expect(refusal).toMatch(/limit of 300 bytes/);
    expect(fields).toHaveLength(3);
  });
});

describe('any bytes', () => {
  it('are decoded or refused, and never more than they may be', () => {
    const outcomes = { refused: 0, decoded: 0 };
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 6 }), (blocks) => {
        const decoder = decoderOf(512, 2000);
        for (const block of blocks) {
          const { fields, refusal } = decodedBlock(decoder, block);
          const bytes = fields.reduce((sum, [name, value]) => sum + name.length + value.length + 32, 0);
          expect(bytes).toBeLessThanOrEqual(2000);
          outcomes[refusal === null ? 'decoded' : 'refused'] += 1;
          if (refusal !== null) break;
        }
      }),
      { seed: 7541, numRuns: 3000 },
    );
    expect(Math.min(outcomes.refused, outcomes.decoded)).toBeGreaterThan(300);
  });

  it('that differ in one octet from a good block, or end early', () => {
    for (const blocks of [...Object.values(REQUEST_BLOCKS), ...Object.values(RESPONSE_BLOCKS)]) {
      for (const [at, text] of blocks.entries()) {
        const block = hex(text);
        for (let place = 0; place < block.length; place += 1) {
          for (const change of [0x01, 0x10, 0x40, 0x80, 0xff]) {
            const decoder = decoderOf(256);
            for (const earlier of blocks.slice(0, at)) linesOf(decoder, earlier);
            const broken = Buffer.from(block);
            broken[place] = (block[place] as number) ^ change;
            expect(() => decodedBlock(decoder, broken)).not.toThrow();
          }
          const decoder = decoderOf(256);
          for (const earlier of blocks.slice(0, at)) linesOf(decoder, earlier);
          expect(() => decodedBlock(decoder, block.subarray(0, place))).not.toThrow();
        }
      }
    }
  });

  it('that a Huffman encoder made come back as the texts they were', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.uint8Array({ maxLength: 400 }), (name, value) => {
        const texts = [name, value].map((octets) => Buffer.from(octets).toString('latin1'));
        const codes = texts.flatMap((text) => [integer(0x80, 7, huffmanOf(text).length), huffmanOf(text)]);
        const { fields, refusal } = decodedBlock(decoderOf(), Buffer.concat([Buffer.of(0x10), ...codes]));
        expect(refusal).toBe(null);
        expect(fields).toEqual([texts]);
      }),
      { seed: 7541, numRuns: 200 },
    );
  });
});
