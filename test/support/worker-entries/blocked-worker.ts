/** A worker thread that is the real one, but whose loop stands still for 200 ms every 2 s: what a stray computation would do. */
import { runWorker as runRealWorker, type WorkerTask } from '../../../agent/worker/worker-main.ts';

const EVERY_MS = 2_000;
const BLOCKED_MS = 200;

/** What `pool.ts` runs. */
export async function runWorker(task: WorkerTask): Promise<void> {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  const blocking = setInterval(() => Atomics.wait(nothing, 0, 0, BLOCKED_MS), EVERY_MS);
  await runRealWorker(task);
  clearInterval(blocking);
}
