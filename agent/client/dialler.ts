/**
 * Makes the connections of one origin, for any protocol: addresses in rotation, the next one where one fails (R024), names looked up where
 * they are not known. It promises that each attempt ends, ready or failed, and that its books (`ClientCounters`, uses of addresses) hold it.
 * It keeps no connection and decides nothing about how many are made.
 */
import type { Clock } from '../../shared/time/monotonic-clock.ts';
import { isTargetsFailure } from './connect-failure.ts';
import { LookupWait } from './lookup-wait.ts';
import type { ClientCounters } from './protocol-client.ts';
import {
  type AddressUse,
  type AttemptLimits,
  type DialAddress,
  RENEWAL_WAIT_NS,
  type TargetAddress,
} from './target-address.ts';

/** Exactly one of the two comes for each address that is tried. */
export interface AttemptEvents<C> {
  onReady(connection: C): void;
  onFailed(error: unknown): void;
}

/** An attempt to make a connection. */
export interface Attempt<C> {
  readonly address: DialAddress;
  readonly use: AddressUse;
  readonly limits: AttemptLimits;
  readonly events: AttemptEvents<C>;
}

export interface DiallerParts<C> {
  readonly address: TargetAddress;
  /** Bound on making one connection: its lookup, and all addresses that are tried, ns. */
  readonly connectTimeoutNs: number;
  /** For what is remembered of addresses: it does not jump as run time does at a start. */
  readonly steadyClock: Clock;
  readonly counters: ClientCounters;
  /** Connections are replaced to follow their name (`limits.connectionAge`): a lookup under way is waited for. */
  readonly followsName: boolean;
  readonly open: (attempt: Attempt<C>) => void;
  /** A connection is ready; it is not counted in `underWay` any more. */
  readonly onReady: (connection: C) => void;
  /** No address could be connected to, or the name is not known; `order` is what `dial` was given. */
  readonly onFailed: (error: unknown, order: number) => void;
}

/** A connection that is being made. */
interface Dial {
  readonly order: number;
  /** Addresses that may be tried yet, this one included. */
  readonly attemptsLeft: number;
  /** What went to the lookup and to the addresses before. */
  readonly spentNs: number;
}

/** The attempts to connect to one origin. */
export class Dialler<C> {
  readonly #parts: DiallerParts<C>;
  #underWay = 0;
  #isClosed = false;
  readonly #lookups = new Set<LookupWait>();
  #waiters: (() => void)[] = [];

  constructor(parts: DiallerParts<C>) {
    this.#parts = parts;
  }

  /** Attempts that have not ended. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Begins to make one connection. `order` comes back with its failure: who it was begun for. */
  dial(order = 0): void {
    this.#underWay += 1;
    this.#attempt({ order, attemptsLeft: this.#parts.address.attemptsMax, spentNs: 0 });
  }

  /** Ends when no attempt is under way, those that are begun meanwhile included. */
  async settled(): Promise<void> {
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  /** An attempt that fails from now on is not followed by another address, and no lookup is waited for. */
  close(): void {
    this.#isClosed = true;
    for (const wait of [...this.#lookups]) wait.giveUp();
  }

  /** One that fails is followed by the next until `attemptsLeft` are used up. */
  #attempt(dial: Dial): void {
    const { address, steadyClock, followsName, connectTimeoutNs } = this.#parts;
    const nowNs = steadyClock.nowNs();
    const known = address.nextKnown(nowNs);
    if (known === null) this.#lookUp(dial, Math.max(0, connectTimeoutNs - dial.spentNs));
    else if (followsName && address.isRenewing(nowNs)) this.#lookUp(dial, Math.min(RENEWAL_WAIT_NS, connectTimeoutNs));
    else this.#open(known, dial);
  }

  /** Waits `limitNs` at most for the resolver. */
  #lookUp(dial: Dial, limitNs: number): void {
    const { address, steadyClock, onFailed } = this.#parts;
    const begunNs = steadyClock.nowNs();
    const open = (found: DialAddress): void => {
      const spentNs = dial.spentNs + steadyClock.nowNs() - begunNs;
      this.#open(found, { ...dial, attemptsLeft: address.attemptsMax, spentNs });
    };
    const wait = new LookupWait(address.next(begunNs), limitNs / 1e6, {
      onFound: (found) => {
        this.#lookups.delete(wait);
        open(found);
      },
      onFailed: (error) => {
        this.#lookups.delete(wait);
        // Where only a renewal hangs, the older answer is used.
        const known = this.#isClosed ? null : address.nextKnown(steadyClock.nowNs());
        if (known === null) this.#end(() => onFailed(error, dial.order));
        else open(known);
      },
    });
    this.#lookups.add(wait);
  }

  #open(dialled: DialAddress, dial: Dial): void {
    const { address, connectTimeoutNs, steadyClock, counters, open, onReady, onFailed } = this.#parts;
    const { order, attemptsLeft, spentNs } = dial;
    const use = address.useOf(dialled);
    counters.connectionsTried += 1;
    const begunNs = steadyClock.nowNs();
    const limits = address.attemptLimits(dialled, connectTimeoutNs, spentNs, attemptsLeft, begunNs);
    const events: AttemptEvents<C> = {
      onReady: (connection) => {
        use.connections += 1;
        counters.connectionsOpened += 1;
        address.markAlive(dialled);
        this.#end(() => onReady(connection));
      },
      onFailed: (error) => {
        const nowNs = steadyClock.nowNs();
        if (isTargetsFailure(error)) address.markDead(dialled, nowNs);
        if (attemptsLeft > 1 && !this.#isClosed)
          this.#attempt({ order, attemptsLeft: attemptsLeft - 1, spentNs: spentNs + nowNs - begunNs });
        else this.#end(() => onFailed(error, order));
      },
    };
    open({ address: dialled, use, limits, events });
  }

  #end(tell: () => void): void {
    this.#underWay -= 1;
    tell();
    if (this.#underWay > 0) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }
}
