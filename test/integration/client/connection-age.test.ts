/** `limits.connectionAge` in every client: old connections take no further request, and a name that has moved is followed. */
import { type ServerHttp2Session, type ServerHttp2Stream, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { H2Client } from '../../../agent/client/h2/h2-client.ts';
import type { WireClientOptions } from '../../../agent/client/wire/wire-client.ts';
import { clientOptions, closeOpened, keepOpened, OK, serve, undiciFor, wireFor } from '../../support/opened.ts';
import { sendRecorded } from '../../support/recording-sink.ts';

const SECOND = 1e9;

afterEach(closeOpened);

/** A name that leads to one address, and from the second look-up on to another. */
function movedName(): { lookups: number; resolveAll: () => Promise<string[]> } {
  const name = {
    lookups: 0,
    resolveAll: () => {
      name.lookups += 1;
      return Promise.resolve([name.lookups === 1 ? '127.0.0.2' : '127.0.0.3']);
    },
  };
  return name;
}

describe.each([
  ['wire', wireFor],
  ['undici', undiciFor],
])('connections of a bounded age (%s)', (_name, clientFor) => {
  async function start(options: Partial<WireClientOptions>) {
    const hold: (() => void)[] = [];
    const before = await serve(
      (request, socket) => {
        if (request.includes('/held')) hold.push(() => socket.write(OK));
        else socket.write(OK);
      },
      { host: '127.0.0.2' },
    );
    const after = await serve((_request, socket) => socket.write(OK), { host: '127.0.0.3', port: before.port });
    const clock = { hostNs: 1e15 };
    const url = `http://moved.test:${before.port}/`;
    const client = clientFor(url, {
      steadyClock: { nowNs: () => clock.hostNs },
      resolveAll: movedName().resolveAll,
      ...options,
    });
    return { before, after, hold, clock, client, url };
  }

  it('R024 R025 follow a name that has moved', async () => {
    const { before, after, clock, client, url } = await start({ connectionAgeNs: 100 * SECOND });
    for (let index = 0; index < 3; index += 1) {
      expect(await sendRecorded(client, { url }).sink.done).toMatchObject({ kind: 'ok' });
      clock.hostNs += 16 * SECOND;
    }
    expect([before.requests.length, after.requests.length]).toEqual([3, 0]);
    clock.hostNs += 60 * SECOND;
    expect(await sendRecorded(client, { url }).sink.done).toMatchObject({ kind: 'ok' });
    expect([before.requests.length, after.requests.length]).toEqual([3, 1]);
    expect(client.counters).toMatchObject({ connectionsOpened: 2, connectionsRetired: 1 });
  });

  it('stay with their address for ever without a bound', async () => {
    const { before, clock, client, url } = await start({});
    for (let index = 0; index < 3; index += 1) {
      await sendRecorded(client, { url }).sink.done;
      clock.hostNs += 1000 * SECOND;
    }
    expect(before.requests).toHaveLength(3);
    expect(client.counters).toMatchObject({ connectionsOpened: 1, connectionsRetired: 0 });
  });

  it('are not closed under a request, but behind it, also while others wait', async () => {
    const { hold, after, clock, client, url } = await start({ connectionAgeNs: 100 * SECOND, connectionsMax: 1 });
    const held = sendRecorded(client, { url: `${url}held` });
    await expect.poll(() => hold.length).toBe(1);
    const waiting = sendRecorded(client, { url });
    clock.hostNs += 200 * SECOND;
    hold[0]?.();
    expect(await held.sink.done).toMatchObject({ kind: 'ok' });
    expect(await waiting.sink.done).toMatchObject({ kind: 'ok' });
    expect(after.requests).toHaveLength(1);
    expect(client.counters.connectionsRetired).toBe(1);
  });
});

describe('HTTP/2 connections of a bounded age', () => {
  async function serveH2(host: string, port: number, script: (stream: ServerHttp2Stream) => void) {
    const sessions: ServerHttp2Session[] = [];
    const server = createServer();
    let ended = 0;
    server.on('session', (session) => {
      sessions.push(session);
      session.on('error', () => undefined);
      session.on('close', () => {
        ended += 1;
      });
    });
    server.on('stream', (stream) => script(stream as ServerHttp2Stream));
    await new Promise<void>((resolve) => server.listen(port, host, resolve));
    keepOpened({
      close: async () => {
        for (const session of sessions) session.destroy();
        await new Promise<void>((resolve) => server.close(() => resolve()));
      },
    });
    return { sessions, ended: () => ended, port: (server.address() as AddressInfo).port };
  }

  function answer(stream: ServerHttp2Stream): void {
    stream.respond({ ':status': 200 });
    stream.end('ok');
  }

  it('R024 R025 end with their last stream, and new requests follow the name', async () => {
    const hold: ServerHttp2Stream[] = [];
    const before = await serveH2('127.0.0.2', 0, (stream) => hold.push(stream));
    const after = await serveH2('127.0.0.3', before.port, answer);
    const clock = { hostNs: 1e15 };
    const url = `http://moved.test:${before.port}/`;
    const client = keepOpened(
      new H2Client({
        ...clientOptions(url),
        connectionAgeNs: 100 * SECOND,
        steadyClock: { nowNs: () => clock.hostNs },
        resolveAll: movedName().resolveAll,
      }),
    );
    const held = sendRecorded(client, { url });
    await expect.poll(() => hold.length).toBe(1);
    clock.hostNs += 101 * SECOND;
    expect(await sendRecorded(client, { url }).sink.done).toMatchObject({ kind: 'ok' });
    expect([before.sessions.length, after.sessions.length, before.ended()]).toEqual([1, 1, 0]);
    answer(hold[0] as ServerHttp2Stream);
    expect(await held.sink.done).toMatchObject({ kind: 'ok' });
    await expect.poll(() => before.ended()).toBe(1);
    expect(client.counters).toMatchObject({ connectionsOpened: 2, connectionsRetired: 1, retries: 0 });
  });
});
