/**
 * The queue of the reference target: c equal servers, one line, first come first served (G/G/c).
 * Pure: the caller says when a request arrives and how long its service takes, and learns when its service starts and ends;
 * nothing waits in here. Because service times are known on arrival, that is the Kiefer-Wolfowitz recursion.
 */

import { assertInvariant } from '../shared/fleet-error.ts';

/** Most servers a queue can have: its heap is one array. */
export const MAX_SERVERS = 1_000_000;

/** When a request's service starts and ends, in the ns of the arrival instants given. */
export interface ServiceSpan {
  startNs: number;
  endNs: number;
}

/** One first-come-first-served queue in front of `servers` servers; null = as many servers as requests. */
export class ServiceQueue {
  /** Min-heap of the instants at which each server has done all work it was given. */
  readonly #freeAtNs: Float64Array;
  #lastArrivalNs = -Infinity;

  /** @param servers an integer in 1..MAX_SERVERS, or null for no queueing at all. */
  constructor(servers: number | null) {
    assertInvariant(
      servers === null || (Number.isInteger(servers) && servers >= 1 && servers <= MAX_SERVERS),
      `servers ${String(servers)} must be an integer in 1..${MAX_SERVERS}`,
    );
    this.#freeAtNs = new Float64Array(servers ?? 0).fill(-Infinity);
  }

  /**
   * Takes in one request: it starts when the first server is free, at the earliest on arrival.
   * @param arrivalNs not before the arrival of the request admitted last.
   * @param serviceNs >= 0.
   */
  admit(arrivalNs: number, serviceNs: number): ServiceSpan {
    assertInvariant(
      arrivalNs >= this.#lastArrivalNs,
      `arrival at ${arrivalNs} ns is before the one at ${this.#lastArrivalNs} ns`,
    );
    this.#lastArrivalNs = arrivalNs;
    if (this.#freeAtNs.length === 0) return { startNs: arrivalNs, endNs: arrivalNs + serviceNs };
    const startNs = Math.max(arrivalNs, this.#freeAtNs[0] as number);
    const endNs = startNs + serviceNs;
    this.#replaceFirst(endNs);
    return { startNs, endNs };
  }

  /** Gives the heap's first server a new free instant and moves it down to its place. */
  #replaceFirst(freeAtNs: number): void {
    const heap = this.#freeAtNs;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) child++;
      if ((heap[child] as number) >= freeAtNs) break;
      heap[place] = heap[child] as number;
      place = child;
    }
    heap[place] = freeAtNs;
  }
}
