/**
 * What of an event is new. Payload behind the end marker is not: the answer is over, and nobody reads it. Nor is an item as a whole whose
 * pieces came before: it repeats them; where none came, it is all that there is (R039). Usage, errors and the like are always new.
 */

import type { PayloadKind, StreamDelta } from './stream-delta.ts';

/** Knows the kinds of payload that came in pieces, of one stream at a time. */
export class NewPayload {
  readonly #pieces = new Set<PayloadKind>();

  /** Makes ready for another stream. */
  reset(): void {
    this.#pieces.clear();
  }

  /** Takes note of a piece of this kind that came as the only thing that an event says, before the end marker. */
  piece(payload: PayloadKind): void {
    this.#pieces.add(payload);
  }

  /** The new ones of what the next event says, in their order. `isOver`: the end marker came before it. */
  of(deltas: readonly StreamDelta[], isOver: boolean): readonly StreamDelta[] {
    const areNew = deltas.map((delta) => this.#isNew(delta, isOver));
    return areNew.includes(false) ? deltas.filter((_, at) => areNew[at]) : deltas;
  }

  #isNew(delta: StreamDelta, isOver: boolean): boolean {
    if (delta.kind !== 'payload') return true;
    if (isOver) return false;
    if (delta.whole === true) return !this.#pieces.has(delta.payload);
    // The name of a call says nothing of how its arguments come.
    if (delta.begins === undefined) this.#pieces.add(delta.payload);
    return true;
  }
}
