/**
 * The way to a socket's own handle, below Node's stream machinery, where this Node lets us reach it: the only file that touches its
 * internals. Everything is checked for its shape first; null means "go through the stream", with the same bytes and the same errors.
 */
import type { Socket } from 'node:net';

/** A write that the kernel has not taken whole keeps this object until it has. */
export interface WriteRequest {
  oncomplete: (status: number) => void;
}

/** The handle below a socket, as far as it is used. */
export interface StreamHandle {
  /** Gives a libuv error number; 0 when the bytes are taken or queued. */
  writeLatin1String(request: WriteRequest, text: string): number;
  /** Bytes that were queued and the kernel has not taken yet. */
  readonly writeQueueSize?: number;
  /** Called for each read; how long it was, or its error, is in `streamBaseState`. */
  onread: (this: StreamHandle, buffer: unknown) => unknown;
}

/** The handle of a TLS socket, as far as it is used. */
export interface TlsHandle {
  onread: StreamHandle['onread'];
  /** Kept by Node's sockets: whether they have it read. */
  readonly reading?: boolean;
  /** The handle of TCP below it. Both give a libuv error number, or 0. */
  readonly _parent: { readStart(): number; readStop(): number };
}

/** Node's stream binding: what the last call on a handle of this thread did is in `streamBaseState`, at the places named by the rest. */
export interface StreamBinding {
  readonly WriteWrap: new () => WriteRequest;
  readonly streamBaseState: Int32Array;
  readonly kLastWriteWasAsync: number;
  readonly kReadBytesOrError: number;
}

/** The binding, or null where it is closed (permission model) or has another shape. */
export const streamBinding: StreamBinding | null = findBinding();

/** The connected handle of a plain socket, or null when it is not the kind that is known here. */
export function handleOf(socket: Socket): StreamHandle | null {
  const handle = (socket as unknown as { _handle?: Partial<StreamHandle> | null })._handle;
  const isKnown = typeof handle?.writeLatin1String === 'function' && typeof handle.onread === 'function';
  return isKnown ? (handle as StreamHandle) : null;
}

/** The handle of a TLS socket, or null when it is not the kind that is known here. */
export function tlsHandleOf(socket: Socket): TlsHandle | null {
  const handle = (socket as unknown as { _handle?: Partial<TlsHandle> | null })._handle;
  const below = handle?._parent as Partial<TlsHandle['_parent']> | undefined;
  const isKnown =
    typeof handle?.onread === 'function' &&
    typeof below?.readStart === 'function' &&
    typeof below.readStop === 'function';
  return isKnown ? (handle as TlsHandle) : null;
}

/** Bytes that were given to the handle of a socket, plain or TLS, and that the system has not taken; 0 where that is not known. */
export function queuedBytesOf(socket: Socket): number {
  const handle = (socket as unknown as { _handle?: Partial<StreamHandle> | null })._handle;
  return handle?.writeQueueSize ?? 0;
}

function findBinding(): StreamBinding | null {
  try {
    const open = (process as unknown as { binding(name: string): Partial<StreamBinding> }).binding('stream_wrap');
    const isKnown =
      typeof open.WriteWrap === 'function' &&
      open.streamBaseState instanceof Int32Array &&
      typeof open.kLastWriteWasAsync === 'number' &&
      typeof open.kReadBytesOrError === 'number';
    return isKnown ? (open as StreamBinding) : null;
  } catch {
    return null;
  }
}
