import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeHuffman } from '../../../../../agent/client/hpack/huffman.ts';
import { HUFFMAN_CODES, huffmanOf, octetsOfBits } from '../../../../support/huffman-encoder.ts';

const decoded = (bytes: Uint8Array): string | null => decodeHuffman(bytes, 0, bytes.length);
const [EOS = ''] = HUFFMAN_CODES.slice(256);
const codeOf = (text: string): string =>
  [...Buffer.from(text, 'latin1')].map((octet) => HUFFMAN_CODES[octet] as string).join('');

describe('decodeHuffman', () => {
  it('knows the code of every octet (RFC 7541 appendix B)', () => {
    expect(HUFFMAN_CODES).toHaveLength(257);
    for (let octet = 0; octet < 256; octet += 1) {
      const text = String.fromCharCode(octet);
      expect(decoded(huffmanOf(text)), `octet ${octet}`).toBe(text);
      expect(decoded(huffmanOf(`a${text}${text}0`)), `octet ${octet}`).toBe(`a${text}${text}0`);
    }
  });

  it.each([
    ['f1e3c2e5f23a6ba0ab90f4ff', 'www.example.com'],
    ['a8eb10649cbf', 'no-cache'],
    ['25a849e95ba97d7f', 'custom-key'],
    ['25a849e95bb8e8b4bf', 'custom-value'],
    ['6402', '302'],
    ['aec3771a4b', 'private'],
    ['d07abe941054d444a8200595040b8166e082a62d1bff', 'Mon, 21 Oct 2013 20:13:21 GMT'],
    ['9d29ad171863c78f0b97c8e9ae82ae43d3', 'https://www.example.com'],
    ['640eff', '307'],
    ['9bd9ab', 'gzip'],
    [
      '94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007',
      'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
    ],
  ])('decodes the texts of RFC 7541 appendix C: %s', (hex, text) => {
    expect(decoded(Buffer.from(hex, 'hex'))).toBe(text);
  });

  it('gives back any octets, from the middle of any bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 700 }),
        fc.uint8Array({ maxLength: 3 }),
        fc.uint8Array({ maxLength: 3 }),
        (octets, before, after) => {
          const text = Buffer.from(octets).toString('latin1');
          const code = huffmanOf(text);
          const bytes = Buffer.concat([before, code, after]);
          expect(decodeHuffman(bytes, before.length, before.length + code.length)).toBe(text);
        },
      ),
      { seed: 7541, numRuns: 300 },
    );
  });

  it('decodes long texts of the shortest codes, which grow most', () => {
    for (const length of [255, 256, 257, 5000, 100_000, 3]) {
      const text = '0aei'.repeat(length).slice(0, length);
      expect(decoded(huffmanOf(text))).toBe(text);
    }
  });

  it('decodes nothing to nothing', () => {
    expect(decoded(Buffer.alloc(0))).toBe('');
  });

  it('takes padding of up to seven ones, and refuses a longer one', () => {
    // Codes of 5, 6, 7 and 8 bits, one to seven of them: every place of an octet is met.
    for (const char of ['0', 'b', 'B', 'X']) {
      for (let count = 1; count <= 8; count += 1) {
        const code = codeOf(char.repeat(count));
        expect(decoded(octetsOfBits(code))).toBe(char.repeat(count));
        expect(decoded(Buffer.concat([octetsOfBits(code), Buffer.of(0xff)]))).toBe(null);
      }
    }
    expect(decoded(Buffer.of(0xff))).toBe(null);
  });

  it('refuses padding that is not all ones', () => {
    // Three bits are left of the octet; the code `00000` is not among what they can be.
    for (const padding of ['000', '001', '010', '011', '100', '101', '110']) {
      expect(decoded(octetsOfBits(`${codeOf('0')}${padding}`))).toBe(null);
    }
    expect(decoded(octetsOfBits(`${codeOf('0')}111`))).toBe('0');
    expect(decoded(octetsOfBits(codeOf('&0'), '0'))).toBe(null);
  });

  it('refuses EOS at any place', () => {
    for (const before of ['', '0', '00', 'b', 'B', 'X0', '&']) {
      for (const after of ['', '0', 'some text']) {
        expect(decoded(octetsOfBits(`${codeOf(before)}${EOS}${codeOf(after)}`))).toBe(null);
      }
    }
    expect(decoded(Buffer.alloc(8, 0xff))).toBe(null);
  });

  it('refuses or decodes any bytes, and what it decodes is the only way to write it', () => {
    let texts = 0;
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        const text = decoded(bytes);
        if (text === null) return;
        texts += 1;
        expect(huffmanOf(text)).toEqual(Buffer.from(bytes));
      }),
      { seed: 7541, numRuns: 3000 },
    );
    expect(texts).toBeGreaterThan(100);
  });
});
