/**
 * An agent's worker threads from run to run: a run takes those of the one before where they are as many and all alive, for warm code and
 * open connections are worth more than a clean start. It starts and ends crews; what they work on is not its business.
 */
import { toFleetError } from '../../shared/rpc/rpc-status.ts';
import { raiseStop } from '../lease/lease-cells.ts';
import type { CrewHandlers, StartCrew, WorkerCrew, WorkerThread } from './worker-crew.ts';

export class KeptCrew {
  readonly #start: StartCrew;
  readonly #handlers: CrewHandlers;
  readonly #onNotice: (text: string) => void;
  #crew: WorkerCrew | null = null;
  /** A thread of it died: it serves the present run to its end, but no other. */
  #isWorn = false;

  /** `handlers` hear of the present crew only; `onNotice` of threads that do not end. */
  constructor(start: StartCrew, handlers: CrewHandlers, onNotice: (text: string) => void) {
    this.#start = start;
    this.#handlers = handlers;
    this.#onNotice = onNotice;
  }

  /** Those of the present crew; none where there is no crew. */
  get threads(): readonly WorkerThread[] {
    return this.#crew?.threads ?? [];
  }

  /** The running crew if it is `count` threads and none of them has died, else a new one. */
  take(count: number): readonly WorkerThread[] {
    if (this.#crew !== null && this.#crew.threads.length === count && !this.#isWorn) return this.#crew.threads;
    this.dismiss();
    const crew = this.#start(count, {
      onMessage: (thread, message) => {
        if (this.#crew === crew) this.#handlers.onMessage(thread, message);
      },
      onDeath: (thread, reason) => {
        if (this.#crew === crew) this.#handlers.onDeath(thread, reason);
      },
    });
    this.#crew = crew;
    return crew.threads;
  }

  /** A thread of it is gone: no further run takes it. */
  wear(): void {
    this.#isWorn = true;
  }

  /** Ends it in the background where a thread of it has died. */
  dismissWorn(): void {
    if (this.#isWorn) this.dismiss();
  }

  /** Ends it in the background: the next run gets a new one. */
  dismiss(): void {
    void this.close().catch((thrown: unknown) => {
      this.#onNotice(`worker threads did not end: ${toFleetError(thrown).message}`);
    });
  }

  /** Stops and ends its threads. */
  async close(): Promise<void> {
    const crew = this.#crew;
    this.#crew = null;
    this.#isWorn = false;
    for (const thread of crew?.threads ?? []) raiseStop(thread.cells);
    await crew?.dismiss();
  }
}
