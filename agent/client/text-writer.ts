/**
 * Writes texts, such as request heads, to a socket. Node's stream machinery costs more of our time than the system call's own share (about
 * 1.4 us of 13.5 a request), so on a plain socket a latin1 text goes straight to the handle where that can be reached, and through
 * `socket.write` where not and over TLS: same bytes, same order, same errors. Not for large bodies, which would be copied.
 */
import type { Socket } from 'node:net';
import { getSystemErrorName } from 'node:util';
import { handleOf, type StreamBinding, type StreamHandle, streamBinding, type WriteRequest } from './stream-binding.ts';

/** Writes texts to one socket, in order. */
export class TextWriter {
  private readonly socket: Socket;
  private readonly handle: StreamHandle | null;
  private readonly onFailed: (error: Error) => void;
  private request: WriteRequest | null = null;

  /** `onFailed` is told of each write on the handle that the system refuses, and is to end the socket by that error; by default at once. */
  constructor(socket: Socket, encrypted: boolean, onFailed = (error: Error): unknown => socket.destroy(error)) {
    this.socket = socket;
    this.onFailed = onFailed;
    this.handle = encrypted ? null : handleOf(socket);
  }

  /** Bytes given to the socket that the system has not taken yet. */
  get backlogBytes(): number {
    return this.socket.writableLength + (this.handle?.writeQueueSize ?? 0);
  }

  /** Writes `text`, code points below 256. An error comes as the socket's `error` event, later. */
  write(text: string): void {
    if (this.handle === null || streamBinding === null || this.socket.writableLength > 0) {
      this.socket.write(text, 'latin1');
      return;
    }
    const request = this.request ?? this.newRequest(streamBinding);
    const error = this.handle.writeLatin1String(request, text);
    // A request that the kernel still works on is not used again.
    if (streamBinding.streamBaseState[streamBinding.kLastWriteWasAsync] !== 0) this.request = null;
    if (error !== 0) this.failed(error);
  }

  private newRequest(known: StreamBinding): WriteRequest {
    const request = new known.WriteWrap();
    request.oncomplete = (status) => {
      if (status < 0) this.failed(status);
    };
    this.request = request;
    return request;
  }

  private failed(errno: number): void {
    const code = getSystemErrorName(errno);
    this.onFailed(Object.assign(new Error(`write ${code}`), { errno, code, syscall: 'write' }));
  }
}
