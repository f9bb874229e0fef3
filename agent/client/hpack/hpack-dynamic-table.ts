/**
 * The dynamic table of one HPACK decoder (RFC 7541 §2.3.2, §4): the fields that the other side chose to remember, the newest first,
 * bounded in bytes. A ring of strings. Whoever reads it checks the index against `length` first.
 */

/** What an entry costs beyond its octets (RFC 7541 §4.1). */
export const ENTRY_OVERHEAD_BYTES = 32;

/** One per decoder. */
export class HpackDynamicTable {
  /** Entries held. */
  length = 0;
  /**
   * Grows with every change: an entry added or dropped, another size. What is inserted into a table of no size, as nginx does, changes
   * nothing.
   */
  version = 0;
  private bytes = 0;
  private bytesMax: number;
  /** Name and value in turn; the room for entries is a power of two. */
  private ring: string[] = new Array<string>(2 * 16).fill('');
  /** Entry that the next insertion goes to, counted modulo the room. */
  private next = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Name of an entry; 0 is the newest. */
  nameAt(entry: number): string {
    return this.ring[this.placeOf(entry)] as string;
  }

  /** Value of an entry; 0 is the newest. */
  valueAt(entry: number): string {
    return this.ring[this.placeOf(entry) + 1] as string;
  }

  /**
   * Adds an entry and drops the oldest ones that no longer fit beside it; one that is larger than the whole table leaves it empty (§4.4).
   */
  insert(name: string, value: string): void {
    const entryBytes = name.length + value.length + ENTRY_OVERHEAD_BYTES;
    this.evictDownTo(this.bytesMax - entryBytes);
    if (entryBytes > this.bytesMax) return;
    if (2 * this.length === this.ring.length) this.grow();
    this.version += 1;
    this.ring[2 * this.next] = name;
    this.ring[2 * this.next + 1] = value;
    this.next = (this.next + 1) & (this.ring.length / 2 - 1);
    this.length += 1;
    this.bytes += entryBytes;
  }

  /** Sets the bytes that entries may take together, and drops the oldest ones beyond (§4.3). */
  resize(bytesMax: number): void {
    if (bytesMax !== this.bytesMax) this.version += 1;
    this.bytesMax = bytesMax;
    this.evictDownTo(bytesMax);
  }

  private placeOf(entry: number): number {
    return 2 * ((this.next - 1 - entry) & (this.ring.length / 2 - 1));
  }

  private evictDownTo(bytes: number): void {
    while (this.length > 0 && this.bytes > bytes) {
      const place = this.placeOf(this.length - 1);
      const octets = (this.ring[place] as string).length + (this.ring[place + 1] as string).length;
      this.bytes -= octets + ENTRY_OVERHEAD_BYTES;
      // Lets go of the texts.
      this.ring[place] = '';
      this.ring[place + 1] = '';
      this.length -= 1;
      this.version += 1;
    }
  }

  private grow(): void {
    const larger = new Array<string>(2 * this.ring.length).fill('');
    for (let entry = 0; entry < this.length; entry += 1) {
      const place = 2 * (this.length - 1 - entry);
      larger[place] = this.nameAt(entry);
      larger[place + 1] = this.valueAt(entry);
    }
    this.ring = larger;
    this.next = this.length;
  }
}
