/**
 * Several arrival streams as one, in time order: the pieces of a grant, or the shares of several workers in a test. The
 * streams must not share an arrival. Made for a few streams: each step looks at all of them.
 */

import { type Arrival, type ArrivalStream, createArrival } from './arrival-stream.ts';

/** The order of a phase's arrivals: (instant, index) for indexed laws, (instant, lane, block, rank) for lanes. */
export function compareArrivals(a: Arrival, b: Arrival): number {
  return (
    a.intendedNs - b.intendedNs ||
    a.phase - b.phase ||
    a.index - b.index ||
    a.lane - b.lane ||
    a.block - b.block ||
    a.rank - b.rank
  );
}

/** The union of `streams`. One stream is passed through unchanged. */
export function mergeStreams(streams: readonly ArrivalStream[]): ArrivalStream {
  const [only] = streams;
  return streams.length === 1 && only !== undefined ? only : new MergedStream(streams);
}

/** A stream that is not exhausted and its next arrival, taken early so that ties can be compared. */
interface Source {
  readonly stream: ArrivalStream;
  readonly head: Arrival;
}

class MergedStream implements ArrivalStream {
  readonly #streams: readonly ArrivalStream[];
  /** The streams that still have arrivals; null until the first arrival is asked for. */
  #sources: Source[] | null = null;

  constructor(streams: readonly ArrivalStream[]) {
    this.#streams = streams;
  }

  peekNs(): number {
    return this.#first()?.head.intendedNs ?? Infinity;
  }

  next(into: Arrival): boolean {
    const source = this.#first();
    if (source === null) return false;
    Object.assign(into, source.head);
    if (!source.stream.next(source.head)) this.#sources = this.#sources?.filter((other) => other !== source) ?? null;
    return true;
  }

  workAhead(): boolean {
    return this.#streams.some((stream) => stream.workAhead());
  }

  #first(): Source | null {
    this.#sources ??= this.#open();
    let first: Source | null = null;
    for (const source of this.#sources) {
      if (first === null || compareArrivals(source.head, first.head) < 0) first = source;
    }
    return first;
  }

  #open(): Source[] {
    const sources: Source[] = [];
    for (const stream of this.#streams) {
      const head = createArrival();
      if (stream.next(head)) sources.push({ stream, head });
    }
    return sources;
  }
}
