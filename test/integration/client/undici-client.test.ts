/** The undici client over real sockets: the same promises as the wire client's, where undici can keep them. */
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { hostClock } from '../../../shared/time/monotonic-clock.ts';
import { closeOpened, OK, serve, undiciFor as clientFor } from '../../support/opened.ts';
import { sendRecorded } from '../../support/recording-sink.ts';
import { startScriptedServer } from '../../support/scripted-server.ts';

afterEach(closeOpened);

describe('reuse of connections', () => {
  it('sends one after the other on one connection, stamps in order, bytes counted', async () => {
    const server = await serve((_request, socket) => socket.write(OK));
    const client = clientFor(server.url);
    for (let index = 0; index < 5; index += 1) {
      const { sink } = sendRecorded(client, { url: `${server.url}/` });
      expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
      expect(sink.body).toBe('ok');
      expect(sink.sendNs).toBeLessThanOrEqual(sink.firstByteNs!);
      expect(sink.firstByteNs).toBeLessThanOrEqual(sink.endNs!);
    }
    expect(server.sockets).toHaveLength(1);
    expect(client.counters).toEqual({
      connectionsTried: 1,
      connectionsOpened: 1,
      connectionsRetired: 0,
      bytesSent: server.requests.join('').length,
      bytesReceived: 5 * OK.length,
      bytesDecoded: 0,
      retries: 0,
    });
  });

  it('opens connections ahead and uses them', async () => {
    const server = await serve((_request, socket) => socket.write(OK));
    const client = clientFor(server.url);
    await client.prepare(3);
    expect(client.counters.connectionsOpened).toBe(3);
    const { sink } = sendRecorded(client, { url: server.url });
    await sink.done;
    expect(sink.waits).toEqual([]);
    await expect.poll(() => server.sockets.length).toBe(3);
  });

  it('R016 calls a reset on a reused connection stale, and on a fresh one a reset; nothing is sent twice', async () => {
    const server = await serve((_request, socket, count) => {
      if (server.sockets.length === 2 || count === 2) socket.resetAndDestroy();
      else socket.write(OK);
    });
    const client = clientFor(server.url);
    await sendRecorded(client, { url: server.url }).sink.done;
    const post = sendRecorded(client, { url: server.url, method: 'POST', body: Buffer.from('x') });
    expect(await post.sink.done).toMatchObject({ class: 'stale-connection' });
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
  const cases: [string, string, object][] = [
    [
      'R020 a body shorter than its Content-Length',
      'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello',
      { class: 'truncated', status: 200 },
    ],
    [
      'R020 the same when the server had said it would close',
      'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 100\r\n\r\nhello',
      { class: 'truncated', status: 200 },
    ],
    [
      'R020 a chunked body without its last chunk',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
      { class: 'truncated', status: 200 },
    ],
    [
      'R020 the same when the server had said it would close, chunked',
      'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
      { class: 'truncated', status: 200 },
    ],
    [
      'a broken chunk',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      { class: 'protocol', status: 200 },
    ],
    ['a head cut in two', 'HTTP/1.1 200 OK\r\nContent-', { class: 'truncated', status: null }],
    ['a close-delimited body ends by the close', 'HTTP/1.1 200 OK\r\n\r\nall of it', { kind: 'ok', status: 200 }],
    ['no byte of answer', '', { class: 'reset', status: null }],
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9\r\n', { class: 'protocol' }],
    ['R020 all bytes came, then a close: a success', OK, { kind: 'ok', status: 200 }],
  ];
  it.each(cases)('%s', async (_name, answer, expected) => {
    const server = await serve((_request, socket) => socket.end(answer));
    expect(await sendRecorded(clientFor(server.url), { url: server.url }).sink.done).toMatchObject(expected);
  });

  it('R020 stops the clock at the last body byte, not at the headers', async () => {
    const server = await serve((_request, socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab'));
    const { sink } = sendRecorded(clientFor(server.url), { url: server.url });
    await expect.poll(() => sink.firstByteNs).not.toBeNull();
    setTimeout(() => server.sockets[0]?.write('cd'), 50);
    expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(sink.body).toBe('abcd');
    expect(sink.endNs! - sink.firstByteNs!).toBeGreaterThan(40e6);
  });

  it('HEAD, 204 and 304 have no body to miss, and keep the connection', async () => {
    const server = await serve((request, socket) => {
      const status = /^\w+ \/(\d+)/.exec(request)?.[1] ?? '200';
      const length = request.startsWith('HEAD') ? 'Content-Length: 50\r\n' : '';
      socket.write(`HTTP/1.1 ${status} X\r\n${length}\r\n`);
    });
    const client = clientFor(server.url);
    for (const [method, path] of [
      ['HEAD', '/200'],
      ['GET', '/204'],
      ['GET', '/304'],
    ] as const) {
      const { sink } = sendRecorded(client, { url: server.url + path, method });
      expect(await sink.done).toEqual({ kind: 'ok', status: Number(path.slice(1)) });
    }
    expect(server.sockets).toHaveLength(1);
  });

  it('does not take an interim answer for the answer', async () => {
    const server = await serve((_request, socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
      setTimeout(() => socket.write(OK), 50);
    });
    const { sink } = sendRecorded(clientFor(server.url), { url: server.url });
    expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(sink.firstByteNs! - sink.sendNs!).toBeGreaterThan(40e6);
  });

  it('redirects and compressed bodies are results as they came', async () => {
    const server = await serve((request, socket) => {
      if (request.startsWith('GET /moved')) {
        socket.write('HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n');
      } else {
        socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b!');
      }
    });
    const client = clientFor(server.url);
    expect(await sendRecorded(client, { url: `${server.url}/moved` }).sink.done).toEqual({ kind: 'ok', status: 302 });
    const { sink } = sendRecorded(client, { url: server.url });
    await sink.done;
    expect(Buffer.byteLength(sink.body, 'latin1')).toBeGreaterThanOrEqual(3);
    expect(server.requests).toHaveLength(2);
    expect(server.requests.join('').toLowerCase()).not.toContain('accept-encoding');
  });
});

describe('giving up', () => {
  it('an aborted request ends at once and its connection is not used again', async () => {
    const server = await serve((request, socket) => {
      if (!request.includes('/never')) socket.write(OK);
    });
    const client = clientFor(server.url);
    await sendRecorded(client, { url: server.url }).sink.done;
    const { sink, exchange } = sendRecorded(client, { url: `${server.url}/never` });
    await expect.poll(() => server.requests.length).toBe(2);
    exchange.abort({ kind: 'failed', class: 'timeout', status: null, detail: 'given up' }, 1);
    expect(sink.outcome).toMatchObject({ class: 'timeout' });
    expect(await sendRecorded(client, { url: server.url }).sink.done).toMatchObject({ kind: 'ok' });
    expect(server.sockets).toHaveLength(2);
  });

  it('an aborted request that waits is never sent', async () => {
    const held: Socket[] = [];
    const server = await serve((_request, socket) => void held.push(socket));
    const client = clientFor(server.url, { connectionsMax: 1 });
    const first = sendRecorded(client, { url: `${server.url}/1` });
    const second = sendRecorded(client, { url: `${server.url}/2` });
    const third = sendRecorded(client, { url: `${server.url}/3` });
    second.exchange.abort({ kind: 'failed', class: 'timeout', status: null, detail: 'given up' }, 1);
    await expect.poll(() => held.length).toBe(1);
    held[0]!.write(OK);
    await first.sink.done;
    await expect.poll(() => held.length).toBe(2);
    held[1]!.write(OK);
    await third.sink.done;
    expect(server.requests.map((request) => /\/(\d)/.exec(request)?.[1])).toEqual(['1', '3']);
  });

  it('R018 has no hidden limit on headers or body: 400 s of silence before either are no failure', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const held: Socket[] = [];
      const server = await serve((_request, socket) => void held.push(socket));
      const { sink } = sendRecorded(clientFor(server.url), { url: server.url });
      await expect.poll(() => held.length).toBe(1);
      await vi.advanceTimersByTimeAsync(400_000);
      held[0]!.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n');
      await expect.poll(() => sink.firstByteNs).not.toBeNull();
      await vi.advanceTimersByTimeAsync(400_000);
      held[0]!.write('ok');
      expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    } finally {
      vi.useRealTimers();
    }
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
    for (let served = 0; served < 4; served += 1) {
      await expect.poll(() => held.length).toBeGreaterThan(served);
      held[served]!();
    }
    await Promise.all(sent.map(({ sink }) => sink.done));
    expect(server.requests.map((request) => /\/(\d)/.exec(request)?.[1])).toEqual(['1', '2', '3', '4']);
    expect(server.sockets).toHaveLength(2);
  });

  it('fails each request that waited for a refused connection, as connect-refused', async () => {
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

  it('R032 running out of handles is our fault, not the target', async () => {
    const resolveAll = (): Promise<string[]> =>
      Promise.reject(Object.assign(new Error('too many open files'), { code: 'EMFILE' }));
    const client = clientFor('http://some.test/', { resolveAll });
    expect(await sendRecorded(client, { url: 'http://some.test/' }).sink.done).toMatchObject({ class: 'generator' });
  });

  it('a request that undici refuses fails as generator', async () => {
    const server = await serve((_request, socket) => socket.write(OK));
    const client = clientFor(server.url);
    const { sink } = sendRecorded(client, { url: server.url, headers: [['expect', '100-continue']] });
    expect(await sink.done).toMatchObject({ class: 'generator' });
    expect(await sendRecorded(client, { url: server.url }).sink.done).toMatchObject({ kind: 'ok' });
  });
});

describe('what is on the wire', () => {
  it('R028 leaves the request target as it is written', async () => {
    const server = await serve((_request, socket) => socket.write(OK));
    const target = '/a%2Fb/c%2520d//e/../f?x=%7B%7D&y=a+b';
    await sendRecorded(clientFor(server.url), { url: server.url + target }).sink.done;
    expect(server.requests[0]?.split('\r\n')[0]).toBe(`GET ${target} HTTP/1.1`);
  });

  it('adds nothing to the head of a plain request but host and connection', async () => {
    const server = await serve((_request, socket) => socket.write(OK));
    await sendRecorded(clientFor(server.url), { url: `${server.url}/x`, headers: [['X-Test', 'a']] }).sink.done;
    expect(server.requests[0]).toBe(
      `GET /x HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nconnection: keep-alive\r\nX-Test: a\r\n\r\n`,
    );
  });

  it('sends the identity, bodies, and a Host of the plan', async () => {
    const server = await serve((_request, socket) => socket.write(OK));
    const client = clientFor(server.url);
    const body = Buffer.from('{"a":1}');
    for (const identity of ['0.0.3.1.4', '0.0.3.1.5']) {
      await sendRecorded(client, { url: server.url, method: 'POST', body, identity, headers: [['Host', 'other.test']] })
        .sink.done;
    }
    expect(server.requests[0]).toContain('host: other.test\r\n');
    expect(server.requests[0]).toContain('loadfleet-id: 0.0.3.1.4\r\n');
    expect(server.requests[1]).toContain('loadfleet-id: 0.0.3.1.5\r\n');
    expect(server.requests[1]).toContain('content-length: 7\r\n\r\n{"a":1}');
    expect(server.sockets).toHaveLength(1);
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
});
