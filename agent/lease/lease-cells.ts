/**
 * The lease deadline and the stop flag as the worker threads see them: Int32 cells in shared memory, compared before every
 * release (design §6). Only the main thread writes them. The deadline is run time in tenths of a second, rounded down, so a
 * worker never stops later than its lease.
 */
import { CONTROL_CELLS } from '../worker/worker-messages.ts';

const NS_PER_DECISECOND = 100_000_000;
const INT32_MAX = 2 ** 31 - 1;

/** Clears the flag and withdraws the lease: nothing is released until `writeLease`. */
export function resetCells(cells: Int32Array): void {
  Atomics.store(cells, CONTROL_CELLS.stop, 0);
  Atomics.store(cells, CONTROL_CELLS.leaseDeadlineDeciseconds, -INT32_MAX);
}

/** Publishes the end of the lease. Both instants are on the agent's clock, in ns. */
export function writeLease(cells: Int32Array, deadlineNs: number, t0Ns: number): void {
  const deciseconds = Math.floor((deadlineNs - t0Ns) / NS_PER_DECISECOND);
  const clamped = Math.max(-INT32_MAX, Math.min(INT32_MAX, deciseconds));
  Atomics.store(cells, CONTROL_CELLS.leaseDeadlineDeciseconds, clamped);
}

/** Raises the stop flag: no arrival is released from here on. */
export function raiseStop(cells: Int32Array): void {
  Atomics.store(cells, CONTROL_CELLS.stop, 1);
}
