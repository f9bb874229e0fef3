/** Requests as the HTTP/2 client sends them, rendered once for each template while its inputs are the same. Those of one origin only. */
import { grpcKindOf } from '../../../shared/plan/grpc-type.ts';
import type { OutboundRequest } from '../protocol-client.ts';
import { splitUrl, type UrlParts } from '../wire/request-head.ts';
import { renderRequestBlock } from './request-block.ts';

/** What is the same for all requests of a template. */
export interface RenderedRequest {
  readonly request: OutboundRequest;
  /** Its header block but for the identity, a latin1 text. */
  readonly block: string;
  /** Whether its answer must end with a status of gRPC. */
  readonly isGrpc: boolean;
}

/** One per client. */
export class RenderedRequests {
  private readonly origin: URL;
  private readonly anyAuthority: boolean;
  private readonly rendered: (RenderedRequest | undefined)[] = [];

  /** `anyAuthority`: a target with an address of its own to dial may be called by any name. */
  constructor(origin: URL, anyAuthority: boolean) {
    this.origin = origin;
    this.anyAuthority = anyAuthority;
  }

  /** `request` rendered, or null when its URL leads elsewhere. */
  of(request: OutboundRequest): RenderedRequest | null {
    const known = this.rendered[request.template];
    if (
      known !== undefined &&
      known.request.url === request.url &&
      known.request.headers === request.headers &&
      known.request.method === request.method &&
      known.request.body?.length === request.body?.length
    )
      return known;
    const parts = splitUrl(request.url);
    if (parts === null || !this.isOfOrigin(parts)) return null;
    const rendered = {
      request,
      block: renderRequestBlock(request, parts),
      isGrpc: grpcKindOf(request.headers) === 'grpc',
    };
    this.rendered[request.template] = rendered;
    return rendered;
  }

  private isOfOrigin({ scheme, authority }: UrlParts): boolean {
    if (`${scheme}:` !== this.origin.protocol) return false;
    if (this.anyAuthority) return true;
    return URL.parse(`${scheme}://${authority}`)?.origin === this.origin.origin;
  }
}
