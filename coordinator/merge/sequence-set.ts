/**
 * Which numbers 1, 2, 3 ... of a sender have been taken: a contiguous high-water mark and the few numbers above it (M§7).
 * This is what makes a report count once however often it is sent (P6, R072).
 */

/** Numbers above a gap that are remembered; a sender has at most 8 reports unacknowledged, so more is a fault of its own. */
export const AHEAD_MAX = 1024;

/** A growing set of sequence numbers. */
export class SequenceSet {
  #highWater = 0;
  readonly #ahead = new Set<number>();

  /** Every number up to this one has been taken. */
  get highWater(): number {
    return this.#highWater;
  }

  /** Whether `sequence` (>= 1) has been taken. */
  has(sequence: number): boolean {
    return sequence <= this.#highWater || this.#ahead.has(sequence);
  }

  /** Whether taking `sequence` would remember more than `AHEAD_MAX` numbers above a gap. */
  isTooFarAhead(sequence: number): boolean {
    return sequence !== this.#highWater + 1 && this.#ahead.size >= AHEAD_MAX;
  }

  /** Takes `sequence`, which must not have been taken. */
  add(sequence: number): void {
    this.#ahead.add(sequence);
    while (this.#ahead.delete(this.#highWater + 1)) this.#highWater += 1;
  }

  /** The numbers missing below the highest taken one, lowest first, at most `limit` of them. */
  missing(limit: number): readonly number[] {
    const missing: number[] = [];
    const highest = Math.max(this.#highWater, ...this.#ahead);
    for (let sequence = this.#highWater + 1; sequence < highest && missing.length < limit; sequence += 1) {
      if (!this.#ahead.has(sequence)) missing.push(sequence);
    }
    return missing;
  }
}
