/**
 * The connections of the reference target: counted, their bytes added up, idle ones closed when a fault asks for it.
 * A connection that only ever carried admin requests is in no count.
 */

import type { Socket } from 'node:net';
import { type LongTimer, startLongTimer } from '../shared/time/long-timer.ts';
import type { IdleCloseFault } from './fault.ts';
import type { TargetCounts } from './target-counts.ts';

interface Connection {
  /** False only while it has carried nothing but admin requests. */
  counts: boolean;
  /** Requests so far that count. */
  requests: number;
  openRequests: number;
  idleTimer: LongTimer | null;
}

/** All connections since the start. */
export class ConnectionBook {
  readonly #open = new Map<Socket, Connection>();
  #opened = 0;
  #closed = 0;
  #receivedBytes = 0;
  #sentBytes = 0;
  #idleClose: IdleCloseFault | null = null;
  readonly #onIdleClose: () => void;

  /** @param onIdleClose called each time an idle connection is closed by the fault. */
  constructor(onIdleClose: () => void) {
    this.#onIdleClose = onIdleClose;
  }

  /** Counts a new connection until it closes. */
  add(socket: Socket): void {
    const connection: Connection = { counts: true, requests: 0, openRequests: 0, idleTimer: null };
    this.#open.set(socket, connection);
    this.#opened++;
    socket.once('close', () => {
      this.#open.delete(socket);
      connection.idleTimer?.cancel();
      if (!connection.counts) return;
      this.#closed++;
      this.#receivedBytes += socket.bytesRead;
      this.#sentBytes += socket.bytesWritten;
    });
    this.#watchIdle(socket, connection);
  }

  /** A request has come on this connection. */
  requestBegins(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.requests++;
    connection.openRequests++;
    connection.idleTimer?.cancel();
    connection.idleTimer = null;
    if (connection.counts) return;
    connection.counts = true;
    this.#opened++;
  }

  /** A request of this connection has been answered in full. */
  requestEnds(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.openRequests--;
    this.#watchIdle(socket, connection);
  }

  /** An admin request has come; the connection counts only if requests that count came on it before. */
  adminRequest(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined || !connection.counts || connection.requests > 0) return;
    connection.counts = false;
    this.#opened--;
  }

  /** The value of the `Keep-Alive` header that tells clients about idle closing; null = none is sent. */
  get keepAliveHint(): string | null {
    if (this.#idleClose === null || !this.#idleClose.hint) return null;
    return `timeout=${Math.floor(this.#idleClose.afterNs / 1e9)}`;
  }

  /** Closes connections that stay idle from now on; null = never. */
  setIdleClose(fault: IdleCloseFault | null): void {
    this.#idleClose = fault;
    for (const [socket, connection] of this.#open) {
      connection.idleTimer?.cancel();
      connection.idleTimer = null;
      this.#watchIdle(socket, connection);
    }
  }

  /** Ends every connection at once. */
  destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  snapshot(): Pick<TargetCounts, 'connections' | 'bytes'> {
    let received = this.#receivedBytes;
    let sent = this.#sentBytes;
    for (const [socket, connection] of this.#open) {
      if (!connection.counts) continue;
      received += socket.bytesRead;
      sent += socket.bytesWritten;
    }
    const connections = { opened: this.#opened, closed: this.#closed, open: this.#opened - this.#closed };
    return { connections, bytes: { received, sent } };
  }

  #watchIdle(socket: Socket, connection: Connection): void {
    if (this.#idleClose === null || connection.openRequests > 0) return;
    connection.idleTimer = startLongTimer(() => {
      // A long answer may still be on its way to a slow reader: that connection is not idle yet.
      if (socket.writableLength > 0) this.#watchIdle(socket, connection);
      else {
        this.#onIdleClose();
        socket.destroy();
      }
    }, this.#idleClose.afterNs / 1e6);
  }
}
