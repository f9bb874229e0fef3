/** A forward proxy for tests: Node's http server that passes requests on, makes tunnels, and keeps what it was asked. */
import { createServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { keepOpened } from './opened.ts';

/** A running proxy. */
export interface ForwardProxy {
  /** `HOST:PORT`. */
  readonly place: string;
  /** First lines of what it was asked, and the credentials with it. */
  readonly asked: { readonly line: string; readonly authorization: string | null }[];
  close(): Promise<void>;
}

/** Starts one; `answer` is sent to each CONNECT instead of making the tunnel. `closeOpened` closes it. */
export async function startForwardProxy(answer: string | null = null): Promise<ForwardProxy> {
  const sockets = new Set<Socket>();
  const asked: { line: string; authorization: string | null }[] = [];
  const server = createServer((request, response) => {
    const { method, url = '', headers } = request;
    asked.push({ line: `${String(method)} ${url}`, authorization: headers['proxy-authorization'] ?? null });
    const { host, pathname, search } = new URL(url);
    const onward = httpRequest({ host: host.split(':')[0], port: host.split(':')[1], method, path: pathname + search });
    onward.on('response', (got) => {
      response.writeHead(got.statusCode as number, got.headers);
      got.pipe(response);
    });
    onward.end();
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.on('connect', (request, client) => {
    const authorization = request.headers['proxy-authorization'] ?? null;
    asked.push({
      line: `${String(request.method)} ${String(request.url)} ${String(request.headers.host)}`,
      authorization,
    });
    if (answer !== null) {
      client.write(answer);
      return;
    }
    const [host, port] = (request.url as string).split(':') as [string, string];
    const onward = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n');
      client.pipe(onward).pipe(client);
    });
    sockets.add(onward);
    onward.on('error', () => client.destroy());
    client.on('error', () => onward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return keepOpened({
    place: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}
