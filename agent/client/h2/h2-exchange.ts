/** One request inside the HTTP/2 client, from `send` to its end: waiting for a stream, on one, or moved to another connection. */
import type { ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import { type Outcome, withStatus } from '../../../shared/metrics/outcome.ts';
import type { Exchange, OutboundRequest, ResponseSink } from '../protocol-client.ts';

/** What a request rides on, as far as the request must know it. */
interface Carrier {
  /** Gives up the request that is on it. */
  abandon(exchange: H2Exchange): void;
}

/** A request in the client's hands. */
export class H2Exchange implements Exchange {
  readonly request: OutboundRequest;
  readonly sink: ResponseSink;
  readonly headers: OutgoingHttpHeaders;
  stream: ClientHttp2Stream | null = null;
  carrier: Carrier | null = null;
  status: number | null = null;
  /** From the answer's Content-Length; null when it has none. */
  declaredBytes: number | null = null;
  receivedBytes = 0;
  /** True from the first `onSend` on; a moved request keeps its first send. */
  sent = false;
  /** When it was given to its present connection; valid while it has a stream. */
  dispatchedNs = 0;
  /** Its connection had answered others before and carried nothing when it was sent (R016). */
  onReusedIdle = false;
  /** How often a server refused it unprocessed, so that it went to another connection (R021). */
  moves = 0;
  /** True once its end was told; what its stream still says is not heard. */
  ended = false;

  constructor(request: OutboundRequest, sink: ResponseSink, headers: OutgoingHttpHeaders) {
    this.request = request;
    this.sink = sink;
    this.headers = headers;
  }

  /** Tells the sink its end, once. */
  end(outcome: Outcome, tNs: number): void {
    if (this.ended) return;
    this.ended = true;
    this.sink.onEnd(outcome, tNs);
  }

  abort(outcome: Outcome, tNs: number): void {
    this.end(withStatus(outcome, this.status), tNs);
    this.carrier?.abandon(this);
  }
}
