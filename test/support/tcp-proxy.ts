/**
 * A loopback proxy that stands for the network: it can stop carrying bytes without closing anything (a frozen peer, a NAT that
 * forgot the connection) and cut all connections.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #targetPort: number;
  #isFrozen = false;

  private constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer((inbound) => {
      const outbound = connect(this.#targetPort, '127.0.0.1');
      for (const [from, to] of [
        [inbound, outbound],
        [outbound, inbound],
      ] as const) {
        this.#sockets.add(from);
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#sockets.delete(from);
          // Not at once: what it carried may still be on its way.
          to.end();
        });
        if (this.#isFrozen) from.unpipe(to).pause();
      }
      this.#pairs.push([inbound, outbound]);
    });
  }

  readonly #pairs: (readonly [Socket, Socket])[] = [];

  /** A proxy in front of `targetPort`. */
  static async start(targetPort: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(targetPort);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** `HOST:PORT` to dial instead of the target. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections open now. */
  get connections(): number {
    return this.#pairs.filter(([inbound]) => !inbound.destroyed).length;
  }

  /** Carries nothing any more, in both directions; new connections are accepted and carry nothing either. */
  freeze(): void {
    this.#isFrozen = true;
    for (const [inbound, outbound] of this.#pairs) {
      inbound.unpipe(outbound).pause();
      outbound.unpipe(inbound).pause();
    }
  }

  /** Carries nothing any more to those who dialled; what they send still arrives. */
  freezeAnswers(): void {
    for (const [inbound, outbound] of this.#pairs) outbound.unpipe(inbound).pause();
  }

  /** Carries on, held bytes first. */
  thaw(): void {
    this.#isFrozen = false;
    for (const [inbound, outbound] of this.#pairs) {
      if (inbound.destroyed || outbound.destroyed) continue;
      inbound.pipe(outbound);
      outbound.pipe(inbound);
    }
  }

  /** New connections go to another port: whoever listened before is gone. Port 1 stands for nobody. */
  retarget(port: number): void {
    this.#targetPort = port;
    this.cut();
  }

  /** Breaks every open connection; new ones are carried. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
