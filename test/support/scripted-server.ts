/** A raw TCP (or unix, or TLS) server whose every answer is written by the test, for faults that no HTTP library would produce. */
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { type TlsOptions, createServer as createTlsServer } from 'node:tls';

/** Gets the text of one request (head and body as far as they came in one read) and the socket to answer on. */
export type Script = (request: string, socket: Socket, requestsOnSocket: number) => void;

export interface ScriptedServer {
  readonly port: number;
  readonly url: string;
  /** Every request text received, in order. */
  readonly requests: string[];
  /** Sockets accepted so far. */
  readonly sockets: Socket[];
  close(): Promise<void>;
}

export interface ScriptedServerOptions {
  readonly host?: string;
  readonly unixPath?: string;
  readonly tls?: TlsOptions;
  readonly port?: number;
}

/** Starts a scripted server on port 0 of loopback (or where the options say). */
export async function startScriptedServer(
  script: Script,
  options: ScriptedServerOptions = {},
): Promise<ScriptedServer> {
  const requests: string[] = [];
  const sockets: Socket[] = [];
  const onSocket = (socket: Socket): void => {
    sockets.push(socket);
    let count = 0;
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      count += 1;
      const text = bytes.toString('latin1');
      requests.push(text);
      script(text, socket, count);
    });
  };
  const server =
    options.tls === undefined ? createServer({ noDelay: true }, onSocket) : createTlsServer(options.tls, onSocket);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (options.unixPath !== undefined) server.listen(options.unixPath, resolve);
    else server.listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve);
  });
  const port = options.unixPath === undefined ? (server.address() as AddressInfo).port : 0;
  const host = options.host?.includes(':') === true ? `[${options.host}]` : (options.host ?? '127.0.0.1');
  return {
    port,
    url: `${options.tls === undefined ? 'http' : 'https'}://${host}:${port}`,
    requests,
    sockets,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
