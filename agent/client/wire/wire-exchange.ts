/** One request inside the wire client, from `send` to its end: waiting for a connection, or on one. */
import { type Outcome, withStatus } from '../../../shared/metrics/outcome.ts';
import type { BodyDecoding, DecodedBody, DecodingExchange } from '../decoded-body.ts';
import type { Exchange, OutboundRequest, ResponseSink } from '../protocol-client.ts';
import type { RequestHead } from './request-head.ts';

/** What a request rides on, as far as the request must know it. */
interface Carrier {
  /** Gives up the request that is on it. */
  abandon(): void;
}

/** A request in the client's hands. */
export class WireExchange implements Exchange, DecodingExchange {
  readonly request: OutboundRequest;
  sink: ResponseSink;
  decoding: DecodedBody | null = null;
  readonly decodesFor: BodyDecoding | null;
  readonly head: RequestHead;
  connection: Carrier | null = null;
  status: number | null = null;
  /** True once `abort` ended it while it was waiting: the queue passes over it. */
  abandoned = false;

  constructor(request: OutboundRequest, sink: ResponseSink, head: RequestHead, decodesFor: BodyDecoding | null = null) {
    this.request = request;
    this.sink = sink;
    this.head = head;
    this.decodesFor = decodesFor;
  }

  abort(outcome: Outcome, tNs: number): void {
    if (this.decoding?.giveUp() === true) return;
    this.abandoned = true;
    this.connection?.abandon();
    this.sink.onEnd(withStatus(outcome, this.status), tNs);
  }
}
