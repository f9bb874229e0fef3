/**
 * Renders requests before they are due, where that takes long: a prompt of 60 kB costs a millisecond, which on the release path is lateness
 * for every request behind it (design §6). It stands between the schedule and the dispatcher, and looks like both of the things that it
 * wraps: arrivals come out in the same order at the same instants, and `render` gives what was made ahead, or makes it on the spot. Bounded
 * by bytes. It changes no byte of any request.
 */

import type { OutboundRequest } from '../client/protocol-client.ts';
import { type Arrival, type ArrivalStream, createArrival } from '../../shared/schedule/arrival-stream.ts';
import { Fifo } from '../client/fifo.ts';
import type { Rendering, RequestRenderer } from './request-renderer.ts';

/** Bytes of bodies that may wait: some 500 prompts of 60 kB. */
const BYTES_MAX = 32 * 1024 * 1024;
/** Arrivals that may wait. */
const ARRIVALS_MAX = 4096;

/** An arrival and its request. */
interface Ahead {
  readonly arrival: Arrival;
  readonly template: number;
  rendering: Rendering | null;
  request: OutboundRequest | null;
}

export class RequestsAhead implements ArrivalStream, RequestRenderer {
  readonly isSlow = true;
  readonly #stream: ArrivalStream;
  readonly #renderer: RequestRenderer;
  readonly #bytesMax: number;
  readonly #waiting = new Fifo<Ahead>();
  #bytes = 0;
  /** The one that is being rendered; also the last in `#waiting`. */
  #current: Ahead | null = null;
  /** The one that was taken last, until its request is asked for. */
  #taken: Ahead | null = null;

  constructor(stream: ArrivalStream, renderer: RequestRenderer, bytesMax = BYTES_MAX) {
    this.#stream = stream;
    this.#renderer = renderer;
    this.#bytesMax = bytesMax;
  }

  peekNs(): number {
    return this.#waiting.peek()?.arrival.intendedNs ?? this.#stream.peekNs();
  }

  next(into: Arrival): boolean {
    const ahead = this.#waiting.shift();
    this.#taken = ahead;
    if (ahead === null) return this.#stream.next(into);
    this.#bytes -= ahead.request?.body?.length ?? 0;
    if (ahead === this.#current) this.#current = null;
    Object.assign(into, ahead.arrival);
    return true;
  }

  workAhead(): boolean {
    return this.#stream.workAhead();
  }

  /** Renders one piece ahead; false when enough waits or nothing is to come. */
  renderAhead(): boolean {
    const current = this.#current;
    if (current === null) return this.#begin();
    if (current.rendering?.step() === true) return true;
    current.request = current.rendering?.finish() ?? null;
    current.rendering = null;
    this.#bytes += current.request?.body?.length ?? 0;
    this.#current = null;
    return true;
  }

  choose(arrival: Arrival): number {
    return this.#takenFor(arrival)?.template ?? this.#renderer.choose(arrival);
  }

  render(arrival: Arrival, template: number): OutboundRequest {
    const ahead = this.#takenFor(arrival);
    this.#taken = null;
    return ahead?.request ?? ahead?.rendering?.finish() ?? this.#renderer.render(arrival, template);
  }

  begin(arrival: Arrival, template: number): Rendering {
    return this.#renderer.begin(arrival, template);
  }

  cellOf(arrival: Arrival, column: number): string {
    return this.#renderer.cellOf(arrival, column);
  }

  #begin(): boolean {
    if (this.#bytes >= this.#bytesMax || this.#waiting.length >= ARRIVALS_MAX) return false;
    const arrival = createArrival();
    if (!this.#stream.next(arrival)) return false;
    const template = this.#renderer.choose(arrival);
    const ahead = { arrival, template, rendering: this.#renderer.begin(arrival, template), request: null };
    this.#waiting.push(ahead);
    this.#current = ahead;
    return true;
  }

  /** What was taken last, if `arrival` is it and not one that follows on another. */
  #takenFor(arrival: Arrival): Ahead | null {
    const taken = this.#taken;
    if (taken === null) return null;
    const { phase, intendedNs, lane, block, rank, index } = taken.arrival;
    const isIt =
      arrival.phase === phase &&
      arrival.intendedNs === intendedNs &&
      arrival.lane === lane &&
      arrival.block === block &&
      arrival.rank === rank &&
      arrival.index === index;
    return isIt ? taken : null;
  }
}
