/** Settings that every HTTP client of a worker has, whichever protocol it speaks. */
import type { Clock } from '../../shared/time/monotonic-clock.ts';
import type { ResolveAll } from './target-address.ts';

/** Settings of one worker's client. */
export interface ClientOptions {
  /** Base URL of the target: its origin is opened ahead by `prepare`. */
  readonly url: string;
  /** Connections per origin. */
  readonly connectionsMax: number;
  /** Bound on making one connection, ns. */
  readonly connectTimeoutNs: number;
  /** Age at which a connection takes no further request, ns; null = any. */
  readonly connectionAgeNs: number | null;
  /** Host name for SNI and certificate check; null = the URL's host (none for an IP literal). */
  readonly tlsServerName: string | null;
  /** Takes any certificate. */
  readonly insecure: boolean;
  /** Address to dial instead of the URL's `host:port`, or `unix:PATH`; null = the URL's. */
  readonly connectTo: string | null;
  readonly clock: Clock;
  /** What is remembered of addresses is told by this one, which must not jump as run time does at a start; `clock` when absent. */
  readonly steadyClock?: Clock;
  /** For tests; the system's resolver when absent. */
  readonly resolveAll?: ResolveAll;
}
