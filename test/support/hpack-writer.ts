/**
 * Writes field blocks of HPACK (RFC 7541) in all the ways that the format leaves open: indexed or literal, by three kinds of indexing,
 * names by index or by text, text plain or in Huffman code, and changes of the dynamic table's size. Which way is drawn.
 */
import { hpackInteger } from './hpack-text.ts';
import { huffmanOf } from './huffman-encoder.ts';

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

/** The encoder of one connection. */
export class HpackWriter {
  readonly #draw: (below: number) => number;
  /** The newest first. */
  readonly #entries: Field[] = [];
  #limitBytes = TABLE_BYTES_MAX;

  /** `draw(below)`: an integer on 0..below - 1. */
  constructor(draw: (below: number) => number) {
    this.#draw = draw;
  }

  /** One field block, as latin1. */
  block(fields: readonly Field[]): string {
    let bytes = '';
    if (this.#draw(8) === 0) {
      this.#limitBytes = [0, 70, 300, TABLE_BYTES_MAX][this.#draw(4)] ?? 0;
      this.#evict();
      bytes += hpackInteger(0x20, 5, this.#limitBytes);
    }
    for (const field of fields) bytes += this.#field(field);
    return bytes;
  }

  #field(field: Field): string {
    const [name, value] = field;
    const whole = this.#indexOf((entry) => entry[0] === name && entry[1] === value);
    if (whole !== null && this.#draw(4) > 0) return hpackInteger(0x80, 7, whole);
    const index = this.#draw(4) > 0 ? this.#indexOf((entry) => entry[0] === name) : null;
    const [pattern, prefixBits] = (
      [
        [0x40, 6],
        [0x40, 6],
        [0x00, 4],
        [0x10, 4],
      ] as const
    )[this.#draw(4)] ?? [0x40, 6];
    const bytes =
      hpackInteger(pattern, prefixBits, index ?? 0) + (index === null ? this.#text(name) : '') + this.#text(value);
    if (pattern === 0x40) {
      this.#entries.unshift(field);
      this.#evict();
    }
    return bytes;
  }

  #indexOf(matches: (entry: Field) => boolean): number | null {
    const dynamic = this.#entries.findIndex(matches);
    if (dynamic >= 0 && this.#draw(3) > 0) return STATIC_ENTRIES + 1 + dynamic;
    for (const [index, entry] of STATIC) if (matches(entry)) return index;
    return dynamic >= 0 ? STATIC_ENTRIES + 1 + dynamic : null;
  }

  #text(text: string): string {
    const coded = this.#draw(2) === 0;
    const bytes = coded ? huffmanOf(text).toString('latin1') : text;
    return hpackInteger(coded ? 0x80 : 0, 7, bytes.length) + bytes;
  }

  #evict(): void {
    const size = (): number =>
      this.#entries.reduce((sum, [name, value]) => sum + name.length + value.length + ENTRY_OVERHEAD, 0);
    while (size() > this.#limitBytes) this.#entries.pop();
  }
}
