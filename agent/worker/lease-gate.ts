/**
 * The two things that can forbid a release, in shared memory that the agent's main thread writes: the stop flag and the lease
 * deadline (design §6, §8). Asked before every release, so a worker whose main thread is stuck still stops by itself.
 */

import { CONTROL_CELLS } from './worker-messages.ts';

const NS_PER_DECISECOND = 100_000_000;

/** What the cells say about a release. `lapsed`: not now; it may be allowed again when the lease is renewed. */
export type Permission = 'granted' | 'stopped' | 'lapsed';

export class LeaseGate {
  readonly #cells: Int32Array;

  constructor(cells: Int32Array) {
    this.#cells = cells;
  }

  /** May an arrival be released at run time `nowNs`? */
  permission(nowNs: number): Permission {
    if (Atomics.load(this.#cells, CONTROL_CELLS.stop) !== 0) return 'stopped';
    const deadlineNs = Atomics.load(this.#cells, CONTROL_CELLS.leaseDeadlineDeciseconds) * NS_PER_DECISECOND;
    return nowNs < deadlineNs ? 'granted' : 'lapsed';
  }
}
