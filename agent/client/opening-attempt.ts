/** One attempt to open a connection: over once, by success, by an error of one of its sockets, or by its limits (code ETIMEDOUT). */
import type { Socket } from 'node:net';
import { StallFreeTimer } from './stall-free-timer.ts';
import type { AttemptLimits } from './target-address.ts';

/** Runs from its making on. */
export class OpeningAttempt {
  /** The sockets of the attempt, a lower one first. */
  readonly #sockets: Socket[] = [];
  readonly #opening: Set<Socket>;
  readonly #onFailed: (error: unknown) => void;
  readonly #ready: StallFreeTimer;
  readonly #reach: StallFreeTimer | null;
  #over = false;

  /** `opening` holds the sockets of all attempts that are not over; `onFailed` is told of the end unless that is a success. */
  constructor(limits: AttemptLimits, opening: Set<Socket>, onFailed: (error: unknown) => void) {
    this.#opening = opening;
    this.#onFailed = onFailed;
    this.#ready = new StallFreeTimer(limits.readyNs / 1e6, this.#giveUp);
    this.#reach = limits.reachNs < limits.readyNs ? new StallFreeTimer(limits.reachNs / 1e6, this.#giveUp) : null;
  }

  get over(): boolean {
    return this.#over;
  }

  /** `socket` is one of the attempt; `onReady` follows on its event `isReady`. */
  watch(socket: Socket, isReady: 'connect' | 'secureConnect', onReady: () => void): void {
    this.#sockets.push(socket);
    this.#opening.add(socket);
    socket.on('error', this.#onError);
    socket.once(isReady, onReady);
    socket.once('close', () => {
      if (this.#end()) this.#onFailed(Object.assign(new Error('closed while connecting'), { code: 'ECONNRESET' }));
    });
  }

  /** The other side is there: what is left is bounded by the limit for being ready. */
  reached(): void {
    this.#reach?.stop();
  }

  /** It ends well, with the last socket. False when it was over. */
  succeed(): boolean {
    if (!this.#end()) return false;
    // What becomes of a lower socket is told by the one above.
    for (const socket of this.#sockets.slice(0, -1)) socket.on('error', ignoreLateError);
    return true;
  }

  /** It failed by `error`, which no socket has said. */
  fail(error: Error): void {
    if (!this.#end()) return;
    for (const socket of this.#sockets) {
      socket.on('error', ignoreLateError);
      socket.destroy();
    }
    this.#onFailed(error);
  }

  #end(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#ready.stop();
    this.#reach?.stop();
    for (const socket of this.#sockets) {
      this.#opening.delete(socket);
      socket.off('error', this.#onError);
    }
    return true;
  }

  readonly #onError = (error: unknown): void => {
    if (this.#end()) this.#onFailed(error);
  };

  readonly #giveUp = (): void => {
    this.fail(Object.assign(new Error('connection not ready in time'), { code: 'ETIMEDOUT' }));
  };
}

/** An attempt that was given up may still report an error; it has been accounted for. */
function ignoreLateError(): void {
  return undefined;
}
