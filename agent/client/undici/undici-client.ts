/**
 * The HTTP/1.1 client on undici, behind the pinned client border (design §6). Connections and waits are its pools' business, bytes
 * undici's. The request target is the URL's text (R028), and proxies of the environment are not used (R035).
 */

import { IDENTITY_HEADER } from '../../../shared/schedule/identity-header.ts';
import {
  createClientCounters,
  type ClientCounters,
  type Exchange,
  type OutboundRequest,
  type ProtocolClient,
  type ResponseSink,
} from '../protocol-client.ts';
import { type ClientGauge, gaugesOfAddresses, gaugesOfHandshakes } from '../client-gauge.ts';
import type { ClientOptions } from '../client-options.ts';
import { ConnectionPool } from '../connection-pool.ts';
import { BodyDecoding } from '../decoded-body.ts';
import { SocketOpener, tlsSettingsFor } from '../socket-opener.ts';
import { resolveBySystem, TargetAddress } from '../target-address.ts';
import { splitUrl, type UrlParts, utf8AsLatin1 } from '../wire/request-head.ts';
import { UndiciConnection, UndiciExchange, type UndiciRequest, undiciRequest } from './undici-connection.ts';

type UndiciPool = ConnectionPool<UndiciExchange, UndiciConnection>;

/** What was made for a template's last request, used again while its inputs are the same objects. */
interface Rendered {
  readonly url: string;
  readonly headers: OutboundRequest['headers'];
  readonly body: Uint8Array | null;
  readonly request: UndiciRequest;
  readonly pool: UndiciPool;
}

export class UndiciClient implements ProtocolClient {
  readonly name = 'undici http/1.1';
  readonly counters: ClientCounters = createClientCounters();
  readonly #options: ClientOptions;
  readonly #pools = new Map<string, UndiciPool>();
  readonly #openers: SocketOpener[] = [];
  readonly #rendered: (Rendered | undefined)[] = [];
  readonly #decoding = new BodyDecoding(this.counters);

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  async prepare(connections: number): Promise<void> {
    const parts = splitUrl(this.#options.url);
    if (parts === null) return;
    await this.#poolOf(parts).openAhead(Math.min(connections, this.#options.connectionsMax));
  }

  send(request: OutboundRequest, sink: ResponseSink): Exchange {
    const known = this.#rendered[request.template];
    if (
      known !== undefined &&
      known.url === request.url &&
      known.headers === request.headers &&
      known.body === request.body &&
      request.identity === null
    ) {
      return submit(known.pool, known.request, sink, this.#decodesFor(request));
    }
    return this.#renderAndSend(request, sink);
  }

  get decodingCount(): number {
    return this.#decoding.ending.size;
  }

  gauges(): readonly ClientGauge[] {
    return [
      ...gaugesOfAddresses([...this.#pools.values()].flatMap((pool) => pool.addressUses)),
      ...gaugesOfHandshakes(this.#openers.map(({ handshakes }) => handshakes)),
    ];
  }

  takeWarnings(): readonly string[] {
    return [...this.#pools.values(), this.#decoding].flatMap((source) => source.takeWarnings());
  }

  close(): Promise<void> {
    for (const pool of this.#pools.values()) pool.close();
    for (const opener of this.#openers) opener.close();
    this.#decoding.close();
    return Promise.resolve();
  }

  #renderAndSend(request: OutboundRequest, sink: ResponseSink): Exchange {
    const parts = splitUrl(request.url);
    if (parts === null || !URL.canParse(originOf(parts))) {
      const detail = 'the URL is no valid http or https URL';
      sink.onEnd({ kind: 'failed', class: 'generator', status: null, detail }, this.#options.clock.nowNs());
      return { abort: () => undefined };
    }
    const pool = this.#poolOf(parts);
    const rendered = undiciRequest(request, utf8AsLatin1(parts.requestTarget), headersOf(request, parts));
    const { url, headers, body } = request;
    if (request.identity === null) this.#rendered[request.template] = { url, headers, body, request: rendered, pool };
    return submit(pool, rendered, sink, this.#decodesFor(request));
  }

  #decodesFor(request: OutboundRequest): BodyDecoding | null {
    return request.decodes === true ? this.#decoding : null;
  }

  #poolOf(parts: UrlParts): UndiciPool {
    const origin = originOf(parts);
    const known = this.#pools.get(origin);
    if (known !== undefined) return known;
    const { connectionsMax, connectTimeoutNs, clock, connectTo, tlsServerName, insecure, resolveAll } = this.#options;
    const url = new URL(origin);
    const tls = url.protocol === 'https:' ? tlsSettingsFor(url.hostname, tlsServerName, insecure, ['http/1.1']) : null;
    const opener = new SocketOpener(tls);
    this.#openers.push(opener);
    const pool: UndiciPool = new ConnectionPool<UndiciExchange, UndiciConnection>({
      connectionsMax,
      connectTimeoutNs,
      connectionAgeNs: this.#options.connectionAgeNs,
      clock,
      steadyClock: this.#options.steadyClock ?? clock,
      counters: this.counters,
      encrypted: opener.encrypted,
      address: new TargetAddress(url, connectTo, resolveAll ?? resolveBySystem),
      origin,
      open: ({ address, use, limits, events }, owner) => {
        opener.open(address, limits, null, {
          onReady: (socket) => events.onReady(new UndiciConnection(owner, socket, use)),
          onFailed: (error) => events.onFailed(error),
        });
      },
    });
    this.#pools.set(origin, pool);
    return pool;
  }
}

function originOf({ scheme, authority }: UrlParts): string {
  return `${scheme}://${authority}`;
}

/** Names and values in turn: Host first unless the plan sets it, then the plan's own, then the identity. */
function headersOf(request: OutboundRequest, parts: UrlParts): string[] {
  const headers: string[] = [];
  if (!request.headers.some(([name]) => name.toLowerCase() === 'host')) headers.push('host', parts.authority);
  for (const [name, value] of request.headers) headers.push(name, utf8AsLatin1(value));
  if (request.identity !== null) headers.push(IDENTITY_HEADER, request.identity);
  return headers;
}

function submit(
  pool: UndiciPool,
  request: UndiciRequest,
  sink: ResponseSink,
  decodesFor: BodyDecoding | null,
): Exchange {
  const exchange = new UndiciExchange(request, sink, decodesFor);
  pool.submit(exchange);
  return exchange;
}
