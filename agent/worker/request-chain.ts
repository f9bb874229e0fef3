/**
 * Requests that no schedule holds because each waits for the end of the one before: the slots of a closed loop, and the later turns of
 * a session (design §5). A chain has one next request at most; while it has, it stands in the queue of its worker. A request is
 * counted as scheduled when it is issued, so that the books balance whenever the run ends.
 */

import type { OutboundRequest } from '../client/protocol-client.ts';
import type { Outcome } from '../../shared/metrics/outcome.ts';
import type { Arrival } from '../../shared/schedule/arrival-stream.ts';

/** What a chain learns of the end of its request. */
export interface EndedRequest {
  readonly endNs: number;
  /** A first byte left. */
  readonly wasSent: boolean;
  /** Text that the answer generated, where it is kept; null where not, or where it is not whole. */
  readonly answerText: string | null;
}

export interface RequestChain {
  /** Intended instant of the next request, run time in ns; fixed while the chain is in the queue. */
  readonly nextNs: number;
  /** Orders requests of one instant. */
  readonly order: number;
  /** Which turn of a session its next request is, or the one that is open; 0 = the first, or no session. */
  readonly turn: number;
  /** Run time at which nothing more of it is due, ns; Infinity = it ends by itself. */
  readonly endNs: number;
  /** Writes phase, instant and index of the next request. */
  writeNext(into: Arrival): void;
  /** Position in `Plan.requests` of the next request. */
  choose(next: Arrival): number;
  /** The next request itself; `next` is not kept. */
  render(next: Arrival, template: number): OutboundRequest;
  /** Its request has ended, and is in the books. `request` is given back after the call. */
  ended(request: EndedRequest, outcome: Outcome): void;
  /** Its request was not attempted, at `nowNs`. */
  dropped(nowNs: number): void;
}

/** The chains that have a next request, the earliest first: a binary heap. */
export class ChainQueue {
  readonly #heap: RequestChain[] = [];
  #isClosed = false;

  /** Chains that wait. */
  get length(): number {
    return this.#heap.length;
  }

  /** The earliest instant, Infinity when nothing waits. */
  peekNs(): number {
    return this.#heap[0]?.nextNs ?? Infinity;
  }

  /** Puts a chain in its place. */
  push(chain: RequestChain): void {
    if (this.#isClosed) return;
    const heap = this.#heap;
    let place = heap.length;
    heap.push(chain);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent] as RequestChain;
      if (!isBefore(chain, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = chain;
  }

  /** Takes out the earliest; null when nothing waits. */
  take(): RequestChain | null {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) return null;
    if (heap.length > 0) this.#sink(last);
    return first;
  }

  /** Forgets all, and takes no more: the run was stopped. */
  close(): void {
    this.#isClosed = true;
    this.#heap.length = 0;
  }

  /** Puts `chain` in at the top and lets it down to its place. */
  #sink(chain: RequestChain): void {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      if (left >= heap.length) break;
      const right = left + 1;
      const isRightFirst = right < heap.length && isBefore(heap[right] as RequestChain, heap[left] as RequestChain);
      const child = isRightFirst ? right : left;
      if (!isBefore(heap[child] as RequestChain, chain)) break;
      heap[place] = heap[child] as RequestChain;
      place = child;
    }
    heap[place] = chain;
  }
}

function isBefore(a: RequestChain, b: RequestChain): boolean {
  return a.nextNs < b.nextNs || (a.nextNs === b.nextNs && a.order < b.order);
}
