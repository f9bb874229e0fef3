/**
 * What the worker's hot path sees of a schedule: one worker slot's own arrivals, in time order, pulled one at a time.
 * Implementations are pure (no clock, no timer) and streaming: memory is O(own arrivals ahead), not O(run).
 */

/**
 * One arrival, as a mutable record that the caller owns and reuses: `next` overwrites every field.
 * Identity is (trial, phase, lane, block, rank) for the lanes law and (trial, phase, index) for indexed laws (design §5);
 * which of the two holds is a property of the phase (`identityOf(phase.arrivals)`).
 */
export interface Arrival {
  /** Position of the phase in the plan, 0-based. */
  phase: number;
  /** Intended instant in integer ns from T0 (phase start included). */
  intendedNs: number;
  /** Lane 0..S-1; for indexed laws index mod S. */
  lane: number;
  /** Block of the lane (lanes law only, else 0). */
  block: number;
  /** 0-based place in the sorted block (lanes law only, else 0). */
  rank: number;
  /** Global 0-based index (indexed laws only, else 0). */
  index: number;
}

/** A fresh arrival record with every field zero. */
export function createArrival(): Arrival {
  return { phase: 0, intendedNs: 0, lane: 0, block: 0, rank: 0, index: 0 };
}

/** A worker slot's arrivals in the order (intendedNs, lane, block, rank) or (intendedNs, index). */
export interface ArrivalStream {
  /** Intended instant of the next arrival in ns from T0; Infinity once the stream is exhausted. */
  peekNs(): number;
  /** Writes the next arrival into `into` and moves on; false (and `into` untouched) once exhausted. */
  next(into: Arrival): boolean;
  /**
   * Does one bounded piece (about 0.1 ms or less) of generation ahead of need. False when there is nothing to do ahead now.
   * Never calling it is correct but slow: `peekNs` and `next` then generate on the spot.
   */
  workAhead(): boolean;
}
