/**
 * Entry of a worker thread: the one endless task that the pool gives it. It wires the thread's real clock, timers and client to
 * `WorkerThread` and ends when it is told to. Nothing else happens in this file.
 */

import { performance } from 'node:perf_hooks';
import type { MessagePort } from 'node:worker_threads';
import { hostClock } from '../../shared/time/monotonic-clock.ts';
import { moveTo } from '../session/core-affinity.ts';
import { createClient } from '../client/client-factory.ts';
import { GcPauses } from './gc-pauses.ts';
import { platformScheduler } from './pacer.ts';
import type { ToWorker } from './worker-messages.ts';
import { WorkerThread } from './worker-thread.ts';

/** What the pool hands to the task. */
export interface WorkerTask {
  readonly port: MessagePort;
  readonly cells: Int32Array;
  /** The core that the thread has to itself; null leaves it to the system. */
  readonly core: number | null;
}

/** Runs until the message `exit` has been carried out. */
export async function runWorker({ port, cells, core }: WorkerTask): Promise<void> {
  if (core !== null) moveTo(core);
  await new Promise<void>((resolve) => {
    const pauses = new GcPauses();
    const thread = new WorkerThread({
      cells,
      hostClock,
      scheduler: platformScheduler,
      readIdleNs: () => performance.nodeTiming.idleTime * 1e6,
      takeGcPauses: () => pauses.take(),
      createClient,
      post: (message, transfer) => port.postMessage(message, [...transfer]),
      onExit: resolve,
    });
    port.on('message', (message: ToWorker) => thread.receive(message));
  });
  port.close();
}
