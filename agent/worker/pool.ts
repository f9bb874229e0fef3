/**
 * The worker threads of an agent: one piscina task per thread, which ends only when it is told to (design §6). Messages go over a port
 * of our own, so piscina carries nothing but the start and the end of a thread. A thread that dies in any way is reported once, after
 * everything it had sent (R084). Tasks are never aborted: that would kill the thread and its histograms.
 */

import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { CrewHandlers, StartCrew, WorkerCrew, WorkerThread } from '../session/worker-crew.ts';
import type { WorkerTask } from './worker-main.ts';
import { CONTROL_CELLS, type FromWorker, type ToWorker } from './worker-messages.ts';

/** How long a thread may take to end by itself once it is told to, ms. */
const EXIT_PATIENCE_MS = 2_000;

export interface WorkerPoolOptions {
  /** The file each thread runs; it exports `runWorker`. Tests give their own. */
  readonly entry?: URL;
  /** A core for each thread; null or absent leaves them to the system. */
  readonly cores?: readonly number[] | null;
  /** Memory bounds of a thread; see docs/adr for the young generation's. */
  readonly resourceLimits?: { readonly maxYoungGenerationSizeMb?: number; readonly maxOldGenerationSizeMb?: number };
}

/** The entry that ships: beside this file, with this file's own suffix (`.ts` in a checkout, `.js` when built). */
function defaultEntry(): URL {
  const suffix = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  return new URL(`./worker-main${suffix}`, import.meta.url);
}

/** How worker threads are started; the agent's session is given this function. */
export function createStartCrew(options: WorkerPoolOptions = {}): StartCrew {
  return (count, handlers) => new PiscinaCrew(count, handlers, options);
}

class PiscinaCrew implements WorkerCrew {
  readonly threads: readonly CrewThread[];
  readonly #pool: Piscina<WorkerTask, void>;

  constructor(count: number, handlers: CrewHandlers, options: WorkerPoolOptions) {
    this.#pool = new Piscina<WorkerTask, void>({
      // Threads come with the tasks, and a dead one is not replaced.
      minThreads: 0,
      maxThreads: Math.max(1, count),
      concurrentTasksPerWorker: 1,
      idleTimeout: Infinity,
      // The default would freeze a thread's timers and sockets whenever no task runs on it.
      atomics: 'disabled',
      recordTiming: false,
      ...(options.resourceLimits === undefined ? {} : { resourceLimits: options.resourceLimits }),
    });
    // Errors reach us through the tasks; without a listener the pool's own report of them would end the process.
    this.#pool.on('error', () => undefined);
    // Named with each task, not with the pool: what fails to load then fails its task. The pool would load it before any task is
    // there to fail, and the threads would be waited for in vain.
    const file = { filename: fileURLToPath(options.entry ?? defaultEntry()), name: 'runWorker' };
    const cores = options.cores ?? null;
    this.threads = Array.from(
      { length: count },
      (_unused, index) => new CrewThread(this.#pool, file, index, cores?.[index] ?? null, handlers),
    );
  }

  async dismiss(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.dismiss()));
    await this.#pool.destroy();
  }
}

class CrewThread implements WorkerThread {
  readonly cells = new Int32Array(new SharedArrayBuffer(CONTROL_CELLS.length * Int32Array.BYTES_PER_ELEMENT));
  readonly #port: MessagePort;
  readonly #index: number;
  readonly #handlers: CrewHandlers;
  readonly #ended: Promise<void>;
  #state: 'alive' | 'dismissed' | 'dead' = 'alive';

  constructor(
    pool: Piscina<WorkerTask, void>,
    file: { readonly filename: string; readonly name: string },
    index: number,
    core: number | null,
    handlers: CrewHandlers,
  ) {
    this.#index = index;
    this.#handlers = handlers;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on('message', (message: FromWorker) => this.#receive(message));
    const task: WorkerTask = { port: port2, cells: this.cells, core };
    this.#ended = pool.run(task, { ...file, transferList: transferListOf(port2) }).then(
      () => this.#onEnd('the thread ended by itself'),
      (error: unknown) => this.#onEnd(reasonOf(error)),
    );
  }

  post(message: ToWorker): void {
    if (this.#state !== 'alive') return;
    this.#port.postMessage(message, message.kind === 'recycle' ? transferOf(message) : []);
  }

  /** Ends the thread; by force, with the pool, if it takes too long. */
  async dismiss(): Promise<void> {
    this.post({ kind: 'exit' });
    this.#state = 'dismissed';
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, EXIT_PATIENCE_MS);
    });
    await Promise.race([this.#ended, patience]);
    clearTimeout(timer);
    this.#port.close();
  }

  #receive(message: FromWorker): void {
    if (this.#state === 'alive') this.#handlers.onMessage(this.#index, message);
  }

  #onEnd(reason: string): void {
    if (this.#state !== 'alive') return;
    // What the thread sent before it died is still in the port.
    for (let item = receiveMessageOnPort(this.#port); item !== undefined; item = receiveMessageOnPort(this.#port)) {
      this.#receive(item.message as FromWorker);
    }
    this.#state = 'dead';
    this.#port.close();
    this.#handlers.onDeath(this.#index, reason);
  }
}

type RunOptions = NonNullable<Parameters<Piscina['run']>[1]>;

/** piscina's type for the list comes out wrong (it infers it from the last overload of postMessage); a list is what it passes on. */
function transferListOf(port: MessagePort): NonNullable<RunOptions['transferList']> {
  return [port] as unknown as NonNullable<RunOptions['transferList']>;
}

function transferOf(message: Extract<ToWorker, { kind: 'recycle' }>): ArrayBuffer[] {
  return message.blocks.flatMap((block) => [block.counts.buffer, block.touched.buffer]);
}

/** What killed a thread, in words. */
function reasonOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}
