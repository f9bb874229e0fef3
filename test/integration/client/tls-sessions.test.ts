/** TLS sessions that a server gave and cannot take up again. */
import { constants } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { certificateFor, hasOpenssl } from '../../support/certificate.ts';
import { closeOpened, keepOpened, OK, serve, undiciFor, wireFor } from '../../support/opened.ts';
import { sendRecorded } from '../../support/recording-sink.ts';

afterEach(closeOpened);

/** Answers one request on each connection, and breaks off each handshake that offers a session. Gives its URL. */
async function startForgetful(): Promise<string> {
  const server = createServer(
    { ...certificateFor('IP:127.0.0.1'), maxVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_TICKET },
    (socket) => {
      socket.on('error', () => undefined);
      socket.on('data', () => socket.end(OK.replace('\r\n', '\r\nConnection: close\r\n')));
    },
  );
  const given = new Set<string>();
  server.on('newSession', (id: Buffer, _data, done) => {
    given.add(id.toString('hex'));
    done();
  });
  // Clients that speak TLS 1.3 make an id up where they have none.
  server.on('resumeSession', (id: Buffer, done) => done(given.has(id.toString('hex')) ? new Error('forgotten') : null));
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  keepOpened({ close: async () => await new Promise<void>((resolve) => server.close(() => resolve())) });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.skipIf(!hasOpenssl).each([
  ['the wire client', wireFor],
  ['undici', undiciFor],
])('%s (skipped where openssl is not installed)', (_name, clientFor) => {
  it('R017 a session that fails a handshake fails no further one', async () => {
    const url = await startForgetful();
    const client = clientFor(url, { insecure: true });
    const ends: string[] = [];
    for (let count = 0; count < 4; count += 1) ends.push((await sendRecorded(client, { url }).sink.done).kind);
    expect(ends).toEqual(['ok', 'failed', 'ok', 'failed']);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'tells full handshakes from those that take up a session: %s',
    async (version) => {
      const tls = { ...certificateFor('IP:127.0.0.1'), minVersion: version, maxVersion: version };
      const closing = OK.replace('\r\n', '\r\nConnection: close\r\n');
      const server = await serve((_request, socket) => socket.end(closing), { tls });
      const client = clientFor(server.url, { insecure: true });
      for (let count = 0; count < 4; count += 1)
        expect(await sendRecorded(client, { url: server.url }).sink.done).toEqual({ kind: 'ok', status: 200 });
      expect(client.gauges()).toEqual([
        { name: 'tlsHandshakesFull', value: 1 },
        { name: 'tlsHandshakesResumed', value: 3 },
      ]);
    },
  );
});
