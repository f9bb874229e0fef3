/**
 * The wait for an address of the resolver, which may never answer: over once, by the address, by the lookup's error, or by a limit (code
 * ETIMEOUT, as Node names it of its own resolver). The lookup itself cannot be ended, and others may wait for it.
 */
import { StallFreeTimer } from './stall-free-timer.ts';
import type { DialAddress } from './target-address.ts';

/** Exactly one of the two comes. */
export interface LookupEvents {
  onFound(address: DialAddress): void;
  onFailed(error: unknown): void;
}

/** Runs from its making on. */
export class LookupWait {
  readonly #events: LookupEvents;
  readonly #timer: StallFreeTimer;
  #over = false;

  /** `limitMs`: how long the answer may take. */
  constructor(lookup: Promise<DialAddress>, limitMs: number, events: LookupEvents) {
    this.#events = events;
    this.#timer = new StallFreeTimer(limitMs, () => this.giveUp());
    lookup.then(
      (address) => {
        if (this.#end()) events.onFound(address);
      },
      (error: unknown) => {
        if (this.#end()) events.onFailed(error);
      },
    );
  }

  /** Ends it as its limit does, unless it is over. */
  giveUp(): void {
    if (this.#end())
      this.#events.onFailed(Object.assign(new Error('the resolver did not answer in time'), { code: 'ETIMEOUT' }));
  }

  #end(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#timer.stop();
    return true;
  }
}
