/**
 * Requests that no schedule holds because each waits for the end of the one before: the slots of a closed loop, and the later turns of
 * a session (design §5). A chain has one next request at most; while it has, it stands in the queue of its worker. A request is
 * counted as scheduled when it is issued, so that the books balance whenever the run ends.
 */

import { BinaryHeap } from '../../shared/binary-heap.ts';
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
  /** Run time from which on nothing more of it is issued, also of what was due before, ns; Infinity = it ends by itself. */
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
  /** Its time was over before its next request could be issued, which is in no book. */
  cutOff(): void;
}

/** The chains that have a next request, the earliest first. */
export class ChainQueue {
  readonly #heap = new BinaryHeap<RequestChain>(isBefore);
  #isClosed = false;

  /** Chains that wait. */
  get length(): number {
    return this.#heap.length;
  }

  /** The earliest instant, Infinity when nothing waits. */
  peekNs(): number {
    return this.#heap.peek()?.nextNs ?? Infinity;
  }

  /** Puts a chain in its place. */
  push(chain: RequestChain): void {
    if (!this.#isClosed) this.#heap.push(chain);
  }

  /** Takes out the earliest; null when nothing waits. */
  take(): RequestChain | null {
    return this.#heap.take();
  }

  /** Forgets all, and takes no more: the run was stopped. */
  close(): void {
    this.#isClosed = true;
    this.#heap.clear();
  }
}

function isBefore(a: RequestChain, b: RequestChain): boolean {
  return a.nextNs < b.nextNs || (a.nextNs === b.nextNs && a.order < b.order);
}
