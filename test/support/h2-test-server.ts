/** Node's HTTP/2 server in clear, scripted by the test stream by stream. */
import {
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type IncomingHttpHeaders,
  type ServerOptions,
  createServer,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { keepOpened } from './opened.ts';

type StreamScript = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: string[]) => void;

/** A running server and all that connected to it. */
export interface H2TestServer {
  readonly url: string;
  readonly sessions: ServerHttp2Session[];
  readonly server: Http2Server;
  streams: number;
  close(): Promise<void>;
}

/** Starts a server that gives every stream to `script`; `closeOpened` closes it. */
export async function serve(script: StreamScript, options: ServerOptions = {}): Promise<H2TestServer> {
  const server = createServer(options);
  const sessions: ServerHttp2Session[] = [];
  const running: H2TestServer = {
    url: '',
    sessions,
    server,
    streams: 0,
    close: async () => {
      for (const session of sessions) session.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers, _flags, rawHeaders: string[]) => {
    running.streams += 1;
    stream.on('error', () => undefined);
    script(stream as ServerHttp2Stream, headers, rawHeaders);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  keepOpened(running);
  return Object.assign(running, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

/** A whole answer. */
export function answer(stream: ServerHttp2Stream, body = 'ok'): void {
  stream.respond({ ':status': 200, 'content-length': body.length });
  stream.end(body);
}
