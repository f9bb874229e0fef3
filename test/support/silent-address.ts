/** An address that answers no attempt to connect, as a host that is gone: the queue of its listener is full and nobody takes from it. */
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

/** Listens in a thread that then stands still. */
const LISTENER = `
const { workerData, parentPort } = require('node:worker_threads');
require('node:net').createServer().listen({ ...workerData, backlog: 1 }, () => {
  parentPort.postMessage('listening');
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
});`;
/** More than the queue holds. */
const FILLERS = 4;

/** Makes `host:port` silent until `close`. */
export async function makeSilent(host: string, port: number): Promise<{ close(): Promise<void> }> {
  const listener = new Worker(LISTENER, { eval: true, workerData: { host, port } });
  await new Promise((resolve, reject) => listener.once('message', resolve).once('error', reject));
  const fillers: Socket[] = [];
  for (let filler = 0; filler < FILLERS; filler += 1) {
    const socket = connect({ host, port });
    socket.on('error', () => undefined);
    fillers.push(socket);
    // Those that the queue holds are connected at once, the rest never.
    await new Promise<void>((resolve) => {
      socket.once('connect', resolve);
      setTimeout(resolve, 100);
    });
  }
  return {
    close: async () => {
      for (const socket of fillers) socket.destroy();
      await listener.terminate();
    },
  };
}
