/**
 * Makes the connections of one origin, for any protocol: addresses in rotation, the next one where one fails (R024), names looked up where
 * they are not known. It promises that each attempt ends, ready or failed, and that its books (`ClientCounters`, uses of addresses) hold it.
 * It keeps no connection and decides nothing about how many are made.
 */
import type { Clock } from '../../shared/time/monotonic-clock.ts';
import { isTargetsFailure } from './connect-failure.ts';
import type { ClientCounters } from './protocol-client.ts';
import type { AddressUse, AttemptLimits, DialAddress, TargetAddress } from './target-address.ts';

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
  /** Bound on making one connection, at all addresses that are tried, ns. */
  readonly connectTimeoutNs: number;
  /** For what is remembered of addresses: it does not jump as run time does at a start. */
  readonly steadyClock: Clock;
  readonly counters: ClientCounters;
  /** Connections are replaced to follow their name (`limits.connectionAge`): a lookup under way is waited for. */
  readonly followsName: boolean;
  readonly open: (attempt: Attempt<C>) => void;
  /** A connection is ready; it is not counted in `underWay` any more. */
  readonly onReady: (connection: C) => void;
  /** No address could be connected to, or the name is not known. */
  readonly onFailed: (error: unknown) => void;
}

/** The attempts to connect to one origin. */
export class Dialler<C> {
  readonly #parts: DiallerParts<C>;
  #underWay = 0;
  #isClosed = false;
  #waiters: (() => void)[] = [];

  constructor(parts: DiallerParts<C>) {
    this.#parts = parts;
  }

  /** Attempts that have not ended. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Begins to make one connection. */
  dial(): void {
    this.#underWay += 1;
    this.#attempt(this.#parts.address.attemptsMax, 0);
  }

  /** Ends when no attempt is under way, those that are begun meanwhile included. */
  async settled(): Promise<void> {
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  /** An attempt that fails from now on is not followed by another address. */
  close(): void {
    this.#isClosed = true;
  }

  /** One that fails is followed by the next until `attemptsLeft` are used up. `spentNs` went to those before. */
  #attempt(attemptsLeft: number, spentNs: number): void {
    const { address, steadyClock, followsName } = this.#parts;
    const known = address.nextKnown(steadyClock.nowNs());
    if (known !== null && !(followsName && address.isRenewing)) {
      this.#open(known, attemptsLeft, spentNs);
      return;
    }
    address.next(steadyClock.nowNs()).then(
      (found) => this.#open(found, address.attemptsMax, spentNs),
      (error: unknown) => this.#end(() => this.#parts.onFailed(error)),
    );
  }

  #open(dialled: DialAddress, attemptsLeft: number, spentNs: number): void {
    const { address, connectTimeoutNs, steadyClock, counters, open, onReady, onFailed } = this.#parts;
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
        if (attemptsLeft > 1 && !this.#isClosed) this.#attempt(attemptsLeft - 1, spentNs + nowNs - begunNs);
        else this.#end(() => onFailed(error));
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
