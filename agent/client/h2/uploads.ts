/**
 * Sends request bodies as DATA within the windows that the server gives (RFC 9113 §5.2, §6.9), in turn over the streams of a connection.
 * Small ones are joined to their heads; others are never copied, and no more of them is given to the socket than it takes.
 */
import type { Socket } from 'node:net';
import { Fifo } from '../fifo.ts';
import { DEFAULT_FRAME_BYTES_MAX, DEFAULT_WINDOW_BYTES, FLAG, frameHead, FRAME_TYPE, MAX_31_BITS } from './frame.ts';
import type { H2Stream } from './h2-stream.ts';

/** The bodies of one connection. */
export class Uploads {
  private readonly socket: Socket;
  private readonly frameBytesMax: () => number;
  private readonly onSent: (bytes: number) => void;
  private readonly queue = new Fifo<H2Stream>();
  /** What the server takes on the whole connection. */
  private windowBytes = DEFAULT_WINDOW_BYTES;
  private socketFull = false;

  /** `frameBytesMax`: the server's present limit; `onSent` gets the bytes that went to the socket. */
  constructor(socket: Socket, frameBytesMax: () => number, onSent: (bytes: number) => void) {
    this.socket = socket;
    this.frameBytesMax = frameBytesMax;
    this.onSent = onSent;
    socket.on('drain', () => {
      this.socketFull = false;
      this.send();
    });
  }

  /** The whole body of `stream` as one frame's text to go with its head, where it is small and all windows have room; else null. */
  takeWhole(stream: H2Stream): string | null {
    const body = stream.exchange.request.body as Uint8Array;
    // A copy that is joined to a text: a server may allow frames of 16 MB, which go uncopied.
    const room = Math.min(this.windowBytes, stream.windowBytes, DEFAULT_FRAME_BYTES_MAX);
    if (body.length > room || this.queue.length > 0 || this.socketFull) return null;
    this.windowBytes -= body.length;
    stream.windowBytes -= body.length;
    stream.bodySent = body.length;
    const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
    return frameHead(body.length, FRAME_TYPE.data, FLAG.endStream, stream.id) + text;
  }

  /** `stream` has a body to send, or more room for it. */
  add(stream: H2Stream): void {
    if (stream.uploadQueued || stream.bodyLeft === 0) return;
    stream.uploadQueued = true;
    this.queue.push(stream);
  }

  /** The server takes `increment` bytes more on the connection. False when that is more than a window can be. */
  widen(increment: number): boolean {
    this.windowBytes += increment;
    return this.windowBytes <= MAX_31_BITS;
  }

  /** Sends what windows and socket have room for. What is to go before it must have been written. */
  send(): void {
    if (this.queue.length === 0) return;
    this.socket.cork();
    // Streams without room leave the queue and come back by `add`, so this ends. Who has ended leaves it also where nothing can be sent.
    for (let stream = this.queue.peek(); stream !== null; stream = this.queue.peek()) {
      if (!stream.closed && !this.hasRoom) break;
      this.queue.shift();
      stream.uploadQueued = false;
      if (!stream.closed) this.sendPart(stream);
    }
    this.socket.uncork();
  }

  private get hasRoom(): boolean {
    return this.windowBytes > 0 && !this.socketFull;
  }

  private sendPart(stream: H2Stream): void {
    const room = Math.min(this.windowBytes, stream.windowBytes, this.frameBytesMax(), stream.bodyLeft);
    if (room <= 0) return;
    const part = (stream.exchange.request.body as Uint8Array).subarray(stream.bodySent, stream.bodySent + room);
    stream.bodySent += room;
    stream.windowBytes -= room;
    this.windowBytes -= room;
    const head = frameHead(room, FRAME_TYPE.data, stream.bodyLeft === 0 ? FLAG.endStream : 0, stream.id);
    this.socket.write(head, 'latin1');
    if (!this.socket.write(part)) this.socketFull = true;
    this.onSent(head.length + room);
    this.add(stream);
  }
}
