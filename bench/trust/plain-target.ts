/**
 * A target that answers every request a fixed time after it came, by the platform's timer: late by a millisecond, but it leaves the
 * cores to the fleet, where the reference target spins for its exactness. For counting alarms, not for known service times.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A target that listens on loopback. */
export interface PlainTarget {
  /** `http://HOST:PORT`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts one that answers after `serviceMs`. */
export async function startPlainTarget(serviceMs: number): Promise<PlainTarget> {
  // No limit of the server's own may end a connection.
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (_, response) => {
    setTimeout(() => {
      response.writeHead(200, { 'content-length': 2 });
      response.end('ok');
    }, serviceMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
