import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HpackDecoder } from '../../../../../agent/client/hpack/hpack-decoder.ts';
import { encodeField, encodeFields } from '../../../../../agent/client/hpack/hpack-encoder.ts';
import { STATIC_TABLE } from '../../../../../agent/client/hpack/hpack-static-table.ts';
import { decodedBlock } from '../../../../support/decoded-block.ts';

const hexOf = (name: string, value: string): string => encodeField(name, value).toString('hex');
const NEVER_INDEXED = 0x10;

describe('encodeField', () => {
  it('refers to a field of the static table in one octet', () => {
    expect(hexOf(':method', 'GET')).toBe('82');
    expect(hexOf(':path', '/index.html')).toBe('85');
    expect(hexOf(':status', '500')).toBe('8e');
    for (const [at, [name, value]] of STATIC_TABLE.entries()) {
      // Secrets are written out even when they are empty.
      if (encodeField(name, 'x').readUInt8(0) < NEVER_INDEXED)
        expect(encodeField(name, value)).toEqual(Buffer.of(0x81 + at));
    }
  });

  it('writes literals that nobody adds to a table (RFC 7541 C.2.2)', () => {
    expect(hexOf(':path', '/sample/path')).toBe('040c2f73616d706c652f70617468');
    expect(hexOf('custom-name', 'custom-header')).toBe('000b637573746f6d2d6e616d650d637573746f6d2d686561646572');
    expect(hexOf('user-agent', 'x')).toBe('0f2b0178');
    expect(hexOf('accept-charset', 'x')).toBe('0f000178');
    expect(hexOf(':status', '201')).toBe('0803323031');
  });

  it('refers to the first index of a name that has several', () => {
    expect(hexOf(':method', 'PUT')).toBe('0203505554');
    expect(hexOf(':scheme', 'ftp')).toBe('0603667470');
  });

  it.each(['authorization', 'cookie', 'proxy-authorization', 'x-api-key', 'api-key', 'x-auth-token', 'password'])(
    'asks that %s is never indexed, not even by proxies (RFC 7541 C.2.3)',
    (name) => {
      for (const value of ['', 'secret']) {
        const field = encodeField(name, value);
        expect(field.readUInt8(0) & 0xf0).toBe(NEVER_INDEXED);
        expect(decodedBlock(new HpackDecoder(4096, 1e6), field)).toEqual({ fields: [[name, value]], refusal: null });
      }
    },
  );

  it('writes the example of RFC 7541 C.2.3', () => {
    expect(hexOf('password', 'secret')).toBe('100870617373776f726406736563726574');
  });

  it('writes lengths of any size', () => {
    for (const length of [0, 126, 127, 128, 254, 255, 16_510, 16_511, 100_000]) {
      const value = 'v'.repeat(length);
      const { fields } = decodedBlock(new HpackDecoder(4096, 1e7), encodeField('n'.repeat(length), value));
      expect(fields).toEqual([['n'.repeat(length), value]]);
    }
  });
});

describe('encodeFields', () => {
  const latin1 = fc.uint8Array({ maxLength: 200 }).map((octets) => Buffer.from(octets).toString('latin1'));
  const known = fc.constantFrom(...STATIC_TABLE);
  const field = fc.oneof(
    known.map(([name, value]): [string, string] => [name, value]),
    fc.tuple(
      known.map(([name]) => name),
      latin1,
    ),
    fc.tuple(latin1, latin1),
    fc.tuple(fc.constantFrom('authorization', 'cookie', 'x-api-key'), latin1),
  );

  it('is read back as it was, on any connection, at any time, and changes no table', () => {
    const shared = new HpackDecoder(4096, 1e6);
    fc.assert(
      fc.property(fc.array(field, { maxLength: 30 }), (fields) => {
        const block = encodeFields(fields);
        for (const decoder of [shared, new HpackDecoder(0, 1e6)]) {
          expect(decodedBlock(decoder, block)).toEqual({ fields, refusal: null });
          expect(decoder.tableVersion).toBe(0);
        }
      }),
      { seed: 7541, numRuns: 300 },
    );
  });

  it('is the fields one after the other', () => {
    fc.assert(
      fc.property(fc.array(field, { maxLength: 8 }), fc.array(field, { maxLength: 8 }), (some, more) => {
        expect(encodeFields([...some, ...more])).toEqual(Buffer.concat([encodeFields(some), encodeFields(more)]));
      }),
      { seed: 7541, numRuns: 100 },
    );
  });

  it('writes names beyond those it remembers', () => {
    for (let count = 0; count < 2000; count += 1) {
      const fields: [string, string][] = [[`name-${count}`, String(count)]];
      expect(decodedBlock(new HpackDecoder(4096, 1e6), encodeFields(fields)).fields).toEqual(fields);
    }
  });
});
