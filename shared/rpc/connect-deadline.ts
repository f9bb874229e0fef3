/**
 * An end for calls whose connection never comes about: the library waits without limit for a peer that takes the connection and says
 * nothing (a frozen process, a forwarder whose other end is gone), and its keep-alive begins only behind the peer's first word (R083).
 */
import { type Client, connectivityState } from '@grpc/grpc-js';
import { FleetError } from '../fleet-error.ts';
import { type LongTimer, startLongTimer } from '../time/long-timer.ts';

/** How long a peer may take to say its first word, ms. */
export const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Calls `giveUp` with a `lost` error that begins with `what` when `client` has no connection after `timeoutMs`; from then on the keep-alive
 * watches it. The caller cancels it when its call has ended.
 */
export function startConnectDeadline(
  client: Client,
  what: string,
  timeoutMs: number,
  giveUp: (error: FleetError) => void,
): LongTimer {
  return startLongTimer(() => {
    if (client.getChannel().getConnectivityState(false) === connectivityState.READY) return;
    giveUp(new FleetError('lost', `${what}: no connection within ${timeoutMs} ms`));
  }, timeoutMs);
}
