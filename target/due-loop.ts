/**
 * One wait loop for everything the reference target does later: a heap of due instants, waited for by a coarse timer and then by
 * spinning with setImmediate, so that an answer leaves within microseconds of its instant while one loop serves all requests.
 * While it spins it takes what is left of one core; idle or far from the next instant it costs nothing.
 */

import { BinaryHeap } from '../shared/binary-heap.ts';
import type { Clock } from '../shared/time/monotonic-clock.ts';

/** The platform functions that waiting needs; tests give fakes. */
export interface WaitFunctions {
  setTimeout(callback: () => void, delayMs: number): NodeJS.Timeout;
  clearTimeout(handle: NodeJS.Timeout): void;
  setImmediate(callback: () => void): NodeJS.Immediate;
  clearImmediate(handle: NodeJS.Immediate): void;
}

/** The platform's timer is coarse: it is asked to wake this long before the instant, the rest is spun. */
const SPIN_MARGIN_NS = 1_500_000;

/** The shortest wait of the platform's timer; what is nearer than this and the margin is spun from the start. */
const SHORTEST_TIMER_NS = 1_000_000;

/** Longest single wait of the timer; a later instant is waited for in several steps (R013). */
const MAX_STEP_MS = 1_000_000_000;

/** Most callbacks run in one turn of the event loop, so that a burst of due answers does not stop reads and accepts. */
const MAX_RUNS_PER_TURN = 256;

interface Due {
  readonly dueNs: number;
  /** Order of equal instants: first asked, first run. */
  readonly order: number;
  readonly run: () => void;
}

type Waiting =
  | { readonly kind: 'idle' }
  | { readonly kind: 'timer'; readonly wakeNs: number; readonly handle: NodeJS.Timeout }
  | { readonly kind: 'spin'; readonly handle: NodeJS.Immediate };

/** Runs callbacks at instants of `clock`: never before, and in order of (instant, order of asking). */
export class DueLoop {
  readonly #clock: Clock;
  readonly #wait: WaitFunctions;
  readonly #heap = new BinaryHeap<Due>(isBefore);
  #asked = 0;
  #waiting: Waiting = { kind: 'idle' };

  constructor(clock: Clock, wait: WaitFunctions = globalThis) {
    this.#clock = clock;
    this.#wait = wait;
  }

  /** How many callbacks are still to run. */
  get size(): number {
    return this.#heap.length;
  }

  /** Runs `run` once, at or after `dueNs`; an instant that has passed runs in the next turn of the event loop. */
  at(dueNs: number, run: () => void): void {
    this.#heap.push({ dueNs, order: this.#asked++, run });
    if (this.#waiting.kind === 'spin') return;
    if (this.#waiting.kind === 'timer' && dueNs - SPIN_MARGIN_NS >= this.#waiting.wakeNs) return;
    this.#arm();
  }

  /** Forgets everything that is still to run. */
  close(): void {
    this.#heap.clear();
    this.#stopWaiting();
  }

  readonly #turn = (): void => {
    this.#waiting = { kind: 'idle' };
    for (let runs = 0; runs < MAX_RUNS_PER_TURN; runs++) {
      const first = this.#heap.peek();
      if (first === null || first.dueNs > this.#clock.nowNs()) break;
      this.#heap.take();
      first.run();
    }
    this.#arm();
  };

  #arm(): void {
    this.#stopWaiting();
    const first = this.#heap.peek();
    if (first === null) return;
    const nowNs = this.#clock.nowNs();
    const restNs = first.dueNs - nowNs;
    if (restNs < SPIN_MARGIN_NS + SHORTEST_TIMER_NS) {
      this.#waiting = { kind: 'spin', handle: this.#wait.setImmediate(this.#turn) };
      return;
    }
    const delayMs = Math.min(MAX_STEP_MS, Math.floor((restNs - SPIN_MARGIN_NS) / 1e6));
    const handle = this.#wait.setTimeout(this.#turn, delayMs);
    this.#waiting = { kind: 'timer', wakeNs: nowNs + delayMs * 1e6, handle };
  }

  #stopWaiting(): void {
    if (this.#waiting.kind === 'timer') this.#wait.clearTimeout(this.#waiting.handle);
    if (this.#waiting.kind === 'spin') this.#wait.clearImmediate(this.#waiting.handle);
    this.#waiting = { kind: 'idle' };
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.dueNs < b.dueNs || (a.dueNs === b.dueNs && a.order < b.order);
}
