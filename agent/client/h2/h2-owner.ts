/** What an HTTP/2 connection, `C`, tells its pool, and needs of it. */
import type { ClientCounters } from '../protocol-client.ts';
import type { H2Exchange } from './h2-exchange.ts';
import type { OutputTurn } from './output-turn.ts';

/** The pool of a connection that is ready, or was. */
export interface H2ConnectionOwner<C> {
  readonly counters: ClientCounters;
  readonly encrypted: boolean;
  readonly turn: OutputTurn;
  nowNs(): number;
  /** A stream became free, or more of them are allowed. */
  onFree(connection: C): void;
  /** The connection takes no more requests; it is there until its last stream has ended. */
  onLeaving(connection: C): void;
  /** A connection that was leaving is closed. */
  onClosed(connection: C): void;
  /**
   * The server did not process this request, as it said by `words`: it may go to another connection. `tookOthers`: this connection was not
   * made in vain.
   */
  onRefused(exchange: H2Exchange, tookOthers: boolean, words: string): void;
}

/** How the making of a connection ended: exactly one of the two comes. */
export interface Handshake<C> {
  /** The server's SETTINGS are here. */
  onReady(connection: C): void;
  onFailed(error: unknown): void;
}
