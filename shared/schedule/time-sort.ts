/**
 * Sorts a small batch of arrivals by (instant, identity) in O(n): a counting pass into as many time bins as there are
 * arrivals, then an insertion pass that only ever moves an arrival inside its bin. For batches of arrivals spread over
 * their time range, some hundreds at once; not a general sort (its worst case is quadratic in the batch).
 */

/** A batch in time order: parallel arrays, of which the first `length` entries count. */
export interface SortedBatch {
  ns: Float64Array;
  /** Packed identities; equal instants are ordered by them. */
  ids: Int32Array;
  length: number;
}

/** An empty batch with room for `room` arrivals. */
export function createBatch(room: number): SortedBatch {
  return { ns: new Float64Array(room), ids: new Int32Array(room), length: 0 };
}

/** Sorts batches; holds scratch memory only. */
export class TimeSorter {
  #bins = new Int32Array(0);
  #binEnds = new Int32Array(0);

  /**
   * Sorts the n arrivals at ns[start..start+n) and ids[start..start+n) into `into`, which grows if needed. Equal instants
   * are ordered by ascending id; the source is left as it is.
   */
  sort(ns: Float64Array, ids: Int32Array, start: number, n: number, into: SortedBatch): void {
    if (into.ns.length < n) {
      into.ns = new Float64Array(2 * n);
      into.ids = new Int32Array(2 * n);
    }
    into.length = n;
    if (n === 0) return;
    this.#scatter(ns, ids, start, n, into);
    insertionSort(into);
  }

  #scatter(ns: Float64Array, ids: Int32Array, start: number, n: number, into: SortedBatch): void {
    if (this.#bins.length < n) {
      this.#bins = new Int32Array(2 * n);
      this.#binEnds = new Int32Array(2 * n + 1);
    }
    const bins = this.#bins;
    const binEnds = this.#binEnds;
    let first = Infinity;
    let last = -Infinity;
    for (let i = start; i < start + n; i++) {
      const value = ns[i] as number;
      if (value < first) first = value;
      if (value > last) last = value;
    }
    const scale = last > first ? (n - 1) / (last - first) : 0;
    binEnds.fill(0, 0, n);
    for (let i = 0; i < n; i++) {
      const bin = (((ns[start + i] as number) - first) * scale) | 0;
      bins[i] = bin;
      binEnds[bin] = (binEnds[bin] as number) + 1;
    }
    let sum = 0;
    for (let bin = 0; bin < n; bin++) {
      sum += binEnds[bin] as number;
      binEnds[bin] = sum;
    }
    // Backwards, so that arrivals of one bin keep their order: they come lane by lane, which is the order of ties.
    for (let i = n - 1; i >= 0; i--) {
      const bin = bins[i] as number;
      const slot = (binEnds[bin] as number) - 1;
      binEnds[bin] = slot;
      into.ns[slot] = ns[start + i] as number;
      into.ids[slot] = ids[start + i] as number;
    }
  }
}

function insertionSort({ ns, ids, length }: SortedBatch): void {
  for (let i = 1; i < length; i++) {
    const value = ns[i] as number;
    const id = ids[i] as number;
    let j = i - 1;
    while (j >= 0 && ((ns[j] as number) > value || ((ns[j] as number) === value && (ids[j] as number) > id))) {
      ns[j + 1] = ns[j] as number;
      ids[j + 1] = ids[j] as number;
      j--;
    }
    ns[j + 1] = value;
    ids[j + 1] = id;
  }
}
