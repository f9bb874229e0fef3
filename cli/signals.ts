/**
 * What Ctrl-C, SIGTERM and a terminal that goes away (SIGHUP, taken as SIGTERM) mean (R100): the first asks for a graceful end (arrivals
 * stop, short drain, full report); the second cuts the drain short and, if the process is not gone within a second, ends it; a third ends
 * it at once. The exit code says interrupted on every path. Pure logic over injected events and timers.
 */

import type { StopRequests } from '../coordinator/run/stop-requests.ts';
import { exitCodeOfSignal, type StopSignalName } from './exit-code.ts';

/** From the second signal to the forced end, ms: within the second that is promised. */
export const LEAVE_WITHIN_MS = 900;
/** It is waited out in steps, so that a loop that was blocked still gets turns in which to write what exists. */
export const LEAVE_STEP_MS = 100;
/** Longest that a result already being written may hold the process after that, ms: a busy disk, not a hang. */
export const WRITING_HOLD_MS = 5_000;

/** What the logic needs of the process. */
export interface SignalHost {
  /** Calls `listener` for each signal; gives back how to stop listening. */
  listen(listener: (signal: StopSignalName) => void): () => void;
  /** Runs `callback` once after `delayMs`, without keeping the process alive. */
  after(delayMs: number, callback: () => void): void;
  /** Ends the process now. */
  leave(exitCode: number): void;
}

/** Signals of one run of the command line. */
export class Signals implements StopRequests {
  readonly #host: SignalHost;
  readonly #subscribers = new Set<(signal: StopSignalName) => void>();
  readonly #unlisten: () => void;
  #first: StopSignalName | null = null;
  #count = 0;
  #writing = false;

  constructor(host: SignalHost) {
    this.#host = host;
    this.#unlisten = host.listen((signal) => this.#receive(signal));
  }

  /** The first signal that came, or null. It decides the exit code. */
  get first(): StopSignalName | null {
    return this.#first;
  }

  /** Calls `stop` for each signal, at once for those that came before: a run that starts late must still stop. */
  subscribe(stop: (signal: StopSignalName) => void): () => void {
    this.#subscribers.add(stop);
    if (this.#first !== null) for (let each = 0; each < this.#count; each += 1) stop(this.#first);
    return () => this.#subscribers.delete(stop);
  }

  /** Does `write`; a second signal's forced end waits for it, within a limit. A third signal does not. */
  async whileWriting<T>(write: () => Promise<T>): Promise<T> {
    this.#writing = true;
    try {
      return await write();
    } finally {
      this.#writing = false;
    }
  }

  /** Stops listening: the default of the platform holds again. */
  close(): void {
    this.#unlisten();
    this.#subscribers.clear();
  }

  #receive(signal: StopSignalName): void {
    this.#count += 1;
    this.#first ??= signal;
    const exitCode = exitCodeOfSignal(this.#first);
    if (this.#count === 2) this.#leaveAfter(0, exitCode);
    if (this.#count > 2) {
      this.#host.leave(exitCode);
      return;
    }
    // A second one of another kind changes neither the exit code nor what the report says.
    for (const stop of this.#subscribers) stop(this.#first);
  }

  #leaveAfter(waitedMs: number, exitCode: number): void {
    const limitMs = this.#writing ? LEAVE_WITHIN_MS + WRITING_HOLD_MS : LEAVE_WITHIN_MS;
    if (waitedMs >= limitMs) this.#host.leave(exitCode);
    else this.#host.after(LEAVE_STEP_MS, () => this.#leaveAfter(waitedMs + LEAVE_STEP_MS, exitCode));
  }
}

/** The real process. */
export const processSignals: SignalHost = {
  listen: (listener) => {
    const onInterrupt = (): void => listener('SIGINT');
    const onTerminate = (): void => listener('SIGTERM');
    process.on('SIGINT', onInterrupt);
    process.on('SIGTERM', onTerminate);
    // The system and the shell both tell of it, so a second one means nothing: neither to us nor, once we stop listening, to the platform.
    let isHungUp = false;
    const onHangUp = (): void => {
      if (isHungUp) return;
      isHungUp = true;
      onTerminate();
    };
    process.on('SIGHUP', onHangUp);
    return () => {
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onTerminate);
      if (!isHungUp) process.off('SIGHUP', onHangUp);
    };
  },
  after: (delayMs, callback) => {
    setTimeout(callback, delayMs).unref();
  },
  leave: (exitCode) => process.exit(exitCode),
};
