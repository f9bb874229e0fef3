/**
 * The leanest HTTP/1.1 server Node can be, for calibration and benches, so that the client is what is measured: it finds the end
 * of each request, counts it and answers a fixed 200. It knows no paths, faults, times or identities (see reference-target.ts).
 * Right for pipelined requests, requests split over any reads, bodies by Content-Length, HEAD and `Connection: close`;
 * a request with a chunked body is answered 411 and the connection closed.
 */

import type { Socket } from 'node:net';
import { assertNever } from '../shared/assert-never.ts';
import { parseLoopbackListen } from '../shared/listen-address.ts';
import { LoopbackListener } from './loopback-listener.ts';
import { RequestScanner, type ScannedRequest } from './request-scanner.ts';

/** How the null target answers. */
export interface NullTargetOptions {
  /** `HOST:PORT`, loopback only; port 0 = a free one. Default `127.0.0.1:0`. */
  readonly listen?: string;
  /** Bytes of every body, 0..1,000,000. Default 2. */
  readonly bodyBytes?: number;
}

/** What the null target counts. */
export interface NullTargetCounts {
  /** Requests that arrived in full and were answered. */
  readonly requests: number;
  /** Connections closed because what came was no request this server can read. */
  readonly malformed: number;
  readonly connections: { readonly opened: number; readonly open: number };
}

/** A null target that listens. */
export interface RunningNullTarget {
  /** `http://HOST:PORT`, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  counts(): NullTargetCounts;
  close(): Promise<void>;
}

/**
 * Starts a null target.
 * @throws FleetError code `usage` for an address that is not loopback, `io` when the port cannot be had.
 */
export async function startNullTarget(options: NullTargetOptions = {}): Promise<RunningNullTarget> {
  const target = new NullTarget(options.bodyBytes ?? 2);
  await target.listen(options.listen ?? '127.0.0.1:0');
  return target;
}

/** Answers to up to this many pipelined requests are kept ready as one buffer. */
const READY_ANSWERS = 64;

class NullTarget implements RunningNullTarget {
  readonly #listener = new LoopbackListener(
    (socket) => this.#accept(socket),
    () => undefined,
  );
  readonly #open = new Set<Socket>();
  readonly #headAnswer: Buffer;
  readonly #answers: Buffer[];
  #requests = 0;
  #malformed = 0;
  #opened = 0;

  constructor(bodyBytes: number) {
    const head = `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${bodyBytes}\r\n\r\n`;
    this.#headAnswer = Buffer.from(head);
    const answer = Buffer.concat([this.#headAnswer, Buffer.alloc(bodyBytes, 'x')]);
    const readyAnswers = Math.max(1, Math.min(READY_ANSWERS, Math.floor(1_000_000 / answer.length)));
    this.#answers = Array.from({ length: readyAnswers }, (_, place) =>
      Buffer.concat(new Array<Buffer>(place + 1).fill(answer)),
    );
  }

  get url(): string {
    return this.#listener.url;
  }

  get port(): number {
    return this.#listener.port;
  }

  async listen(address: string): Promise<void> {
    await this.#listener.listen(parseLoopbackListen(address));
  }

  counts(): NullTargetCounts {
    return {
      requests: this.#requests,
      malformed: this.#malformed,
      connections: { opened: this.#opened, open: this.#open.size },
    };
  }

  async close(): Promise<void> {
    await this.#listener.close(() => {
      for (const socket of this.#open) socket.destroy();
    });
  }

  #accept(socket: Socket): void {
    this.#opened++;
    this.#open.add(socket);
    const scanner = new RequestScanner();
    socket.on('data', (bytes: Buffer) => {
      scanner.push(bytes);
      this.#answerAll(socket, scanner);
    });
    // Half-open mode: everything that came before the client's end has been answered by now.
    socket.on('end', () => socket.end());
    socket.on('close', () => this.#open.delete(socket));
    // A client's reset is an ordinary end here; the close event that follows does the books.
    socket.on('error', () => socket.destroy());
  }

  /** Answers all requests that are here, plain ones in a row by one write. */
  #answerAll(socket: Socket, scanner: RequestScanner): void {
    let plain = 0;
    for (;;) {
      const found = scanner.next();
      if (found === 'plain') {
        if (++plain < this.#answers.length) continue;
      }
      if (plain > 0) socket.write(this.#answers[plain - 1] as Buffer);
      this.#requests += plain;
      plain = 0;
      if (found !== 'plain' && !this.#answerOther(socket, found)) return;
    }
  }

  /** Answers what is not a plain request; false when there is nothing more to scan. */
  #answerOther(socket: Socket, found: Exclude<ScannedRequest, 'plain'>): boolean {
    switch (found) {
      case 'head':
        this.#requests++;
        socket.write(this.#headAnswer);
        return true;
      case 'last-plain':
      case 'last-head':
        this.#requests++;
        socket.end(found === 'last-head' ? this.#headAnswer : (this.#answers[0] as Buffer));
        socket.removeAllListeners('data').resume();
        return false;
      case 'chunked-body':
        this.#malformed++;
        socket.end('HTTP/1.1 411 Length Required\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
        socket.removeAllListeners('data').resume();
        return false;
      case 'too-long':
        this.#malformed++;
        socket.destroy();
        return false;
      case 'nothing':
        return false;
      default:
        return assertNever(found);
    }
  }
}
