/**
 * Whether the other side of a TLS connection has said that it ends (close_notify), or only TCP has ended below it: then what was read may be
 * cut off, by anyone on the way (RFC 8446 §6.1, RFC 9112 §9.8). Node's TLS sockets tell one `end` for both.
 */
import type { Socket } from 'node:net';
import { type StreamHandle, streamBinding, tlsHandleOf } from './stream-binding.ts';

/** Detail of an answer that only the end of its connection ends, and that came without it. */
export const WITHOUT_CLOSE_NOTIFY = 'the connection ended without close_notify';

/**
 * Watches `socket`, a TLS socket that is ready; the result says whether it has ended without close_notify. It says no where that cannot be
 * known: the handle below has another shape than is known here.
 */
export function watchTlsEnd(socket: Socket): () => boolean {
  const binding = streamBinding;
  const handle = tlsHandleOf(socket);
  if (binding === null || handle === null) return () => false;
  const { _parent: below } = handle;
  const byStream = handle.onread;
  let isCutOff = false;
  handle.onread = function onRead(this: StreamHandle, buffer: unknown): unknown {
    const length = binding.streamBaseState[binding.kReadBytesOrError] as number;
    // close_notify is found in a read of TCP, which goes on; behind the end of TCP there is none, and one can be begun. Who had stopped
    // reading meanwhile can only have found the former.
    if (length < 0 && handle.reading === true && below.readStart() === 0) {
      below.readStop();
      isCutOff = true;
    }
    return byStream.call(this, buffer);
  };
  return () => isCutOff;
}
