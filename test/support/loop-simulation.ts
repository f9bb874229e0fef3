/**
 * A worker's event loop in virtual time: a clock that only moves when told, timers, immediates and I/O events in the order in which
 * Node's loop runs them. Nothing sleeps, so hours pass in milliseconds and every run is the same.
 */
import type { TurnScheduler } from '../../agent/worker/pacer.ts';
import type { Clock } from '../../shared/time/monotonic-clock.ts';

interface TimedEvent {
  readonly atNs: number;
  readonly order: number;
  readonly run: () => void;
  cancelled: boolean;
}

export interface LoopSimulationOptions {
  /** Virtual cost of one turn of the loop, ns. */
  readonly turnCostNs?: number;
  /** How late the n-th timer fires, ns. */
  readonly timerErrorNs?: (n: number) => number;
  /** How late the n-th block ends, ns. */
  readonly blockErrorNs?: (n: number) => number;
}

export class LoopSimulation implements Clock, TurnScheduler {
  /** Time spent blocked in the poll, ns. */
  idleNs = 0;
  /** Every delay a timer was set for, ms. */
  readonly timerDelaysMs: number[] = [];
  /** Every block asked for, ns. */
  readonly blocksNs: number[] = [];
  turns = 0;
  #now: number;
  readonly #turnCostNs: number;
  readonly #timerErrorNs: (n: number) => number;
  readonly #blockErrorNs: (n: number) => number;
  #events: TimedEvent[] = [];
  #immediates: (() => void)[] = [];
  #order = 0;

  constructor(startNs: number, options: LoopSimulationOptions = {}) {
    this.#now = startNs;
    this.#turnCostNs = options.turnCostNs ?? 20_000;
    this.#timerErrorNs = options.timerErrorNs ?? (() => 0);
    this.#blockErrorNs = options.blockErrorNs ?? (() => 0);
  }

  nowNs(): number {
    return this.#now;
  }

  /** Time passes while our own code runs. */
  spend(ns: number): void {
    this.#now += ns;
  }

  /** An I/O event that is there at `atNs`; it is seen when the loop polls at or after that. */
  at(atNs: number, run: () => void): () => void {
    const event: TimedEvent = { atNs, order: this.#order++, run, cancelled: false };
    let place = this.#events.length;
    while (place > 0 && (this.#events[place - 1] as TimedEvent).atNs > atNs) place -= 1;
    this.#events.splice(place, 0, event);
    return () => {
      event.cancelled = true;
    };
  }

  soon(turn: () => void): void {
    this.#immediates.push(turn);
  }

  later(turn: () => void, delayMs: number): () => void {
    if (!(delayMs >= 1 && delayMs <= 2 ** 31 - 1)) throw new Error(`a timer of ${delayMs} ms`);
    this.timerDelaysMs.push(delayMs);
    return this.at(this.#now + delayMs * 1e6 + this.#timerErrorNs(this.timerDelaysMs.length), turn);
  }

  block(ns: number): void {
    this.blocksNs.push(ns);
    this.#now += ns + this.#blockErrorNs(this.blocksNs.length);
  }

  /** Runs the loop until nothing is left to do or `untilNs` is reached. */
  run(untilNs: number): void {
    for (;;) {
      this.turns += 1;
      this.#runDueEvents();
      const immediates = this.#immediates;
      this.#immediates = [];
      if (immediates.length > 0) {
        this.#now += this.#turnCostNs;
        for (const immediate of immediates) immediate();
        if (this.#now > untilNs) return;
        continue;
      }
      const next = this.#events.find((event) => !event.cancelled);
      if (next === undefined || next.atNs > untilNs) return;
      if (next.atNs > this.#now) {
        this.idleNs += next.atNs - this.#now;
        this.#now = next.atNs;
      }
    }
  }

  #runDueEvents(): void {
    while (this.#events.length > 0 && (this.#events[0] as TimedEvent).atNs <= this.#now) {
      const event = this.#events.shift() as TimedEvent;
      if (!event.cancelled) event.run();
    }
  }
}
