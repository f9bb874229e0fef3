/** The least of a changing set, in O(log n): for what is due next. Not for the schedule's hot merge, which holds numbers (`worker-schedule.ts`). */

/** Values in the order that `isBefore` gives; values of which none is before the other come in any order. */
export class BinaryHeap<T extends object> {
  readonly #heap: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;

  /** `isBefore` must not change its mind about values inside. */
  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get length(): number {
    return this.#heap.length;
  }

  /** The least value, which stays; null when empty. */
  peek(): T | null {
    return this.#heap[0] ?? null;
  }

  push(value: T): void {
    const heap = this.#heap;
    let place = heap.push(value) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent] as T;
      if (!this.#isBefore(value, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = value;
  }

  /** Takes out the least value; null when empty. */
  take(): T | null {
    const first = this.peek();
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) this.#sink(last);
    return first;
  }

  clear(): void {
    this.#heap.length = 0;
  }

  /** Puts `value` in at the top and lets it down to its place. */
  #sink(value: T): void {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && this.#isBefore(heap[child + 1] as T, heap[child] as T)) child += 1;
      if (!this.#isBefore(heap[child] as T, value)) break;
      heap[place] = heap[child] as T;
      place = child;
    }
    heap[place] = value;
  }
}
