/**
 * The batch of a serving engine: at most `slotsMax` sequences run at once, the others wait first come first served, so that overload
 * builds a queue and throughput stays at its limit while first tokens come ever later. No clock; callbacks only.
 */

/** Slots and the queue before them. */
export class BatchSlots {
  readonly #slotsMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** `slotsMax` null = no limit. */
  constructor(slotsMax: number | null) {
    this.#slotsMax = slotsMax ?? Number.POSITIVE_INFINITY;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Calls `start` when a slot is free: now, or after those that came before. Returns a function that gives up the place in the queue. */
  enter(start: () => void): () => void {
    if (this.#running < this.#slotsMax) {
      this.#running += 1;
      start();
      return () => undefined;
    }
    this.#waiting.push(start);
    return () => {
      const at = this.#waiting.indexOf(start);
      if (at >= 0) this.#waiting.splice(at, 1);
    };
  }

  /** A sequence is over: the next one takes its slot. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}
