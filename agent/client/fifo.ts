/** A first-in first-out ring that grows by doubling: no shifting, no allocation in steady state. */

/** A queue of objects. */
export class Fifo<T extends object> {
  private ring: (T | undefined)[] = new Array<T | undefined>(16);
  private head = 0;
  length = 0;

  push(value: T): void {
    if (this.length === this.ring.length) this.grow();
    this.ring[(this.head + this.length) & (this.ring.length - 1)] = value;
    this.length += 1;
  }

  /** The oldest value, which stays; null when empty. */
  peek(): T | null {
    return this.length === 0 ? null : (this.ring[this.head] as T);
  }

  /** The oldest value, or null when empty. */
  shift(): T | null {
    if (this.length === 0) return null;
    const value = this.ring[this.head] as T;
    this.ring[this.head] = undefined;
    this.head = (this.head + 1) & (this.ring.length - 1);
    this.length -= 1;
    return value;
  }

  private grow(): void {
    const grown = new Array<T | undefined>(2 * this.ring.length);
    for (let index = 0; index < this.length; index += 1)
      grown[index] = this.ring[(this.head + index) & (this.ring.length - 1)];
    this.ring = grown;
    this.head = 0;
  }
}
