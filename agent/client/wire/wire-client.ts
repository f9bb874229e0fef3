/**
 * The HTTP/1.1 client of the hot path, behind the pinned client border: own framing on `net` and `tls` sockets, a pool of connections
 * that grows with need up to a limit, requests waiting in order when all are busy. It keeps no timeouts for requests (the dispatcher's
 * deadline governs, R018) but bounds the making of a connection by the same limit.
 */
import { ConnectionPool } from '../connection-pool.ts';
import { BodyDecoding } from '../decoded-body.ts';
import { type ClientGauge, gaugesOfAddresses, gaugesOfHandshakes } from '../client-gauge.ts';
import type { ClientOptions } from '../client-options.ts';
import {
  createClientCounters,
  type ClientCounters,
  type Exchange,
  type OutboundRequest,
  type ProtocolClient,
  type ResponseSink,
} from '../protocol-client.ts';
import { type RequestHead, renderRequestHead, splitUrl } from './request-head.ts';
import { WireExchange } from './wire-exchange.ts';
import { WireConnection } from './wire-connection.ts';
import type { Tunnel } from '../proxy-tunnel.ts';
import { SocketOpener, tlsSettingsFor } from '../socket-opener.ts';
import { type ProxyRoute, routeThrough } from '../proxy-route.ts';
import { resolveBySystem, TargetAddress } from '../target-address.ts';

/** Settings of one worker's wire client. */
export interface WireClientOptions extends ClientOptions {
  /** `direct`, the default, or the URL of a forward proxy. */
  readonly proxy?: string;
}

type WirePool = ConnectionPool<WireExchange, WireConnection>;

interface RenderedTemplate {
  readonly url: string;
  readonly headers: OutboundRequest['headers'];
  readonly bodyLength: number;
  readonly method: string;
  readonly head: RequestHead;
  readonly pool: WirePool;
}

/** HTTP/1.1 over `net` and `tls`. */
export class WireClient implements ProtocolClient {
  readonly name = 'wire http/1.1';
  readonly counters: ClientCounters = createClientCounters();
  private readonly options: WireClientOptions;
  private readonly route: ProxyRoute | null;
  private readonly decoding = new BodyDecoding(this.counters);
  private readonly pools = new Map<string, WirePool>();
  private readonly openers: SocketOpener[] = [];
  private readonly rendered: (RenderedTemplate | undefined)[] = [];

  constructor(options: WireClientOptions) {
    this.options = options;
    this.route = routeThrough(options.proxy ?? 'direct');
  }

  async prepare(connections: number): Promise<void> {
    const pool = this.poolOf(this.options.url);
    if (pool !== null) await pool.openAhead(Math.min(connections, this.options.connectionsMax));
  }

  send(request: OutboundRequest, sink: ResponseSink): Exchange {
    const template = this.rendered[request.template];
    const known =
      template !== undefined &&
      template.url === request.url &&
      template.headers === request.headers &&
      template.method === request.method &&
      template.bodyLength === (request.body?.length ?? 0)
        ? template
        : this.render(request);
    if (known === null) return refuse(sink, 'the URL is no valid http or https URL', this.options.clock.nowNs());
    const exchange = new WireExchange(request, sink, known.head, request.decodes === true ? this.decoding : null);
    known.pool.submit(exchange);
    return exchange;
  }

  get decodingCount(): number {
    return this.decoding.ending.size;
  }

  gauges(): readonly ClientGauge[] {
    return [
      ...gaugesOfAddresses([...this.pools.values()].flatMap((pool) => pool.addressUses)),
      ...gaugesOfHandshakes(this.openers.map(({ handshakes }) => handshakes)),
    ];
  }

  takeWarnings(): readonly string[] {
    return [...this.pools.values(), this.decoding].flatMap((source) => source.takeWarnings());
  }

  close(): Promise<void> {
    for (const pool of this.pools.values()) pool.close();
    for (const opener of this.openers) opener.close();
    this.decoding.close();
    return Promise.resolve();
  }

  private render(request: OutboundRequest): RenderedTemplate | null {
    const parts = splitUrl(request.url);
    const pool = this.poolOf(request.url);
    if (parts === null || pool === null) return null;
    const rendered: RenderedTemplate = {
      url: request.url,
      headers: request.headers,
      method: request.method,
      bodyLength: request.body?.length ?? 0,
      // Inside a tunnel there is no proxy.
      head: renderRequestHead(request, parts, parts.scheme === 'http' ? this.route : null),
      pool,
    };
    this.rendered[request.template] = rendered;
    return rendered;
  }

  private poolOf(url: string): WirePool | null {
    const parts = splitUrl(url);
    if (parts === null) return null;
    const key = `${parts.scheme}://${parts.authority}`;
    let pool = this.pools.get(key);
    if (pool === undefined) {
      if (!URL.canParse(key)) return null;
      pool = this.createPool(key);
      this.pools.set(key, pool);
    }
    return pool;
  }

  private createPool(origin: string): WirePool {
    const { options } = this;
    const url = new URL(origin);
    const tls =
      url.protocol === 'https:'
        ? tlsSettingsFor(url.hostname, options.tlsServerName, options.insecure, ['http/1.1'])
        : null;
    const { route } = this;
    const opener = new SocketOpener(tls, route === null || tls === null ? null : tunnelTo(url, route));
    this.openers.push(opener);
    return new ConnectionPool<WireExchange, WireConnection>({
      connectionsMax: options.connectionsMax,
      connectTimeoutNs: options.connectTimeoutNs,
      connectionAgeNs: options.connectionAgeNs,
      clock: options.clock,
      steadyClock: options.steadyClock ?? options.clock,
      counters: this.counters,
      encrypted: opener.encrypted,
      address: new TargetAddress(url, route?.dial ?? options.connectTo, options.resolveAll ?? resolveBySystem),
      origin,
      open: ({ address, use, limits, events }, owner) => {
        let connection: WireConnection | null = null;
        opener.open(address, limits, (bytes, length) => connection?.takeRead(bytes, length), {
          onReady: (socket) => {
            connection = new WireConnection(owner, socket, use);
            events.onReady(connection);
          },
          onFailed: (error) => events.onFailed(error),
        });
      },
    });
  }
}

/** The tunnel to the origin `url`. */
function tunnelTo(url: URL, { authorization }: ProxyRoute): Tunnel {
  return { authority: `${url.hostname}:${url.port === '' ? '443' : url.port}`, authorization };
}

/** Ends a request that cannot even be tried. */
function refuse(sink: ResponseSink, detail: string, nowNs: number): Exchange {
  sink.onEnd({ kind: 'failed', class: 'generator', status: null, detail }, nowNs);
  return { abort: () => undefined };
}
