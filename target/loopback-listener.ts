/**
 * The listening socket of a target: loopback only, and able to close and open again on the same port while its connections
 * live on, which a server of node:http cannot do.
 */

import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { FleetError } from '../shared/fleet-error.ts';
import { isLoopbackHost, type ListenAddress } from '../shared/listen-address.ts';

/** Connections that may wait to be accepted; a fleet opens thousands at once (the system may cap it lower). */
const BACKLOG = 4_096;

/** Accepts connections on one port of this host. */
export class LoopbackListener {
  readonly #onConnection: (socket: Socket) => void;
  readonly #log: (line: string) => void;
  #server: Server | null = null;
  #address: ListenAddress = { host: '', port: 0 };

  /** @param onConnection gets every connection, in half-open mode and without Nagle's delay. */
  constructor(onConnection: (socket: Socket) => void, log: (line: string) => void) {
    this.#onConnection = onConnection;
    this.#log = log;
  }

  get port(): number {
    return this.#address.port;
  }

  get url(): string {
    const { host, port } = this.#address;
    return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  /** Starts to listen. @throws FleetError code `io` when the address cannot be had. */
  async listen(address: ListenAddress): Promise<void> {
    if (!isLoopbackHost(address.host))
      throw new FleetError('usage', `listen: ${address.host} is not a loopback address`);
    const server = createServer({ allowHalfOpen: true, noDelay: true }, this.#onConnection);
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause) => {
        reject(
          new FleetError('io', `listen: ${address.host}:${address.port} cannot be had: ${cause.message}`, { cause }),
        );
      });
      server.listen({ host: address.host, port: address.port, backlog: BACKLOG }, resolve);
    });
    this.#server = server;
    this.#address = { host: address.host, port: (server.address() as AddressInfo).port };
  }

  /** Closes the listening socket only: new connections are refused from now on. */
  suspend(): void {
    this.#server?.close();
    this.#server = null;
  }

  /** Listens again on the same port; a failure is logged, as nobody waits for it. */
  resume(): void {
    if (this.#server !== null) return;
    this.listen(this.#address).catch((error: unknown) => this.#log(`cannot listen again: ${String(error)}`));
  }

  /** Stops listening, lets `endConnections` end what is open, and waits until all is closed. */
  async close(endConnections: () => void): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) {
      endConnections();
      return;
    }
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      endConnections();
    });
  }
}
