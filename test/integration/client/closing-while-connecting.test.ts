/** Clients that are closed while a server accepts their connections and says nothing: nothing of them is left for the next run of the worker. */
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { closeOpened, h2For, keepOpened, undiciFor, wireFor } from '../../support/opened.ts';
import { sendRecorded } from '../../support/recording-sink.ts';

afterEach(closeOpened);

describe('closing while a connection is made', () => {
  it.each([
    ['HTTP/2, no SETTINGS yet', 'http', h2For],
    ['HTTP/2, no handshake of TLS yet', 'https', h2For],
    ['HTTP/1.1, no handshake of TLS yet', 'https', wireFor],
    ['undici, no handshake of TLS yet', 'https', undiciFor],
  ] as const)('ends the attempt: %s', async (_name, scheme, clientFor) => {
    const states: ('open' | 'closed')[] = [];
    const server = createServer((socket) => {
      const index = states.push('open') - 1;
      socket.resume();
      socket.on('error', () => undefined);
      socket.on('close', () => (states[index] = 'closed'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    keepOpened({ close: () => new Promise<void>((resolve) => server.close(() => resolve())) });
    const url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = clientFor(url, { connectTimeoutNs: 1e12, insecure: true });
    const { sink, exchange } = sendRecorded(client, { url });
    await expect.poll(() => states).toEqual(['open']);
    exchange.abort({ kind: 'failed', class: 'timeout', status: null, detail: 'given up' }, 0);
    await client.close();
    await expect.poll(() => states).toEqual(['closed']);
    expect(sink.outcome).toMatchObject({ class: 'timeout' });
  });
});
