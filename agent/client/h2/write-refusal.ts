/**
 * A write that the system refuses says that the other side has gone, but not what it said before: that may lie unread. So the error is
 * told only after the loop has polled once more, and the socket lives on until then. Node's own sockets are destroyed at once.
 */
import type { Socket } from 'node:net';

/** Calls `tell` when what has come by now has been read. */
export function onceRead(tell: () => void): void {
  // The first may come in the present turn of the loop.
  setImmediate(() => setImmediate(tell));
}

/** From now on the writes of `socket` that fail end it late; `onRefused` is called at once, and at each. */
export function tellRefusalsLate(socket: Socket, onRefused: () => void): void {
  const late = (done: Callback): Callback => {
    return (error) => {
      if (error === null || error === undefined) done(error);
      else {
        onRefused();
        onceRead(() => done(error));
      }
    };
  };
  const write = socket._write.bind(socket);
  const writeMany = socket._writev?.bind(socket);
  socket._write = (chunk, encoding, done) => write(chunk, encoding, late(done));
  // As many as there are go out in one system call.
  if (writeMany !== undefined) socket._writev = (chunks, done) => writeMany(chunks, late(done));
}

type Callback = (error?: Error | null) => void;
