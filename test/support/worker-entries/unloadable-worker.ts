/** A worker thread's entry that cannot be loaded, as with a broken installation. */
import type { WorkerTask } from '../../../agent/worker/worker-main.ts';

/** Never called: the file throws while it is loaded. */
export function runWorker(_task: WorkerTask): void {
  throw new Error('called although it was not loaded');
}

throw new Error('this entry cannot be loaded');
