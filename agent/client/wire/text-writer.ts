/**
 * Writes request heads to a plain socket. Node's stream machinery costs more than the system call's own share of our time (about 1.4 us
 * of 13.5 a request), so a latin1 text goes straight to the socket's handle where this Node lets us reach it, and through
 * `socket.write` where not: same bytes, same order, same errors. The only file that touches Node's internals. Not for TLS or bodies.
 */
import type { Socket } from 'node:net';
import { getSystemErrorName } from 'node:util';

/** A write that the kernel has not taken whole keeps this object until it has. */
interface WriteRequest {
  oncomplete: (status: number) => void;
}

/** The handle below a socket, as far as it is used. `writeLatin1String` gives a libuv error number, 0 when the bytes are taken or queued. */
interface StreamHandle {
  writeLatin1String(request: WriteRequest, text: string): number;
}

interface StreamBinding {
  readonly WriteWrap: new () => WriteRequest;
  /** What the last call on a handle of this thread did; see `kLastWriteWasAsync`. */
  readonly streamBaseState: Int32Array;
  readonly kLastWriteWasAsync: number;
}

const binding = streamBinding();

/** Writes texts to one socket, in order. */
export class TextWriter {
  private readonly socket: Socket;
  private readonly handle: StreamHandle | null;
  private request: WriteRequest | null = null;

  constructor(socket: Socket, encrypted: boolean) {
    this.socket = socket;
    this.handle = binding === null || encrypted ? null : handleOf(socket);
  }

  /** Writes `text`, code points below 256. An error comes as the socket's `error` event, later. */
  write(text: string): void {
    if (this.handle === null || binding === null || this.socket.writableLength > 0) {
      this.socket.write(text, 'latin1');
      return;
    }
    const request = this.request ?? this.newRequest(binding);
    const error = this.handle.writeLatin1String(request, text);
    // A request that the kernel still works on is not used again.
    if (binding.streamBaseState[binding.kLastWriteWasAsync] !== 0) this.request = null;
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
    this.socket.destroy(Object.assign(new Error(`write ${code}`), { errno, code, syscall: 'write' }));
  }
}

/** The connected handle of a plain socket, or null when it is not the kind that is known here. */
function handleOf(socket: Socket): StreamHandle | null {
  const handle = (socket as unknown as { _handle?: Partial<StreamHandle> | null })._handle;
  return typeof handle?.writeLatin1String === 'function' ? (handle as StreamHandle) : null;
}

/** Node's stream binding, or null where it is closed (permission model) or has another shape. */
function streamBinding(): StreamBinding | null {
  try {
    const open = (process as unknown as { binding(name: string): Partial<StreamBinding> }).binding('stream_wrap');
    const isKnown =
      typeof open.WriteWrap === 'function' &&
      open.streamBaseState instanceof Int32Array &&
      typeof open.kLastWriteWasAsync === 'number';
    return isKnown ? (open as StreamBinding) : null;
  } catch {
    return null;
  }
}
