/** Takes a plain socket's reads from its handle, before Node's stream machinery, which goes on to see ends and errors. */
import type { Socket } from 'node:net';
import { handleOf, type StreamHandle, streamBinding } from './stream-binding.ts';

/**
 * From now on `take` gets the number of bytes that each network read of `socket` put into its `onread` buffer. False when the handle
 * cannot be reached: then the socket's own callback stays in charge.
 */
export function takeReadsDirectly(socket: Socket, take: (length: number) => void): boolean {
  const binding = streamBinding;
  const handle = handleOf(socket);
  if (binding === null || handle === null) return false;
  const byStream = handle.onread;
  handle.onread = function onRead(this: StreamHandle, buffer: unknown): unknown {
    const length = binding.streamBaseState[binding.kReadBytesOrError] as number;
    if (length <= 0) return byStream.call(this, buffer);
    take(length);
    return undefined;
  };
  return true;
}
