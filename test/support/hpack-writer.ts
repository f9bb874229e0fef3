/**
 * Writes field blocks of HPACK (RFC 7541) in all the ways that the format leaves open: indexed or literal, by three kinds of indexing, names by
 * index or by text, text plain or in Huffman code, and changes of the dynamic table's size. Which way is drawn.
 */

/** A name and a value; printable ASCII. */
export type Field = readonly [name: string, value: string];

/** Entries of the static table that tests use, by index; the others are never referred to. */
const STATIC: ReadonlyMap<number, Field> = new Map([
  [8, [':status', '200']],
  [9, [':status', '204']],
  [10, [':status', '206']],
  [11, [':status', '304']],
  [12, [':status', '400']],
  [13, [':status', '404']],
  [14, [':status', '500']],
  [28, ['content-length', '']],
  [31, ['content-type', '']],
  [33, ['date', '']],
  [54, ['server', '']],
  [55, ['set-cookie', '']],
]);
const STATIC_ENTRIES = 61;
const TABLE_BYTES_MAX = 4096;
const ENTRY_OVERHEAD = 32;

/** The characters of each code length, in the order of their codes: the Huffman code of RFC 7541 is canonical. NUL and two others fill gaps. */
const HUFFMAN_LENGTHS: readonly (readonly [bits: number, characters: string])[] = [
  [5, '012aceiost'],
  [6, ' %-./3456789=A_bdfghlmnpru'],
  [7, ':BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz'],
  [8, '&*,;XZ'],
  [10, '!"()?'],
  [11, "'+|"],
  [12, '#>'],
  [13, '\0$@[]~'],
  [14, '^}'],
  [15, '<`{'],
  [19, '\\'],
];

function huffmanCodes(): Map<string, string> {
  const codes = new Map<string, string>();
  let next = 0;
  let width = 0;
  for (const [bits, characters] of HUFFMAN_LENGTHS) {
    next *= 2 ** (bits - width);
    width = bits;
    for (const character of characters) {
      codes.set(character, next.toString(2).padStart(bits, '0'));
      next += 1;
    }
  }
  return codes;
}

const HUFFMAN = huffmanCodes();

function huffman(text: string): string {
  const bits = Array.from(text, (character) => HUFFMAN.get(character) ?? '').join('');
  const whole = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1');
  return whole.replaceAll(/.{8}/g, (byte) => String.fromCharCode(Number.parseInt(byte, 2)));
}

/** An integer of RFC 7541 §5.1 behind the bits `pattern` of its first byte. */
function integer(pattern: number, prefixBits: number, value: number): string {
  const most = 2 ** prefixBits - 1;
  if (value < most) return String.fromCharCode(pattern | value);
  let text = String.fromCharCode(pattern | most);
  let rest = value - most;
  for (; rest >= 128; rest = Math.floor(rest / 128)) text += String.fromCharCode(128 | (rest % 128));
  return text + String.fromCharCode(rest);
}

/** The encoder of one connection. */
export class HpackWriter {
  private readonly draw: (below: number) => number;
  /** The newest first. */
  private readonly entries: Field[] = [];
  private limitBytes = TABLE_BYTES_MAX;

  /** `draw(below)`: an integer on 0..below - 1. */
  constructor(draw: (below: number) => number) {
    this.draw = draw;
  }

  /** One field block, as latin1. */
  block(fields: readonly Field[]): string {
    let bytes = '';
    if (this.draw(8) === 0) {
      this.limitBytes = [0, 70, 300, TABLE_BYTES_MAX][this.draw(4)] ?? 0;
      this.evict();
      bytes += integer(0x20, 5, this.limitBytes);
    }
    for (const field of fields) bytes += this.field(field);
    return bytes;
  }

  private field(field: Field): string {
    const [name, value] = field;
    const whole = this.indexOf((entry) => entry[0] === name && entry[1] === value);
    if (whole !== null && this.draw(4) > 0) return integer(0x80, 7, whole);
    const index = this.draw(4) > 0 ? this.indexOf((entry) => entry[0] === name) : null;
    const [pattern, prefixBits] = (
      [
        [0x40, 6],
        [0x40, 6],
        [0x00, 4],
        [0x10, 4],
      ] as const
    )[this.draw(4)] ?? [0x40, 6];
    const bytes = integer(pattern, prefixBits, index ?? 0) + (index === null ? this.text(name) : '') + this.text(value);
    if (pattern === 0x40) {
      this.entries.unshift(field);
      this.evict();
    }
    return bytes;
  }

  private indexOf(matches: (entry: Field) => boolean): number | null {
    const dynamic = this.entries.findIndex(matches);
    if (dynamic >= 0 && this.draw(3) > 0) return STATIC_ENTRIES + 1 + dynamic;
    for (const [index, entry] of STATIC) if (matches(entry)) return index;
    return dynamic >= 0 ? STATIC_ENTRIES + 1 + dynamic : null;
  }

  private text(text: string): string {
    const coded = this.draw(2) === 0;
    const bytes = coded ? huffman(text) : text;
    return integer(coded ? 0x80 : 0, 7, bytes.length) + bytes;
  }

  private evict(): void {
    const size = (): number =>
      this.entries.reduce((sum, [name, value]) => sum + name.length + value.length + ENTRY_OVERHEAD, 0);
    while (size() > this.limitBytes) this.entries.pop();
  }
}
