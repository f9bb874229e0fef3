/**
 * Books what the client counts of no single request (bytes, connections) for the phase and window in which it was counted. A client's
 * counters have no time with them, so they are read where a window or a phase ends. What was counted before `begin` is in no book.
 */
import type { CounterName } from '../../shared/metrics/counters.ts';
import { WINDOW_NS, windowOf } from '../../shared/metrics/window.ts';
import type { Phase } from '../../shared/plan/plan.ts';
import type { ClientCounters } from '../client/protocol-client.ts';

/** Counters of the client, by the name they have in the books. */
const COUNTER_NAMES: readonly (readonly [keyof ClientCounters, CounterName])[] = [
  ['connectionsTried', 'connections-tried'],
  ['connectionsOpened', 'connections-opened'],
  ['connectionsRetired', 'connections-retired'],
  ['bytesSent', 'bytes-sent'],
  ['bytesReceived', 'bytes-received'],
  ['bytesDecoded', 'bytes-decoded'],
  ['retries', 'retries'],
];

/** Adds `by` to a book of `phase`, for the window of run time `tNs`. */
export type CountTraffic = (phase: number, tNs: number, counter: CounterName, by: number) => void;

export class ClientTraffic {
  readonly #counters: ClientCounters;
  readonly #phases: readonly Pick<Phase, 'startNs'>[];
  readonly #count: CountTraffic;
  #seen: ClientCounters;
  #phase = 0;
  /** Run time from which on nothing is booked. */
  #fromNs = 0;
  #edgeNs = 0;

  constructor(counters: ClientCounters, phases: readonly Pick<Phase, 'startNs'>[], count: CountTraffic) {
    this.#counters = counters;
    this.#phases = phases;
    this.#count = count;
    this.#seen = { ...counters };
    this.#goTo(0);
  }

  /** Run time at which the next window or phase begins, ns: `book` is to be called then. */
  get edgeNs(): number {
    return this.#edgeNs;
  }

  /** The trial begins. */
  begin(): void {
    this.#seen = { ...this.#counters };
  }

  /** Books what was counted since the last call for the phase and window of that call. `nowNs`: run time. */
  book(nowNs: number): void {
    for (const [name, counter] of COUNTER_NAMES) {
      const value = this.#counters[name];
      if (value > this.#seen[name]) this.#count(this.#phase, this.#fromNs, counter, value - this.#seen[name]);
      this.#seen[name] = value;
    }
    this.#goTo(Math.max(0, nowNs));
  }

  #goTo(nowNs: number): void {
    this.#fromNs = nowNs;
    while (this.#startOf(this.#phase + 1) <= nowNs) this.#phase += 1;
    this.#edgeNs = Math.min((windowOf(nowNs) + 1) * WINDOW_NS, this.#startOf(this.#phase + 1));
  }

  #startOf(phase: number): number {
    return this.#phases[phase]?.startNs ?? Infinity;
  }
}
