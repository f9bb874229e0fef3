/** Opens plain, TLS and unix sockets for our own HTTP/1.1 and HTTP/2, with reads into one buffer per thread. */
import { isIP, type OnReadOpts, type Socket, connect as connectPlain } from 'node:net';
import { checkServerIdentity, type ConnectionOptions, type TLSSocket, connect as connectTls } from 'node:tls';
import type { HandshakeCounts } from './client-gauge.ts';
import { takeReadsDirectly } from './direct-reads.ts';
import { OpeningAttempt } from './opening-attempt.ts';
import { askForTunnel, type Tunnel } from './proxy-tunnel.ts';
import type { AttemptLimits, DialAddress } from './target-address.ts';

/** Bytes one read can bring; larger answers come in more reads. */
const READ_BUFFER_BYTES = 65_536;
/** Shared by all connections of the thread: a read is consumed before the next one begins. */
const readBuffer = new Uint8Array(READ_BUFFER_BYTES);

/** How TLS is done; null fields take the defaults of the URL. */
export interface TlsSettings {
  /** Sent as SNI; empty for none. */
  readonly serverName: string;
  /** Name or address that the certificate must be for, whatever address is dialled. */
  readonly identity: string;
  readonly insecure: boolean;
  readonly protocols: readonly string[];
}

/** TLS settings for a URL host: no server name for an IP literal (R026). */
export function tlsSettingsFor(
  host: string,
  serverName: string | null,
  insecure: boolean,
  protocols: readonly string[],
): TlsSettings {
  // SNI has no trailing dot (RFC 6066 §3).
  const identity = (serverName ?? host).replace(/^\[|\]$|\.$/g, '');
  return { serverName: isIP(identity) === 0 ? identity : '', identity, insecure, protocols };
}

/** Events of one attempt: exactly one of the two comes. `protocol` is what ALPN chose. */
export interface SocketEvents {
  onReady(socket: Socket, protocol: string | null): void;
  onFailed(error: unknown): void;
}

/** Gets the first `length` bytes of each network read; without one the socket reads as Node's do. */
export type OnRead = (bytes: Uint8Array, length: number) => void;

/** What is dialled, as Node's sockets take it. */
type Place = { readonly path: string } | { readonly host: string; readonly port: number };

/** Opens sockets to one origin; keeps its TLS session for resumption until a handshake with it fails. */
export class SocketOpener {
  readonly handshakes: HandshakeCounts = { full: 0, resumed: 0 };
  readonly #tls: TlsSettings | null;
  readonly #tunnel: Tunnel | null;
  #session: Buffer | undefined;
  /** Sockets that are being made. */
  readonly #opening = new Set<Socket>();
  #closed = false;

  /** `tunnel`: the address dialled is that of a proxy, which is asked for one before TLS begins; only with TLS. */
  constructor(tls: TlsSettings | null, tunnel: Tunnel | null = null) {
    this.#tls = tls;
    this.#tunnel = tunnel;
  }

  get encrypted(): boolean {
    return this.#tls !== null;
  }

  /** Starts one attempt; its socket is destroyed when one of the limits passes first (code ETIMEDOUT). */
  open(address: DialAddress, limits: AttemptLimits, onRead: OnRead | null, events: SocketEvents): void {
    const attempt = new OpeningAttempt(limits, this.#opening, (error) => events.onFailed(error));
    const where = address.kind === 'unix' ? { path: address.path } : { host: address.host, port: address.port };
    if (this.#tls === null) this.#openPlain(where, attempt, onRead, events);
    else if (this.#tunnel === null) this.#openTls(where, attempt, onRead, events);
    else this.#openTunnel(where, this.#tunnel, attempt, onRead, events);
    if (this.#closed) this.close();
  }

  /** Ends all attempts, those to come as well: they have failed. */
  close(): void {
    this.#closed = true;
    for (const socket of this.#opening) socket.destroy();
  }

  #openPlain(where: Place, attempt: OpeningAttempt, onRead: OnRead | null, events: SocketEvents): void {
    const socket = connectPlain({ ...where, noDelay: true, ...readingInto(onRead) });
    attempt.watch(socket, 'connect', () => {
      if (!attempt.succeed()) return;
      if (onRead !== null) takeReadsDirectly(socket, (length) => onRead(readBuffer, length));
      events.onReady(socket, null);
    });
  }

  #openTls(where: Place, attempt: OpeningAttempt, onRead: OnRead | null, events: SocketEvents): void {
    const socket = this.#tlsSocket({ ...where, ...readingInto(onRead) });
    socket.once('connect', () => attempt.reached());
    attempt.watch(socket, 'secureConnect', () => {
      if (attempt.succeed()) events.onReady(socket, socket.alpnProtocol || null);
    });
  }

  #openTunnel(
    where: Place,
    tunnel: Tunnel,
    attempt: OpeningAttempt,
    onRead: OnRead | null,
    events: SocketEvents,
  ): void {
    const lower = connectPlain({ ...where, noDelay: true });
    attempt.watch(lower, 'connect', () => {
      attempt.reached();
      askForTunnel(lower, tunnel, (error) => {
        if (error !== null) attempt.fail(error);
        if (attempt.over) return;
        const socket = this.#tlsSocket({ socket: lower });
        attempt.watch(socket, 'secureConnect', () => {
          if (!attempt.succeed()) return;
          // Over a socket that is there Node's TLS does not read into a buffer of ours.
          if (onRead !== null) socket.on('data', (piece: Buffer) => onRead(piece, piece.length));
          events.onReady(socket, socket.alpnProtocol || null);
        });
      });
    });
  }

  #tlsSocket(below: (Place | { readonly socket: Socket }) & { onread?: OnReadOpts }): TLSSocket {
    const tls = this.#tls as TlsSettings;
    const options: ConnectionOptions = {
      ...below,
      ALPNProtocols: [...tls.protocols],
      rejectUnauthorized: !tls.insecure,
      checkServerIdentity: (_dialled, certificate) => checkServerIdentity(tls.identity, certificate),
      ...(tls.serverName === '' ? {} : { servername: tls.serverName }),
      ...(this.#session === undefined ? {} : { session: this.#session }),
    };
    const offered = this.#session;
    const socket = connectTls(options);
    socket.setNoDelay(true);
    // Else a session that the server cannot take up fails every connection to come, while new clients get on.
    const forget = (): void => {
      if (this.#session === offered) this.#session = undefined;
    };
    socket.once('error', forget).once('secureConnect', () => {
      socket.off('error', forget);
      this.handshakes[socket.isSessionReused() ? 'resumed' : 'full'] += 1;
    });
    socket.on('session', (session: Buffer) => {
      this.#session = session;
    });
    return socket;
  }
}

function readingInto(onRead: OnRead | null): { readonly onread?: OnReadOpts } {
  if (onRead === null) return {};
  return {
    onread: {
      buffer: readBuffer,
      callback: (length, bytes) => {
        onRead(bytes, length);
        return true;
      },
    },
  };
}
