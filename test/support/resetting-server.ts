/** An HTTP/2 server that begins to answer every call and then resets its stream with code 0, as some proxies do (R083). */
import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';

export interface ResettingServer {
  /** `HOST:PORT`. */
  readonly address: string;
  close(): void;
}

export async function startResettingServer(): Promise<ResettingServer> {
  const server = createServer();
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
    setTimeout(() => stream.close(0), 20);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, close: () => server.close() };
}
