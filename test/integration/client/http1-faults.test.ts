/** What a server can do to an HTTP/1.1 client, the same for the wire client and for undici. */
import { createHash, randomBytes } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { hostClock } from '../../../shared/time/monotonic-clock.ts';
import { certificateFor, hasOpenssl } from '../../support/certificate.ts';
import { closeOpened, keepOpened, OK, serve, undiciFor, wireFor } from '../../support/opened.ts';
import { sendRecorded } from '../../support/recording-sink.ts';
import { makeSilent } from '../../support/silent-address.ts';

const CLOSING_OK = OK.replace('\r\n', '\r\nConnection: close\r\n');

afterEach(closeOpened);

describe.each([
  ['the wire client', wireFor],
  ['undici', undiciFor],
])('%s', (_name, clientFor) => {
  it('an answer that came before its request was sent counts, and the next request has a connection of its own', async () => {
    const server = await serve((request, socket) => {
      if (!request.startsWith('POST')) {
        socket.write(OK);
        return;
      }
      // Takes nothing more of the body, nor closes.
      socket.pause();
      socket.write('HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n');
    });
    const client = clientFor(server.url);
    const body = Buffer.alloc(20_000_000);
    const large = sendRecorded(client, { url: server.url, method: 'POST', body });
    expect(await large.sink.done).toEqual({ kind: 'ok', status: 413 });
    expect(await sendRecorded(client, { url: server.url }).sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(server.sockets).toHaveLength(2);
  });

  it('an early answer counts though the server then resets the upload', async () => {
    const server = await serve((_request, socket) => {
      socket.pause();
      socket.write('HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', () =>
        socket.resetAndDestroy(),
      );
    });
    const body = Buffer.alloc(20_000_000);
    const { sink } = sendRecorded(clientFor(server.url), { url: server.url, method: 'POST', body });
    expect(await sink.done).toEqual({ kind: 'ok', status: 413 });
  });

  it.each([
    ['answered early', 'HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'],
    ['given up', null],
  ])('an upload that is %s counts for as many bytes as left', async (_how, answer) => {
    const server = await serve((_request, socket) => {
      // From here on only the buffers of the system take more of it.
      socket.pause();
      if (answer !== null) socket.write(answer);
    });
    const client = clientFor(server.url);
    const body = Buffer.alloc(100_000_000);
    const { sink, exchange } = sendRecorded(client, { url: server.url, method: 'POST', body });
    await expect.poll(() => server.sockets[0]?.isPaused()).toBe(true);
    const given = { kind: 'failed', class: 'timeout', status: null, detail: 'given up' } as const;
    if (answer === null) exchange.abort(given, hostClock.nowNs());
    expect(await sink.done).toMatchObject({ status: answer === null ? null : 413 });
    expect(client.counters.bytesSent).toBeGreaterThan(0);
    expect(client.counters.bytesSent).toBeLessThan(body.length / 2);
  });

  it('sends a large body whole, and counts all of it, also where it is taken slowly', async () => {
    const body = randomBytes(3_500_000);
    const hash = createHash('sha256');
    let left = Infinity;
    let headBytes = 0;
    const server = await serve((text, socket, reads) => {
      const piece = Buffer.from(text, 'latin1');
      if (reads === 1) {
        headBytes = piece.indexOf('\r\n\r\n') + 4;
        left = body.length;
      }
      const content = reads === 1 ? piece.subarray(headBytes) : piece;
      hash.update(content);
      left -= content.length;
      if (left <= 0) socket.write(OK);
      else if (reads % 16 === 0) {
        socket.pause();
        setTimeout(() => socket.resume(), 1);
      }
    });
    const client = clientFor(server.url);
    const { sink } = sendRecorded(client, { url: server.url, method: 'POST', body });
    expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(hash.digest('hex')).toBe(createHash('sha256').update(body).digest('hex'));
    expect(client.counters.bytesSent).toBe(headBytes + body.length);
  });

  it('a request given up inside its answer ends with the status that had come', async () => {
    const server = await serve((_request, socket) => {
      socket.write('HTTP/1.1 503 Busy\r\nContent-Length: 9\r\n\r\nok');
    });
    const client = clientFor(server.url);
    const { sink, exchange } = sendRecorded(client, { url: server.url });
    await expect.poll(() => sink.firstByteNs).not.toBeNull();
    exchange.abort({ kind: 'failed', class: 'timeout', status: null, detail: 'given up' }, sink.firstByteNs ?? 0);
    expect(sink.outcome).toEqual({ kind: 'failed', class: 'timeout', status: 503, detail: 'given up' });
  });

  it('R016 a reused connection that dies long after it took the request is reset, not stale', async () => {
    const server = await serve((_request, socket, count) => {
      if (count === 1) socket.write(OK);
      else setTimeout(() => socket.resetAndDestroy(), 1_100);
    });
    const client = clientFor(server.url);
    await sendRecorded(client, { url: server.url }).sink.done;
    expect(await sendRecorded(client, { url: server.url }).sink.done).toMatchObject({ class: 'reset' });
  });

  it('R020 a reset inside a body that a close would have ended is no success', async () => {
    const server = await serve((_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nhalf of', () => setTimeout(() => socket.resetAndDestroy(), 20));
    });
    const { sink } = sendRecorded(clientFor(server.url), { url: server.url });
    expect(await sink.done).toMatchObject({ class: 'reset', status: 200 });
  });

  it.each(['Keep-Alive, CLOSE', 'keep-alive\r\nConnection: close', 'close\r\nConnection: close'])(
    'does not use a connection again after `Connection: %s`',
    async (value) => {
      const server = await serve((_request, socket) =>
        socket.write(`HTTP/1.1 200 OK\r\nConnection: ${value}\r\nContent-Length: 2\r\n\r\nok`),
      );
      const client = clientFor(server.url);
      for (let index = 0; index < 2; index += 1)
        expect(await sendRecorded(client, { url: server.url }).sink.done).toMatchObject({ kind: 'ok' });
      expect(server.sockets).toHaveLength(2);
    },
  );

  it.each(['close', 'x-trace, Close'])(
    'R016 a request that says `Connection: %s` is the last of its connection, whatever its answer says',
    async (value) => {
      const server = await serve((_request, socket) => socket.write(OK));
      const client = clientFor(server.url);
      const headers: [string, string][] = [['Connection', value]];
      for (let index = 0; index < 3; index += 1)
        expect(await sendRecorded(client, { url: server.url, headers }).sink.done).toEqual({ kind: 'ok', status: 200 });
      expect(server.sockets).toHaveLength(3);
    },
  );

  it('R024 a silent address among several holds no request up for the whole limit', async () => {
    const server = await serve((_request, socket) => socket.write(CLOSING_OK), { host: '127.0.0.2' });
    keepOpened(await makeSilent('127.0.0.3', server.port));
    const url = `http://many.test:${server.port}/`;
    const resolveAll = (): Promise<string[]> => Promise.resolve(['127.0.0.3', '127.0.0.2']);
    // The system itself would give up after two minutes, which is longer than this test may take.
    const client = clientFor(url, { connectTimeoutNs: 3600e9, resolveAll });
    for (let index = 0; index < 20; index += 1)
      expect(await sendRecorded(client, { url }).sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(server.requests).toHaveLength(20);
  }, 60_000);

  it('R016 `Keep-Alive: timeout=0` leaves no time for another request, not even one that waits', async () => {
    const server = await serve((_request, socket) =>
      socket.write('HTTP/1.1 200 OK\r\nKeep-Alive: timeout=0\r\nContent-Length: 2\r\n\r\nok'),
    );
    const client = clientFor(server.url, { connectionsMax: 1 });
    const sent = [1, 2, 3].map(() => sendRecorded(client, { url: server.url }).sink);
    for (const sink of sent) expect(await sink.done).toMatchObject({ kind: 'ok' });
    expect(server.sockets).toHaveLength(3);
  });

  it.each([
    ['conflicting lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok'],
    ['a list of lengths that differ', 'HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\nok'],
    ['a length above all bounds', `HTTP/1.1 200 OK\r\nContent-Length: 1${'0'.repeat(30)}\r\n\r\nok`],
    [
      'length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    ],
    ['a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 Odd\r\nContent-Length: 2\r\n\r\nok'],
    ['a page without a head', '<html>no such page'],
    ['lines that end in LF', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok'],
  ])('%s are a breach of the protocol, not a short answer', async (_fault, answer) => {
    const server = await serve((_request, socket) => socket.write(answer));
    const { sink } = sendRecorded(clientFor(server.url), { url: server.url });
    expect(await sink.done).toMatchObject({ class: 'protocol' });
  });

  it('a head of 200 kB, of long lines and many, is a head', async () => {
    const fields = `X-Tags: ${'tag '.repeat(25_000)}\r\n${`X-Field: ${'v'.repeat(80)}\r\n`.repeat(1000)}`;
    const server = await serve((_request, socket) =>
      socket.write(`HTTP/1.1 200 OK\r\n${fields}Content-Length: 2\r\n\r\nok`),
    );
    const client = clientFor(server.url);
    expect(await sendRecorded(client, { url: server.url }).sink.done).toEqual({ kind: 'ok', status: 200 });
  });

  it('a head without an end is a breach of the protocol', async () => {
    const server = await serve((_request, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${'X-Field: value\r\n'.repeat(40_000)}`);
    });
    const client = clientFor(server.url);
    expect(await sendRecorded(client, { url: server.url }).sink.done).toMatchObject({ class: 'protocol' });
  });

  it('a URL without a valid host is our failure, never thrown', async () => {
    const client = clientFor('http://127.0.0.1:9/');
    for (const [template, url] of ['http://bad host/', 'http://name:99999/', 'http://[::1/', 'ftp://name/'].entries())
      expect(await sendRecorded(client, { url, template }).sink.done).toMatchObject({ class: 'generator' });
  });

  it('R028 sends text beyond ASCII as its UTF-8 bytes', async () => {
    const server = await serve((_request, socket) => socket.write(OK));
    const client = clientFor(server.url);
    await sendRecorded(client, { url: `${server.url}/é?q=€`, headers: [['X-Name', 'ü€']] }).sink.done;
    const seen = Buffer.from(server.requests[0] ?? '', 'latin1').toString();
    expect(seen).toContain('GET /é?q=€ HTTP/1.1\r\n');
    expect(seen).toContain('X-Name: ü€\r\n');
  });

  it.skipIf(!hasOpenssl).each(['TLSv1.2', 'TLSv1.3'] as const)(
    'R017 a client certificate that the server demands is a failure of TLS: %s',
    async (version) => {
      const demanding = { requestCert: true, rejectUnauthorized: true, minVersion: version, maxVersion: version };
      const server = await serve(() => undefined, { tls: { ...certificateFor('IP:127.0.0.1'), ...demanding } });
      const client = clientFor(server.url, { insecure: true });
      for (const body of [null, Buffer.alloc(100_000)]) {
        const { sink } = sendRecorded(client, { url: server.url, method: 'POST', body });
        expect(await sink.done).toMatchObject({ class: 'tls', detail: expect.stringMatching(/^ERR_SSL_.*ALERT/) });
      }
    },
  );

  it.skipIf(!hasOpenssl)(
    'R026 the certificate must be for the host of the URL, not for the address dialled',
    async () => {
      const trusted = getCACertificates('default');
      try {
        const tls = certificateFor('DNS:good.test,IP:127.0.0.1');
        setDefaultCACertificates([...trusted, tls.cert]);
        const server = await serve((_request, socket) => socket.write(CLOSING_OK), { tls });
        const connectTo = `127.0.0.1:${server.port}`;
        const outcomes: unknown[] = [];
        for (const host of ['good.test', 'good.test.', '127.0.0.1', 'other.test', '10.9.9.9']) {
          const url = `https://${host}:${server.port}/`;
          const client = clientFor(url, { connectTo });
          for (let index = 0; index < 2; index += 1) {
            const outcome = await sendRecorded(client, { url }).sink.done;
            outcomes.push(outcome.kind === 'ok' ? 'ok' : outcome.class);
          }
        }
        expect(outcomes).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'tls', 'tls', 'tls', 'tls']);
      } finally {
        setDefaultCACertificates(trusted);
      }
    },
  );
});
