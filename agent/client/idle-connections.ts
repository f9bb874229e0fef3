/**
 * The connections of one origin that carry no request. They are used in turn, so that load spreads over all of them, over all addresses
 * (R024) and over whatever stands behind one address. Of many the first 64 are regular, and the others, which a hiccup left, are used, in
 * turn too, while no regular one is idle: a request on a connection that has gone cold costs twice as much, and a worker that took a
 * thousand in turn would not get over the hiccup. Which connections are regular has nothing to do with how fast they answer. Those that
 * must rest behind their answer first (`reuse-rule.ts`) stand apart.
 */
import type { Clock } from '../../shared/time/monotonic-clock.ts';
import { Fifo } from './fifo.ts';
import { REST_NS } from './reuse-rule.ts';

/** Regular connections. */
const REGULAR_MAX = 64;

/** What is asked of a connection here. */
export interface IdleConnection {
  /** Run time at which its last answer ended, ns; valid once there was one. */
  readonly answeredNs: number;
  /** Whether it has a place among the regular ones; false at first, and only written here. */
  isRegular: boolean;
}

/** Those of one origin; what is put in must be open. */
export class IdleConnections<C extends IdleConnection> {
  #regular = 0;
  readonly #idleRegular = new Fifo<C>();
  readonly #idleOthers = new Fifo<C>();
  /** The longest first. */
  readonly #resting = new Set<C>();

  /** Whether none can be taken; where it is false, what there is may turn out to be closed. */
  get isEmpty(): boolean {
    return this.#idleRegular.length === 0 && this.#idleOthers.length === 0;
  }

  /** Whether some rest. */
  get someRest(): boolean {
    return this.#resting.size > 0;
  }

  /** Puts in what can be used at once. */
  put(connection: C): void {
    if (!connection.isRegular && this.#regular < REGULAR_MAX) {
      connection.isRegular = true;
      this.#regular += 1;
    }
    if (connection.isRegular) this.#idleRegular.push(connection);
    else this.#idleOthers.push(connection);
  }

  /** `connection` is closed; another may be regular in its place. */
  forget(connection: C): void {
    if (connection.isRegular) this.#regular -= 1;
    connection.isRegular = false;
    this.#resting.delete(connection);
  }

  /** Puts in what must rest behind its answer first. */
  rest(connection: C): void {
    this.#resting.add(connection);
  }

  /** The next one in turn; null when none is idle. `clock` is asked where some rest. */
  take(clock: Clock): C | null {
    if (this.someRest) this.#endRests(clock.nowNs() - REST_NS);
    return this.#idleRegular.shift() ?? this.#idleOthers.shift();
  }

  /** The one that rests the longest; null when none does. */
  takeResting(): C | null {
    for (const longest of this.#resting) {
      this.#resting.delete(longest);
      return longest;
    }
    return null;
  }

  #endRests(untilNs: number): void {
    for (const next of this.#resting) {
      if (next.answeredNs > untilNs) return;
      this.#resting.delete(next);
      this.put(next);
    }
  }
}
