/**
 * Decodes the header blocks of one HTTP/2 connection (RFC 7541). Blocks must come whole, all of them, and in the order of the connection,
 * because each may change the table that the next ones refer to. It judges the compression only: whether names and values are what HTTP
 * allows is the reader's business.
 */
import { ENTRY_OVERHEAD_BYTES, HpackDynamicTable } from './hpack-dynamic-table.ts';
import { STATIC_TABLE } from './hpack-static-table.ts';
import { decodeHuffman } from './huffman.ts';

/** Size of the dynamic table before the other side says another (RFC 9113 §6.5.2). */
const TABLE_BYTES_DEFAULT = 4096;
const INTEGER_MAX = 2 ** 31;
const CONTINUATION_OCTETS_MAX = 5;

/** First bits of a field (RFC 7541 §6): what is at least this is .. */
const INDEXED = 0x80;
const LITERAL_INSERTED = 0x40;
const SIZE_UPDATE = 0x20;
const HUFFMAN = 0x80;

/** One per connection. */
export class HpackDecoder {
  private readonly tableBytesMax: number;
  private readonly sectionBytesMax: number;
  private readonly table: HpackDynamicTable;
  private bytes: Buffer = EMPTY;
  private at = 0;
  private to = 0;
  /** Bytes of the fields of this block so far. */
  private sectionBytes = 0;
  private refusal: string | null = null;
  private inserted: string[] = [];
  private dependsOnTable = false;

  /**
   * `tableBytesMax`: the SETTINGS_HEADER_TABLE_SIZE we announced (4096 is the default). `sectionBytesMax`: most bytes of one block's
   * fields, each counted as name, value and 32 (the measure of SETTINGS_MAX_HEADER_LIST_SIZE).
   */
  constructor(tableBytesMax: number, sectionBytesMax: number) {
    this.tableBytesMax = tableBytesMax;
    this.sectionBytesMax = sectionBytesMax;
    this.table = new HpackDynamicTable(Math.min(tableBytesMax, TABLE_BYTES_DEFAULT));
  }

  /**
   * Grows with every change to the dynamic table: a block that decoded without a change means the same again as long as this number stays.
   */
  get tableVersion(): number {
    return this.table.version;
  }

  /**
   * What the last block added to the dynamic table, name and value in turn; null when it refers to the table or sets its size. Any other
   * block means the same whenever it comes again, and `insertAgain` with this is all that it does to the table.
   */
  get lastInserted(): readonly string[] | null {
    return this.dependsOnTable ? null : this.inserted;
  }

  /** Does to the dynamic table what a block did whose `lastInserted` this is. */
  insertAgain(inserted: readonly string[]): void {
    for (let at = 0; at < inserted.length; at += 2)
      this.table.insert(inserted[at] as string, inserted[at + 1] as string);
  }

  /**
   * Decodes the whole header block `bytes[from, to)` and calls `onField` for each field in order; texts are latin1, one character an octet.
   * Returns null, or why the block is refused: a COMPRESSION_ERROR of the connection, after which the decoder is of no use. Fields before
   * the refused place have been given by then.
   */
  decode(bytes: Uint8Array, from: number, to: number, onField: (name: string, value: string) => void): string | null {
    this.begin(bytes, from, to);
    let fields = 0;
    while (this.at < to && this.refusal === null) {
      const first = bytes[this.at] as number;
      if (first >= INDEXED) this.readIndexed(onField);
      else if (first >= LITERAL_INSERTED) this.readLiteral(6, onField);
      else if (first < SIZE_UPDATE) this.readLiteral(4, onField);
      else {
        this.readSizeUpdate(fields);
        continue;
      }
      fields += 1;
    }
    this.bytes = EMPTY;
    return this.refusal;
  }

  private begin(bytes: Uint8Array, from: number, to: number): void {
    this.bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = from;
    this.to = to;
    this.sectionBytes = 0;
    this.refusal = null;
    this.dependsOnTable = false;
    this.inserted = [];
  }

