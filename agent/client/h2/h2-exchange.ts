/** One request inside the HTTP/2 client, from `send` to its end: waiting for a stream, on one, or moved to another connection. */
import { type Outcome, withStatus } from '../../../shared/metrics/outcome.ts';
import type { BodyDecoding, DecodedBody, DecodingExchange } from '../decoded-body.ts';
import type { Exchange, OutboundRequest, ResponseSink } from '../protocol-client.ts';
import { GrpcMessages } from './grpc-messages.ts';

/** What a request rides on, as far as the request must know it. */
interface Carrier {
  /** Gives up the request that is on it. */
  abandon(exchange: H2Exchange): void;
}

/** A request in the client's hands. */
export class H2Exchange implements Exchange, DecodingExchange {
  readonly request: OutboundRequest;
  sink: ResponseSink;
  decoding: DecodedBody | null = null;
  readonly decodesFor: BodyDecoding | null;
  /** Its header block, a latin1 text. */
  readonly block: string;
  /** While it has a stream: its id and connection. */
  streamId = 0;
  carrier: Carrier | null = null;
  /** Of the final answer; null until it came. */
  status: number | null = null;
  /** From the answer's content-length; null when it has none. */
  declaredBytes: number | null = null;
  receivedBytes = 0;
  /** Of a gRPC call, whose answer must end with a status of gRPC, too; null for other requests. */
  readonly messages: GrpcMessages | null;
  /** From the answer's trailers, or from its head where that is all of it; null until it came. */
  grpcStatus: number | null = null;
  /** True from the first `onSend` on; a moved request keeps its first send. */
  sent = false;
  /** When it left on its present connection; -Infinity before. */
  dispatchedNs = -Infinity;
  /** How often a server refused it, but for GOAWAYs on connections that took other requests (R021). */
  moves = 0;
  /** True once its end was told; what its stream still says is not heard. */
  ended = false;

  constructor(
    request: OutboundRequest,
    sink: ResponseSink,
    block: string,
    isGrpc: boolean,
    decodesFor: BodyDecoding | null = null,
  ) {
    this.request = request;
    this.sink = sink;
    this.block = block;
    this.messages = isGrpc ? new GrpcMessages() : null;
    this.decodesFor = decodesFor;
  }

  /** Tells the sink its end, once. */
  end(outcome: Outcome, tNs: number): void {
    if (this.ended) return;
    this.ended = true;
    this.sink.onEnd(outcome, tNs);
  }

  abort(outcome: Outcome, tNs: number): void {
    if (this.decoding?.giveUp() === true) return;
    this.end(withStatus(outcome, this.status), tNs);
    this.carrier?.abandon(this);
  }
}
