/**
 * A server inside the worker's own thread that answers everything at once with nothing: what the preheat speaks to, so that no request
 * of it reaches the target (design §6). Not a target to measure: it shares the thread with its client.
 */

import { createServer as createH2Server } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok';
const HEAD_END = '\r\n\r\n';

/** A null target that listens on loopback. */
export interface NullTarget {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a null target for HTTP/1.1, or for HTTP/2 in clear. Rejects where nothing may listen. */
export async function startNullTarget(protocol: 'http/1.1' | 'h2'): Promise<NullTarget> {
  const sockets = new Set<Socket>();
  const server: Server =
    protocol === 'h2'
      ? createH2Server((_request, response) => response.end('ok'))
      : createServer({ noDelay: true }, (socket) => {
          socket.on('data', (bytes) => answerEach(socket, bytes.toString('latin1')));
        });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    // The preheat's client ends connections as it likes.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** One answer per head; the preheat's requests have no body and come whole in one read. */
function answerEach(socket: Socket, text: string): void {
  const heads = text.split(HEAD_END).length - 1;
  if (heads > 0) socket.write(ANSWER.repeat(heads));
}