  private readIndexed(onField: (name: string, value: string) => void): void {
    const index = this.readInteger(7);
    if (index === null) return;
    const name = this.nameOf(index);
    if (name !== null) this.give(name, this.valueOf(index), onField);
  }

  /** `prefixBits`: 6 for a field that goes into the dynamic table, 4 for one that does not. */
  private readLiteral(prefixBits: 4 | 6, onField: (name: string, value: string) => void): void {
    const index = this.readInteger(prefixBits);
    if (index === null) return;
    const name = index === 0 ? this.readText() : this.nameOf(index);
    if (name === null) return;
    const value = this.readText();
    if (value === null) return;
    if (prefixBits === 6) {
      this.table.insert(name, value);
      this.inserted.push(name, value);
    }
    this.give(name, value, onField);
  }

  private readSizeUpdate(fieldsBefore: number): void {
    const bytesMax = this.readInteger(5);
    if (bytesMax === null) return;
    if (fieldsBefore > 0) this.refusal = 'a table size update comes after a field';
    else if (bytesMax > this.tableBytesMax) {
      this.refusal = `a table size update to ${bytesMax} is above our limit of ${this.tableBytesMax}`;
    } else {
      this.dependsOnTable = true;
      this.table.resize(bytesMax);
    }
  }

  private give(name: string, value: string, onField: (name: string, value: string) => void): void {
    this.sectionBytes += name.length + value.length + ENTRY_OVERHEAD_BYTES;
    if (this.sectionBytes > this.sectionBytesMax) {
      this.refusal = `the header section is above our limit of ${this.sectionBytesMax} bytes`;
    } else onField(name, value);
  }

  private nameOf(index: number): string | null {
    if (index > 0 && index <= STATIC_TABLE.length) return (STATIC_TABLE[index - 1] as readonly [string, string])[0];
    const entry = index - STATIC_TABLE.length - 1;
    if (index === 0 || entry >= this.table.length) {
      this.refusal = `index ${index} is in no table`;
      return null;
    }
    this.dependsOnTable = true;
    return this.table.nameAt(entry);
  }

  /** Of an index that `nameOf` knows. */
  private valueOf(index: number): string {
    if (index <= STATIC_TABLE.length) return (STATIC_TABLE[index - 1] as readonly [string, string])[1];
    return this.table.valueAt(index - STATIC_TABLE.length - 1);
  }

  /** An integer that begins in the last `prefixBits` of the octet at hand, which is there (RFC 7541 §5.1). */
  private readInteger(prefixBits: 4 | 5 | 6 | 7): number | null {
    const { bytes, to } = this;
    const prefixMax = 2 ** prefixBits - 1;
    let value = (bytes[this.at] as number) & prefixMax;
    this.at += 1;
    if (value < prefixMax) return value;
    for (let octets = 0; octets < CONTINUATION_OCTETS_MAX; octets += 1) {
      if (this.at >= to) {
        this.refusal = 'an integer is cut short';
        return null;
      }
      const octet = bytes[this.at] as number;
      this.at += 1;
      value += (octet & 0x7f) * 2 ** (7 * octets);
      if (octet >= 0x80) continue;
      if (value <= INTEGER_MAX) return value;
      break;
    }
    this.refusal = 'an integer is too large or too long';
    return null;
  }

  /** A string literal (RFC 7541 §5.2). */
  private readText(): string | null {
    if (this.at >= this.to) {
      this.refusal = 'a text is missing';
      return null;
    }
    const huffman = (this.bytes[this.at] as number) >= HUFFMAN;
    const length = this.readInteger(7);
    if (length === null) return null;
    const from = this.at;
    const end = from + length;
    if (end > this.to) {
      this.refusal = 'a text is cut short';
      return null;
    }
    this.at = end;
    if (!huffman) return this.bytes.toString('latin1', from, end);
    const text = decodeHuffman(this.bytes, from, end);
    if (text === null) this.refusal = 'a text is no valid Huffman code';
    return text;
  }
}

const EMPTY = Buffer.alloc(0);
