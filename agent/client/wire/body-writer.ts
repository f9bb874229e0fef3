/**
 * Sends the bodies of one connection, head in front, in slices: no more of a body is given to the socket than it takes, so that what is
 * counted as sent was sent, to a slice, where an upload ends early. Nothing is copied.
 */
import type { Socket } from 'node:net';

/** Bytes of a body that are given to the socket at once; those of most bodies are fewer. */
const SLICE_BYTES = 1_048_576;

/** One per connection. */
export class BodyWriter {
  private readonly socket: Socket;
  private readonly onGiven: (bytes: number) => void;
  /** What is left of the present body; null when all of it was given to the socket. */
  private left: Uint8Array | null = null;

  /** `onGiven` gets the number of bytes that went to the socket, heads included. */
  constructor(socket: Socket, onGiven: (bytes: number) => void) {
    this.socket = socket;
    this.onGiven = onGiven;
  }

  /** Whether the last body has left: the next request may follow. */
  get isDone(): boolean {
    return this.left === null && this.socket.writableLength === 0;
  }

  /** Sends `head`, a latin1 text, and `body`. The one before must be done. */
  send(head: string, body: Uint8Array): void {
    this.left = body;
    this.socket.cork();
    this.socket.write(head, 'latin1');
    this.onGiven(head.length);
    this.sendSlice();
    this.socket.uncork();
  }

  /** Sends no more of it. */
  stop(): void {
    this.left = null;
  }

  private sendSlice(): void {
    const { left } = this;
    if (left === null) return;
    const isLast = left.length <= SLICE_BYTES;
    const slice = isLast ? left : left.subarray(0, SLICE_BYTES);
    this.left = isLast ? null : left.subarray(SLICE_BYTES);
    this.onGiven(slice.length);
    if (isLast) this.socket.write(slice);
    else this.socket.write(slice, this.afterSlice);
  }

  private readonly afterSlice = (error?: Error | null): void => {
    if (error === null || error === undefined) this.sendSlice();
  };
}
