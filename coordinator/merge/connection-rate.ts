/**
 * How fast one agent opens connections, over the minute in which it opened most: a closed connection keeps its local port for a
 * minute (TIME_WAIT), so a minute is what the ports must last for (M§9.2). Counts by 10 s, in any order.
 */

/** Windows of one bucket, and buckets of a minute. */
const BUCKET_WINDOWS = 10;
const MINUTE_BUCKETS = 6;

export class ConnectionRate {
  readonly #buckets = new Map<number, number>();

  /** Adds connections tried in a window. */
  add(window: number, count: number): void {
    if (count === 0) return;
    const bucket = Math.floor(window / BUCKET_WINDOWS);
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + count);
  }

  /** Connections per second over the busiest minute. */
  perSecondMax(): number {
    let max = 0;
    for (const last of this.#buckets.keys()) {
      let sum = 0;
      for (let bucket = last - MINUTE_BUCKETS + 1; bucket <= last; bucket += 1) sum += this.#buckets.get(bucket) ?? 0;
      max = Math.max(max, sum);
    }
    return max / (BUCKET_WINDOWS * MINUTE_BUCKETS);
  }
}
