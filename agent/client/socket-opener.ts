/** Opens plain, TLS and unix sockets for our own HTTP/1.1 and HTTP/2, with reads into one buffer per thread. */
import { isIP, type OnReadOpts, type Socket, connect as connectPlain } from 'node:net';
import { checkServerIdentity, type ConnectionOptions, type TLSSocket, connect as connectTls } from 'node:tls';
import { takeReadsDirectly } from './direct-reads.ts';
import { StallFreeTimer } from './stall-free-timer.ts';
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

/** Opens sockets to one origin; keeps its TLS session for resumption. */
export class SocketOpener {
  private readonly tls: TlsSettings | null;
  private session: Buffer | undefined;
  /** Sockets that are being made. */
  private readonly opening = new Set<Socket>();
  private closed = false;

  constructor(tls: TlsSettings | null) {
    this.tls = tls;
  }

  get encrypted(): boolean {
    return this.tls !== null;
  }

  /** Starts one attempt; the socket is destroyed when one of the limits passes first (code ETIMEDOUT). */
  open(address: DialAddress, limits: AttemptLimits, onRead: OnRead | null, events: SocketEvents): Socket {
    const reading = onRead === null ? {} : { onread: readInto(onRead) };
    const where = address.kind === 'unix' ? { path: address.path } : { host: address.host, port: address.port };
    const socket =
      this.tls === null
        ? connectPlain({ ...where, noDelay: true, ...reading })
        : this.openTls({ ...where, ...reading });
    let settled = false;
    const settle = (): boolean => {
      if (settled) return false;
      settled = true;
      this.opening.delete(socket);
      ready.stop();
      reach?.stop();
      socket.off('error', onError);
      return true;
    };
    const onError = (error: unknown): void => {
      if (settle()) events.onFailed(error);
    };
    const giveUp = (): void => {
      if (!settle()) return;
      socket.on('error', ignoreLateError);
      socket.destroy();
      events.onFailed(Object.assign(new Error('connection not ready in time'), { code: 'ETIMEDOUT' }));
    };
    const ready = new StallFreeTimer(limits.readyNs / 1e6, giveUp);
    const reach = limits.reachNs < limits.readyNs ? new StallFreeTimer(limits.reachNs / 1e6, giveUp) : null;
    if (reach !== null) socket.once('connect', () => reach.stop());
    socket.on('error', onError);
    socket.once(this.tls === null ? 'connect' : 'secureConnect', () => {
      if (!settle()) return;
      if (this.tls === null && onRead !== null) takeReadsDirectly(socket, (length) => onRead(readBuffer, length));
      const protocol = this.tls === null ? null : (socket as TLSSocket).alpnProtocol || null;
      events.onReady(socket, protocol);
    });
    socket.once('close', () => {
      if (settle()) events.onFailed(Object.assign(new Error('closed while connecting'), { code: 'ECONNRESET' }));
    });
    this.opening.add(socket);
    if (this.closed) socket.destroy();
    return socket;
  }

  /** Ends all attempts, those to come as well: they have failed. */
  close(): void {
    this.closed = true;
    for (const socket of this.opening) socket.destroy();
  }

  private openTls(where: ({ path: string } | { host: string; port: number }) & { onread?: OnReadOpts }): TLSSocket {
    const tls = this.tls as TlsSettings;
    const options: ConnectionOptions = {
      ...where,
      ALPNProtocols: [...tls.protocols],
      rejectUnauthorized: !tls.insecure,
      checkServerIdentity: (_dialled, certificate) => checkServerIdentity(tls.identity, certificate),
      ...(tls.serverName === '' ? {} : { servername: tls.serverName }),
      ...(this.session === undefined ? {} : { session: this.session }),
    };
    const socket = connectTls(options);
    socket.setNoDelay(true);
    socket.on('session', (session: Buffer) => {
      this.session = session;
    });
    return socket;
  }
}

function readInto(onRead: OnRead): OnReadOpts {
  return {
    buffer: readBuffer,
    callback: (length, bytes) => {
      onRead(bytes, length);
      return true;
    },
  };
}

/** An attempt that was given up may still report an error; it has been accounted for. */
function ignoreLateError(): void {
  return undefined;
}
