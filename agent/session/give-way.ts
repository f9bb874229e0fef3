/**
 * Lets threads of this process give way to others, by the nice level that each thread has on Linux. For machines where housekeeping
 * (merging, reporting, the garbage collector's helpers) has to share a core with worker threads: with equal claims to it, housekeeping
 * takes the core from a worker for milliseconds at a time. It cannot be taken back without a privilege, and a thread or process that is
 * started by one that gives way gives way as well: start the others first.
 */
import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** The strongest nice level there is. */
export const NICE_MAX = 19;

/** True where threads have nice levels of their own; elsewhere they belong to the process, and its workers would give way too. */
export const canGiveWay = process.platform === 'linux';

/** The threads that this process has now, by the system's numbers; empty where threads cannot give way. */
export function threadsOfProcess(): readonly number[] {
  return canGiveWay ? readdirSync('/proc/self/task').map(Number) : [];
}

/** Sets `threads` to the nice level `nice` (0..19); those that have ended, or give way further already, are left alone. */
export function giveWay(threads: readonly number[], nice: number): void {
  for (const thread of threads) {
    try {
      if (getPriority(thread) < nice) setPriority(thread, nice);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}

function isGone(error: unknown): boolean {
  const { info } = error as { readonly info?: { readonly code?: string } };
  return info?.code === 'ESRCH';
}
