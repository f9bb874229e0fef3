/**
 * The connections of one origin that carry no request. They are used in turn, so that load spreads over all of them, over all addresses
 * (R024) and over whatever stands behind one address; which one answers faster plays no part. Those that must rest behind their answer
 * first (`reuse-rule.ts`) stand apart.
 */
import type { Clock } from '../../shared/time/monotonic-clock.ts';
import { Fifo } from './fifo.ts';
import { REST_NS } from './reuse-rule.ts';

/** What is asked of a connection here. */
export interface IdleConnection {
  /** Run time at which its last answer ended, ns; valid once there was one. */
  readonly answeredNs: number;
}

export class IdleConnections<C extends IdleConnection> {
  readonly #inTurn = new Fifo<C>();
  /** The longest first. */
  readonly #resting = new Fifo<C>();

  /** Whether none can be taken; where it is false, what there is may turn out to be closed. */
  get isEmpty(): boolean {
    return this.#inTurn.length === 0;
  }

  /** Puts in what can be used at once. */
  put(connection: C): void {
    this.#inTurn.push(connection);
  }

  /** Puts in what must rest behind its answer first. */
  rest(connection: C): void {
    this.#resting.push(connection);
  }

  /** The next one in turn; null when none is idle. `clock` is asked where some rest. */
  take(clock: Clock): C | null {
    if (this.#resting.length > 0) this.#endRests(clock.nowNs() - REST_NS);
    return this.#inTurn.shift();
  }

  /** The one that rests the longest; null when none does. */
  takeResting(): C | null {
    return this.#resting.shift();
  }

  #endRests(untilNs: number): void {
    for (let next = this.#resting.peek(); next !== null && next.answeredNs <= untilNs; next = this.#resting.peek()) {
      this.#resting.shift();
      this.#inTurn.push(next);
    }
  }
}
