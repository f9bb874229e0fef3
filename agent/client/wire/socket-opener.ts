/** Opens plain, TLS and unix sockets for the wire client, with reads into one buffer per thread. */
import { isIP, type OnReadOpts, type Socket, connect as connectPlain } from 'node:net';
import { type ConnectionOptions, type TLSSocket, connect as connectTls } from 'node:tls';
import type { DialAddress } from './target-address.ts';

/** Bytes one read can bring; larger answers come in more reads. */
const READ_BUFFER_BYTES = 65_536;
/** Shared by all connections of the thread: a read is consumed before the next one begins. */
const readBuffer = new Uint8Array(READ_BUFFER_BYTES);

/** How TLS is done; null fields take the defaults of the URL. */
export interface TlsSettings {
  readonly serverName: string;
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
  return { serverName: serverName ?? (isIP(host.replace(/^\[|\]$/g, '')) === 0 ? host : ''), insecure, protocols };
}

/** Events of one attempt: exactly one of onReady and onFailed, then onRead while it lives. */
export interface SocketEvents {
  onReady(socket: Socket, protocol: string | null): void;
  onFailed(error: unknown): void;
  onRead(bytes: Uint8Array, length: number): void;
}

/** Opens sockets to one origin; keeps its TLS session for resumption. */
export class SocketOpener {
  private readonly tls: TlsSettings | null;
  private session: Buffer | undefined;

  constructor(tls: TlsSettings | null) {
    this.tls = tls;
  }

  get encrypted(): boolean {
    return this.tls !== null;
  }

  /** Starts one attempt; the socket is destroyed when `timeoutMs` passes first (code ETIMEDOUT). */
  open(address: DialAddress, timeoutMs: number, events: SocketEvents): Socket {
    const onread: OnReadOpts = {
      buffer: readBuffer,
      callback: (length, bytes) => {
        events.onRead(bytes, length);
        return true;
      },
    };
    const where = address.kind === 'unix' ? { path: address.path } : { host: address.host, port: address.port };
    const socket = this.tls === null ? connectPlain({ ...where, noDelay: true, onread }) : this.openTls(where, onread);
    let settled = false;
    const settle = (): boolean => {
      if (settled) return false;
      settled = true;
      clearTimeout(timer);
      socket.off('error', onError);
      return true;
    };
    const onError = (error: unknown): void => {
      if (settle()) events.onFailed(error);
    };
    const timer = setTimeout(
      () => {
        if (!settle()) return;
        socket.on('error', ignoreLateError);
        socket.destroy();
        events.onFailed(Object.assign(new Error('connection not ready in time'), { code: 'ETIMEDOUT' }));
      },
      Math.min(timeoutMs, 2 ** 31 - 1),
    );
    socket.on('error', onError);
    socket.once(this.tls === null ? 'connect' : 'secureConnect', () => {
      if (!settle()) return;
      const protocol = this.tls === null ? null : (socket as TLSSocket).alpnProtocol || null;
      events.onReady(socket, protocol === null ? null : String(protocol));
    });
    socket.once('close', () => {
      if (settle()) events.onFailed(Object.assign(new Error('closed while connecting'), { code: 'ECONNRESET' }));
    });
    return socket;
  }

  private openTls(where: { path: string } | { host: string; port: number }, onread: OnReadOpts): TLSSocket {
    const tls = this.tls as TlsSettings;
    const options: ConnectionOptions & { onread: OnReadOpts } = {
      ...where,
      onread,
      ALPNProtocols: [...tls.protocols],
      rejectUnauthorized: !tls.insecure,
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

/** An attempt that was given up may still report an error; it has been accounted for. */
function ignoreLateError(): void {
  return undefined;
}
