/**
 * Which indices of one global sequence belong to a set of lanes: index i is of lane i mod S (design §5). The own indices,
 * ascending, are numbered by an ordinal; both directions are closed form, so nothing is listed.
 */

/** The indices of a set of lanes. */
export class OwnIndices {
  readonly #lanes: Int32Array;
  readonly #laneCount: number;

  /** `lanes` ascending, each below `laneCount`. */
  constructor(lanes: Int32Array, laneCount: number) {
    this.#lanes = lanes;
    this.#laneCount = laneCount;
  }

  /** The own index with this ordinal (0-based). Only for a set that is not empty. */
  at(ordinal: number): number {
    const k = this.#lanes.length;
    const pass = Math.floor(ordinal / k);
    return pass * this.#laneCount + (this.#lanes[ordinal - pass * k] as number);
  }

  /** How many own indices lie below `index`; also the ordinal of the first own index that does not. */
  countBelow(index: number): number {
    const passes = Math.floor(index / this.#laneCount);
    const rest = index - passes * this.#laneCount;
    let low = 0;
    let high = this.#lanes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#lanes[middle] as number) < rest) low = middle + 1;
      else high = middle;
    }
    return passes * this.#lanes.length + low;
  }
}
