/**
 * How long the connections of one origin may live (`limits.connectionAge`): without a bound they stay with an address after its name has
 * moved (R024, R025). Lives are spread evenly between half of the age and all of it, so that connections that were made together are not
 * made anew together. Pure: it is told the time, of a clock that never jumps.
 */

/** Where the next life lies between half and all: steps of the golden section fill any range evenly. */
const GOLDEN_SECTION = (Math.sqrt(5) - 1) / 2;

export class ConnectionAge {
  readonly #ageNs: number | null;
  #made = 0;

  /** `ageNs`: the age that none passes while it is used; null = any. */
  constructor(ageNs: number | null) {
    this.#ageNs = ageNs;
  }

  /** Whether there is a bound at all. */
  get isBounded(): boolean {
    return this.#ageNs !== null;
  }

  /** From when on a connection that is ready at `nowNs` takes no further request; Infinity = never. */
  retireAtNs(nowNs: number): number {
    if (this.#ageNs === null) return Infinity;
    this.#made += 1;
    return nowNs + this.#ageNs * (0.5 + 0.5 * ((this.#made * GOLDEN_SECTION) % 1));
  }
}
