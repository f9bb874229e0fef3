/**
 * Deadlines that all lie the same time after their start: such a list is a queue, so adding, removing and finding the expired
 * ones are O(1) without a timer per request, and a limit of any length is held exactly (R013, R018). A worker has one list for
 * the timeout (from send), one for the idle limit (from the last byte) and one for the end of a body (from the answer's end marker). Not for deadlines of different lengths.
 */

/** A place in a deadline list, embedded in the object that has the deadline. */
export interface DeadlineNode<Owner> {
  readonly owner: Owner;
  dueNs: number;
  previous: DeadlineNode<Owner> | null;
  next: DeadlineNode<Owner> | null;
  listed: boolean;
}

/** A node that is in no list. */
export function createDeadlineNode<Owner>(owner: Owner): DeadlineNode<Owner> {
  return { owner, dueNs: 0, previous: null, next: null, listed: false };
}

export class DeadlineList<Owner> {
  /** Time from start to deadline, ns. */
  readonly limitNs: number;
  #head: DeadlineNode<Owner> | null = null;
  #tail: DeadlineNode<Owner> | null = null;

  constructor(limitNs: number) {
    this.limitNs = limitNs;
  }

  /** Starts (or restarts) the deadline of `node` at `nowNs`. Starts must come in order of time, as a clock gives them. */
  start(node: DeadlineNode<Owner>, nowNs: number): void {
    this.remove(node);
    node.dueNs = nowNs + this.limitNs;
    node.previous = this.#tail;
    if (this.#tail === null) this.#head = node;
    else this.#tail.next = node;
    this.#tail = node;
    node.listed = true;
  }

  /** Takes `node` out; harmless when it is in no list. */
  remove(node: DeadlineNode<Owner>): void {
    if (!node.listed) return;
    if (node.previous === null) this.#head = node.next;
    else node.previous.next = node.next;
    if (node.next === null) this.#tail = node.previous;
    else node.next.previous = node.previous;
    node.previous = null;
    node.next = null;
    node.listed = false;
  }

  /** The earliest deadline, or Infinity. */
  earliestNs(): number {
    return this.#head === null ? Infinity : this.#head.dueNs;
  }

  /** Takes out and returns one owner whose deadline is at or before `nowNs`, or null when there is none. */
  takeExpired(nowNs: number): Owner | null {
    const node = this.#head;
    if (node === null || node.dueNs > nowNs) return null;
    this.remove(node);
    return node.owner;
  }
}
