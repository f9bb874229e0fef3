/** The worker threads of an agent as its main thread sees them: messages both ways, shared cells, and the end of a thread. */
import type { FromWorker, ToWorker } from '../worker/worker-messages.ts';

/** One worker thread. Threads are numbered 0..n-1 within the agent; slots of the fleet come with each assignment. */
export interface WorkerThread {
  /** Its cells in shared memory, by `CONTROL_CELLS`. */
  readonly cells: Int32Array;
  /** Sends a message; buffers inside are transferred. Does nothing once the thread has ended. */
  post(message: ToWorker): void;
}

/** What a crew tells its owner. */
export interface CrewHandlers {
  onMessage(thread: number, message: FromWorker): void;
  /** The thread is gone without having been told to: `reason` says why. Nothing of it comes after this (R084). */
  onDeath(thread: number, reason: string): void;
}

/** A running set of worker threads. */
export interface WorkerCrew {
  readonly threads: readonly WorkerThread[];
  /** Ends every thread: politely first, by force if that takes too long. No handler is called any more. */
  dismiss(): Promise<void>;
}

/** Starts `count` worker threads. */
export type StartCrew = (count: number, handlers: CrewHandlers) => WorkerCrew;
