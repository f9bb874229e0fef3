/** The wire client over real sockets: reuse, faults, addresses, TLS. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { hostClock } from '../../../shared/time/monotonic-clock.ts';
import { RunClock } from '../../../agent/worker/run-clock.ts';
import { certificateFor, hasOpenssl } from '../../support/certificate.ts';
import { closeOpened, OK, serve, wireFor as clientFor } from '../../support/opened.ts';
import { sendRecorded } from '../../support/recording-sink.ts';
import { startScriptedServer } from '../../support/scripted-server.ts';

afterEach(closeOpened);

describe('reuse of connections', () => {
  it('sends one after the other on one connection', async () => {
    const server = await serve((_request, socket) => socket.write(OK));
    const client = clientFor(server.url);
    for (let index = 0; index < 5; index += 1) {
      expect(await sendRecorded(client, { url: `${server.url}/` }).sink.done).toEqual({ kind: 'ok', status: 200 });
    }
    expect(server.sockets).toHaveLength(1);
    expect(client.counters.connectionsOpened).toBe(1);
  });

  it('never gives bytes behind an answer to the next request', async () => {
    const server = await serve((_request, socket, count) => {
      if (count === 1) socket.write(`${OK}HTTP/1.1 500 Smuggled\r\nContent-Length: 0\r\n\r\n`);
      else socket.write(OK);
    });
    const client = clientFor(server.url);
    expect(await sendRecorded(client, { url: server.url }).sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(await sendRecorded(client, { url: server.url }).sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(server.sockets).toHaveLength(2);
  });

  it('drops a connection that speaks while nothing was asked', async () => {
    const server = await serve((_request, socket, count) => {
      socket.write(OK);
      if (count === 1 && server.sockets.length === 1)
        setTimeout(() => socket.write('HTTP/1.1 408 Request Timeout\r\n\r\n'), 20);
    });
    const client = clientFor(server.url);
    await sendRecorded(client, { url: server.url }).sink.done;
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(await sendRecorded(client, { url: server.url }).sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(server.sockets).toHaveLength(2);
  });

  it('R016 retires an idle connection before the advertised keep-alive ends', async () => {
    let nowNs = 0;
    const server = await serve((_request, socket) =>
      socket.write('HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5\r\nContent-Length: 0\r\n\r\n'),
    );
    const client = clientFor(server.url, { clock: { nowNs: () => nowNs } });
    await sendRecorded(client, { url: server.url }).sink.done;
    nowNs = 3.9e9;
    await sendRecorded(client, { url: server.url }).sink.done;
    expect(server.sockets).toHaveLength(1);
    nowNs += 4.1e9;
    await sendRecorded(client, { url: server.url }).sink.done;
    expect(server.sockets).toHaveLength(2);
  });

  it('R016 calls a reset on a reused idle connection stale, and on a fresh one a reset', async () => {
    const server = await serve((_request, socket, count) => {
      if (server.sockets.length === 2 || count === 2) socket.resetAndDestroy();
      else socket.write(OK);
    });
    const client = clientFor(server.url);
    await sendRecorded(client, { url: server.url }).sink.done;
    expect(
      await sendRecorded(client, { url: server.url, method: 'POST', body: Buffer.from('x') }).sink.done,
    ).toMatchObject({ class: 'stale-connection' });
    expect(await sendRecorded(client, { url: server.url }).sink.done).toMatchObject({ class: 'reset' });
    expect(server.requests).toHaveLength(3);
  });

  it('does not reuse after `Connection: close` nor after HTTP/1.0', async () => {
    const server = await serve((request, socket) => {
      socket.end(
        request.includes('/ten')
          ? 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'
          : 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
      );
    });
    const client = clientFor(server.url);
    for (const path of ['/ten', '/close', '/'])
      expect(await sendRecorded(client, { url: server.url + path }).sink.done).toMatchObject({ kind: 'ok' });
    expect(server.sockets).toHaveLength(3);
  });
});

describe('answers cut short', () => {
  const cases: [string, string, (outcome: unknown) => void][] = [
    [
      'R020 a body shorter than its Content-Length',
      'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello',
      (o) => expect(o).toMatchObject({ class: 'truncated', status: 200 }),
    ],
    [
      'R020 a chunked body without its last chunk',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
      (o) => expect(o).toMatchObject({ class: 'truncated' }),
    ],
    [
      'a head cut in two',
      'HTTP/1.1 200 OK\r\nContent-',
      (o) => expect(o).toMatchObject({ class: 'truncated', status: null }),
    ],
    [
      'a close-delimited body ends by the close',
      'HTTP/1.1 200 OK\r\n\r\nall of it',
      (o) => expect(o).toEqual({ kind: 'ok', status: 200 }),
    ],
    ['no byte of answer', '', (o) => expect(o).toMatchObject({ class: 'reset' })],
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9\r\n', (o) => expect(o).toMatchObject({ class: 'protocol' })],
    ['R020 all bytes came, then a close: a success', OK, (o) => expect(o).toEqual({ kind: 'ok', status: 200 })],
  ];
  it.each(cases)('%s', async (_name, answer, check) => {
    const server = await serve((_request, socket) => socket.end(answer));
    check(await sendRecorded(clientFor(server.url), { url: server.url }).sink.done);
  });

  it.each([
    ['a length', 'Content-Length: 50'],
    ['a length and a coding', 'Content-Length: 50\r\nTransfer-Encoding: chunked'],
  ])('R020 HEAD, 204 and 304 have no body to miss, with %s in the head', async (_name, fields) => {
    const server = await serve((request, socket) => {
      const status = /^\w+ \/(\d+)/.exec(request)?.[1] ?? '200';
      socket.write(`HTTP/1.1 ${status} X\r\n${fields}\r\n\r\n`);
    });
    const client = clientFor(server.url);
    for (const [method, path] of [
      ['HEAD', '/200'],
      ['GET', '/204'],
      ['GET', '/304'],
    ] as const) {
      expect(await sendRecorded(client, { url: server.url + path, method }).sink.done).toEqual({
        kind: 'ok',
        status: Number(path.slice(1)),
      });
    }
    expect(server.sockets).toHaveLength(1);
  });

  it('an aborted request ends at once and its connection is not used again', async () => {
    const server = await serve((request, socket) => {
      if (!request.includes('/never')) socket.write(OK);
    });
    const client = clientFor(server.url);
    await sendRecorded(client, { url: server.url }).sink.done;
    const { sink, exchange } = sendRecorded(client, { url: `${server.url}/never` });
    exchange.abort({ kind: 'failed', class: 'timeout', status: null, detail: 'given up' }, 1);
    expect(sink.outcome).toMatchObject({ class: 'timeout' });
    expect(await sendRecorded(client, { url: server.url }).sink.done).toMatchObject({ kind: 'ok' });
    expect(server.sockets).toHaveLength(2);
  });
});

describe('the first byte', () => {
  const REST = 'K\r\nContent-Length: 2\r\n\r\nok';
  it.each([
    ['of a head that comes in two pieces', ['HTTP/1.1 200 O', REST], 0],
    ['is not that of an interim answer', ['HTTP/1.1 103 Early Hints\r\n\r\n', `HTTP/1.1 200 O${REST}`], 1],
    ['may come with the end of an interim answer', ['HTTP/1.1 103 E', 'arly\r\n\r\nHTTP/1.1 200 O', REST], 1],
    ['may come with all that follows an interim answer', ['HTTP/1.1 103 E', `arly\r\n\r\nHTTP/1.1 200 O${REST}`], 1],
  ])('%s', async (_name, pieces, firstByteSecond) => {
    let nowNs = 0;
    const server = await serve(() => undefined);
    const client = clientFor(server.url, { clock: { nowNs: () => nowNs } });
    const { sink } = sendRecorded(client, { url: server.url });
    await expect.poll(() => server.requests.length).toBe(1);
    let bytes = 0;
    for (const [second, piece] of pieces.entries()) {
      nowNs = second * 1e9;
      server.sockets[0]?.write(piece);
      bytes += piece.length;
      await expect.poll(() => client.counters.bytesReceived).toBe(bytes);
    }
    expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(sink.firstByteNs).toBe(firstByteSecond * 1e9);
    expect(sink.endNs).toBe((pieces.length - 1) * 1e9);
  });
});

describe('waiting for a connection', () => {
  it('R033 serves waiting requests in order when all connections are busy, and says they queued', async () => {
    const held: (() => void)[] = [];
    const server = await serve((_request, socket) => void held.push(() => socket.write(OK)));
    const client = clientFor(server.url, { connectionsMax: 2 });
    await client.prepare(2);
    const sent = [1, 2, 3, 4].map((n) => sendRecorded(client, { url: `${server.url}/${n}` }));
    await expect.poll(() => held.length).toBe(2);
    expect(sent.map(({ sink }) => sink.waits)).toEqual([[], [], ['queue'], ['queue']]);
    expect(sent.map(({ sink }) => sink.sendNs !== null)).toEqual([true, true, false, false]);
    for (let served = 0; served < 4; served += 1) {
      await expect.poll(() => held.length).toBeGreaterThan(served);
      (held[served] as () => void)();
    }
    await Promise.all(sent.map(({ sink }) => sink.done));
    expect(server.requests.map((request) => /\/(\d)/.exec(request)?.[1])).toEqual(['1', '2', '3', '4']);
    expect(server.sockets).toHaveLength(2);
  });

  it('a refused connection fails the request that waited for it, as connect-refused', async () => {
    const server = await startScriptedServer(() => undefined);
    await server.close();
    const client = clientFor(server.url);
    await client.prepare(1);
    const outcomes = await Promise.all([1, 2, 3].map(() => sendRecorded(client, { url: server.url }).sink.done));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: 'failed', class: 'connect-refused' });
  });

  it('R017 a loop that was busy over the connect limit is no connect timeout; a silent address is one', async () => {
    const server = await serve((_request, socket) => socket.write(OK));
    const client = clientFor(server.url, { connectTimeoutNs: 100e6 });
    const { sink } = sendRecorded(client, { url: server.url });
    await new Promise((resolve) => setImmediate(resolve));
    const untilNs = hostClock.nowNs() + 300e6;
    while (hostClock.nowNs() < untilNs);
    expect(await sink.done).toMatchObject({ kind: 'ok' });
    const silent = await serve(() => undefined);
    const url = silent.url.replace('http:', 'https:');
    const outcome = await sendRecorded(clientFor(url, { connectTimeoutNs: 100e6 }), { url }).sink.done;
    expect(outcome).toMatchObject({ class: 'connect-timeout' });
  });

  it('R017 an unknown host is a dns failure, every time', async () => {
    const resolveAll = (): Promise<string[]> =>
      Promise.reject(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }));
    const client = clientFor('http://nowhere.test/', { resolveAll });
    const outcomes = await Promise.all(
      Array.from({ length: 500 }, () => sendRecorded(client, { url: 'http://nowhere.test/' }).sink.done),
    );
    for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: 'failed', class: 'dns' });
  });
});

describe('where it connects to', () => {
  it('R024 spreads connections over all addresses, skips a dead one and counts per address', async () => {
    const first = await serve((_request, socket) => socket.write(OK), { host: '127.0.0.2' });
    const second = await serve((_request, socket) => socket.write(OK), { host: '127.0.0.3', port: first.port });
    const url = `http://many.test:${first.port}/`;
    const client = clientFor(url, { resolveAll: () => Promise.resolve(['127.0.0.2', '127.0.0.3', '127.0.0.4']) });
    await client.prepare(6);
    await Promise.all(Array.from({ length: 60 }, () => sendRecorded(client, { url }).sink.done));
    expect(first.sockets.length).toBeGreaterThan(1);
    expect(second.sockets.length).toBeGreaterThan(1);
    const gauges = new Map(client.gauges().map(({ name, value }) => [name, value]));
    expect(gauges.get('connectionsTo 127.0.0.2')).toBe(first.sockets.length);
    expect(gauges.get('connectionsTo 127.0.0.3')).toBe(second.sockets.length);
    expect(gauges.get('connectionsTo 127.0.0.4')).toBe(0);
    expect(gauges.get('requestsTo 127.0.0.2')).toBe(first.requests.length);
    expect(gauges.get('requestsTo 127.0.0.3')).toBe(second.requests.length);
  });

  it('R024 resolves a name again in a run, and tries a dead address again, though run time begins anew at the start', async () => {
    const server = await serve((_request, socket) => socket.write(OK.replace('\r\n', '\r\nConnection: close\r\n')), {
      host: '127.0.0.2',
    });
    const url = `http://many.test:${server.port}/`;
    let hostNs = 1e15;
    const runClock = new RunClock({ nowNs: () => hostNs });
    let lookups = 0;
    const client = clientFor(url, {
      clock: runClock,
      steadyClock: { nowNs: () => hostNs },
      resolveAll: () => {
        lookups += 1;
        return Promise.resolve(lookups === 1 ? ['127.0.0.3', '127.0.0.2'] : ['127.0.0.2']);
      },
    });
    // The first address is found dead before the start.
    await client.prepare(1);
    runClock.setOrigin(hostNs + 1e9);
    expect(client.counters.connectionsTried).toBe(2);
    const late = await serve((_request, socket) => socket.write(OK), { host: '127.0.0.3', port: server.port });
    hostNs += 6e9;
    for (let index = 0; index < 3; index += 1) await sendRecorded(client, { url }).sink.done;
    expect(late.sockets).toHaveLength(1);
    expect(lookups).toBe(1);
    hostNs += 31e9;
    late.sockets[0]?.destroy();
    await expect.poll(async () => ((await sendRecorded(client, { url }).sink.done).kind, lookups)).toBe(2);
  });

  it('R026 dials one address, names another host', async () => {
    const server = await serve((_request, socket) => socket.write(OK));
    const client = clientFor('http://api.example.test/', { connectTo: `127.0.0.1:${server.port}` });
    await sendRecorded(client, { url: 'http://api.example.test/' }).sink.done;
    await sendRecorded(client, { url: 'http://api.example.test/', headers: [['Host', 'other.test']] }).sink.done;
    expect(server.requests[0]).toContain('Host: api.example.test\r\n');
    expect(server.requests[1]?.match(/Host:/gi)).toHaveLength(1);
    expect(server.requests[1]).toContain('Host: other.test\r\n');
  });

  it('R028 leaves the request target as it is written', async () => {
    const server = await serve((_request, socket) => socket.write(OK));
    const target = '/a%2Fb/c%2520d//e/../f?x=%7B%7D&y=a+b';
    await sendRecorded(clientFor(server.url), { url: server.url + target }).sink.done;
    expect(server.requests[0]?.split('\r\n')[0]).toBe(`GET ${target} HTTP/1.1`);
  });

  it('R035 takes no notice of proxy variables', async () => {
    const before = process.env['HTTP_PROXY'];
    process.env['HTTP_PROXY'] = 'http://127.0.0.1:9';
    try {
      const server = await serve((_request, socket) => socket.write(OK));
      expect(await sendRecorded(clientFor(server.url), { url: server.url }).sink.done).toMatchObject({ kind: 'ok' });
    } finally {
      if (before === undefined) delete process.env['HTTP_PROXY'];
      else process.env['HTTP_PROXY'] = before;
    }
  });

  it('speaks IPv6 and unix sockets', async () => {
    const six = await serve((_request, socket) => socket.write(OK), { host: '::1' });
    expect(await sendRecorded(clientFor(six.url), { url: six.url }).sink.done).toMatchObject({ kind: 'ok' });
    const folder = mkdtempSync(join(tmpdir(), 'loadfleet-'));
    try {
      const unixPath = join(folder, 'server.sock');
      const unix = await serve((_request, socket) => socket.write(OK), { unixPath });
      const client = clientFor('http://unix.test/', { connectTo: `unix:${unixPath}` });
      expect(await sendRecorded(client, { url: 'http://unix.test/x' }).sink.done).toMatchObject({ kind: 'ok' });
      expect(unix.requests[0]).toContain('GET /x HTTP/1.1\r\nHost: unix.test\r\n');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe.skipIf(!hasOpenssl)('TLS (skipped where openssl is not installed)', () => {
  it('R026 sends SNI for names and none for IP literals, checks certificates, resumes sessions', async () => {
    const names: string[] = [];
    const resumed: boolean[] = [];
    const server = await serve(
      (_request, socket) => {
        resumed.push((socket as TLSSocket).isSessionReused());
        socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok');
      },
      {
        tls: {
          ...certificateFor('DNS:api.example.test'),
          SNICallback: (name, done) => {
            names.push(name);
            done(null);
          },
        },
      },
    );
    const url = `https://api.example.test:${server.port}/`;
    const trusting = clientFor(url, { connectTo: `127.0.0.1:${server.port}`, insecure: true });
    for (let index = 0; index < 3; index += 1)
      expect(await sendRecorded(trusting, { url }).sink.done).toMatchObject({ kind: 'ok' });
    expect(names).toContain('api.example.test');
    expect(resumed.slice(0, 3)).toEqual([false, true, true]);
    const strict = clientFor(url, { connectTo: `127.0.0.1:${server.port}` });
    expect(await sendRecorded(strict, { url }).sink.done).toMatchObject({ kind: 'failed', class: 'tls' });
    const seen = names.length;
    const literal = clientFor(server.url, { insecure: true });
    expect(await sendRecorded(literal, { url: server.url }).sink.done).toMatchObject({ kind: 'ok' });
    expect(names).toHaveLength(seen);
  });
});

describe('odd but valid framing', () => {
  it('takes an interim answer a second for minutes, and not without end', async () => {
    const server = await serve((request, socket) => {
      const count = request.includes('/endless') ? 20_000 : 1000;
      socket.write(`${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(count)}${OK}`);
    });
    const client = clientFor(server.url);
    expect(await sendRecorded(client, { url: server.url }).sink.done).toEqual({ kind: 'ok', status: 200 });
    const endless = sendRecorded(client, { url: `${server.url}/endless` });
    expect(await endless.sink.done).toMatchObject({ class: 'protocol' });
  });

  it.each([
    ['a length repeated in one field', 'Content-Length: 2, 2\r\n\r\nok'],
    ['a length with leading zeros', `Content-Length: ${'0'.repeat(20)}2\r\n\r\nok`],
    [
      'a chunk size with leading zeros',
      `Transfer-Encoding: chunked\r\n\r\n${'0'.repeat(16)}2\r\nok\r\n${'0'.repeat(16)}\r\n\r\n`,
    ],
    ['an empty element behind the coding', 'Transfer-Encoding: chunked,\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
    ['a Transfer-Encoding without a coding', 'Transfer-Encoding:\r\nContent-Length: 2\r\n\r\nok'],
  ])('%s is read, and the connection used again', async (_name, answer) => {
    const server = await serve((_request, socket) => socket.write(`HTTP/1.1 200 OK\r\n${answer}`));
    const client = clientFor(server.url);
    for (let index = 0; index < 2; index += 1) {
      const { sink } = sendRecorded(client, { url: server.url });
      expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
      expect(sink.body).toBe('ok');
    }
    expect(server.sockets).toHaveLength(1);
  });
});
