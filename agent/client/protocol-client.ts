/**
 * The pinned border between the dispatcher and a protocol (design §6): one client per worker, many requests at once.
 * All instants are run time in ns from T0, read from the worker's clock by whoever first sees the event.
 */
import type { ClientGauge } from './client-gauge.ts';
import type { Outcome } from '../../shared/metrics/outcome.ts';

/** A request ready to go: everything that does not depend on an answer is fixed. */
export interface OutboundRequest {
  /** Position in `Plan.requests`; clients may keep pre-rendered bytes by it. */
  readonly template: number;
  readonly method: string;
  /** Absolute URL, data values filled in. */
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | null;
  /** Value of the `loadfleet-id` header, or null when the plan does not identify. */
  readonly identity: string | null;
  /** Output tokens that the answer must have; null or left out = not known. */
  readonly exactTokens?: number | null;
  /** Whether a body with a Content-Encoding is decoded (R030); left out = no. */
  readonly decodes?: boolean;
}

/**
 * Why a request waits inside the client before its first byte leaves. `queue`: others hold all the connections that there may be;
 * `connect`: there may be one more, which is made unless another is free before; `stream`: no free stream.
 */
export type WaitKind = 'queue' | 'connect' | 'stream';

/**
 * Receives the events of one request, in this order: onWait* onSend? onFirstByte? onBytes* onEnd. `onEnd` comes exactly once, always
 * (also after `abort`), and nothing follows it. No method throws.
 */
export interface ResponseSink {
  /** From `tNs` on the request waits for `kind` (ends the previous wait); optional detail, not called when it goes at once. */
  onWait(kind: WaitKind, tNs: number): void;
  /** First request byte handed to a ready socket or stream. */
  onSend(tNs: number): void;
  /** First byte of the (final) response. */
  onFirstByte(tNs: number): void;
  /** False when `onBytes` has no effect: the client need not call it. Fixed for the life of a request. */
  readonly wantsBytes: boolean;
  /** A piece of the body as it came off the wire; valid only during the call. */
  onBytes(chunk: Uint8Array, tNs: number): void;
  /** Last byte that belongs to the answer, or the failure. */
  onEnd(outcome: Outcome, tNs: number): void;
}

/** One request in flight. */
export interface Exchange {
  /** Gives up: the sink's onEnd follows synchronously with `outcome`, and the status if it had come. The connection is not reused. */
  abort(outcome: Outcome, tNs: number): void;
}

/** Counters a client keeps; read at each hand-over. */
export interface ClientCounters {
  connectionsTried: number;
  connectionsOpened: number;
  /** Closed by us because of their age. */
  connectionsRetired: number;
  bytesSent: number;
  bytesReceived: number;
  /** Of bodies with a Content-Encoding, after decoding. */
  bytesDecoded: number;
  retries: number;
}

/** Counters of a client that has done nothing yet. */
export function createClientCounters(): ClientCounters {
  return {
    connectionsTried: 0,
    connectionsOpened: 0,
    connectionsRetired: 0,
    bytesSent: 0,
    bytesReceived: 0,
    bytesDecoded: 0,
    retries: 0,
  };
}

/** A protocol client of one worker. */
export interface ProtocolClient {
  /** How the report names it, e.g. `undici http/1.1`. */
  readonly name: string;
  readonly counters: ClientCounters;
  /** Requests whose answers are here to the last byte, and have not ended because their bodies are still being decoded. */
  readonly decodingCount: number;
  /**
   * Resolves names and opens `connections` ahead of T0; ends when each is ready or has failed. A target that cannot be reached is no error
   * here: requests will tell. Whoever does not want to wait so long goes on without it.
   */
  prepare(connections: number): Promise<void>;
  /** Sends or queues one request. Never throws for anything the target or network does. */
  send(request: OutboundRequest, sink: ResponseSink): Exchange;
  /** Figures for the report beyond the counters; cheap, called once a second. */
  gauges(): readonly ClientGauge[];
  /** What the readers of the report must know of it, since the last call. */
  takeWarnings(): readonly string[];
  /** Closes all connections. Requests that have not ended have failed by it, as have those that are sent from then on: `CLIENT_CLOSED`. */
  close(): Promise<void>;
}

/** How requests end that a closed client still has, or gets. */
export const CLIENT_CLOSED: Outcome & { readonly kind: 'failed' } = {
  kind: 'failed',
  class: 'generator',
  status: null,
  detail: 'the client is closed',
};
