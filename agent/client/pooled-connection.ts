/** What a connection pool, its connections and the requests that it holds know of each other: the same for any HTTP/1.1 client. */
import type { Clock } from '../../shared/time/monotonic-clock.ts';
import type { IdleConnection } from './idle-connections.ts';
import type { ClientCounters, ResponseSink } from './protocol-client.ts';
import type { AnswerKind } from './reuse-rule.ts';

/** A request that the pool holds while it waits. */
export interface PooledExchange {
  readonly sink: ResponseSink;
  /** Ended by `abort` while waiting: the queue passes over it. */
  readonly abandoned: boolean;
}

/** A ready connection. */
export interface PooledConnection<E> extends IdleConnection {
  /** Whether a request may be given to it now; asks `clock` only when that depends on the time. */
  usable(clock: Clock): boolean;
  dispatch(exchange: E): void;
  close(): void;
  /** How its last answer came; `null` before one. */
  readonly answerKind: AnswerKind | null;
}

/** What a connection tells its pool. */
export interface ConnectionOwner<E, C> {
  readonly counters: ClientCounters;
  readonly clock: Clock;
  readonly encrypted: boolean;
  /** The connection can take another request. */
  onIdle(connection: C): void;
  /** The connection is gone for good; a request on it has been ended or follows as unsent. */
  onGone(connection: C): void;
  /** Nothing of this request has left: it goes to another connection, its stamps unchanged. */
  onUnsent(exchange: E): void;
  /** A connection has answered again, behind an answer of `kind`. */
  onReused(kind: AnswerKind): void;
  /** The server closed the connection behind its last answer. */
  onServerClosed(connection: C): void;
}
