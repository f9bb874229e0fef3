/** Servers that close right behind answers that leave the connection open (R016): clients learn it, say so, and lose no further request. */
import { afterEach, describe, expect, it } from 'vitest';
import type { WireClientOptions } from '../../../agent/client/wire/wire-client.ts';
import type { ProtocolClient } from '../../../agent/client/protocol-client.ts';
import type { FailureClass } from '../../../shared/metrics/outcome.ts';
import { closeOpened, OK, serve, undiciFor, wireFor } from '../../support/opened.ts';
import { sendRecorded } from '../../support/recording-sink.ts';

const MS = 1e6;
const STREAMED =
  'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5, max=100\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n';

afterEach(closeOpened);

/** A clock that the test moves; everything between two moves happens at one instant. */
function testClock(): { nowNs: () => number; pass: (ns: number) => void } {
  let nowNs = 1e9;
  return {
    nowNs: () => nowNs,
    pass: (ns) => {
      nowNs += ns;
    },
  };
}

type ClientFor = (url: string, options?: Partial<WireClientOptions>) => ProtocolClient;

/** Sends `count` requests, each when the one before has ended, 1 ms apart; how each ended. */
async function sendInTurn(
  client: ProtocolClient,
  url: string,
  count: number,
  clock: ReturnType<typeof testClock>,
  between: () => Promise<void> = () => Promise.resolve(),
): Promise<(FailureClass | 'ok')[]> {
  const ends: (FailureClass | 'ok')[] = [];
  for (let index = 0; index < count; index += 1) {
    const outcome = await sendRecorded(client, { url }).sink.done;
    ends.push(outcome.kind === 'ok' ? 'ok' : outcome.class);
    clock.pass(MS);
    await between();
  }
  return ends;
}

const clients: readonly (readonly [string, ClientFor])[] = [
  ['wire', wireFor],
  ['undici', undiciFor],
];

describe.each(clients)('a server that closes behind its answers (%s)', (_name, clientFor) => {
  it('R016 loses at most three requests, which are not sent again, and the report says why', async () => {
    const server = await serve((_request, socket, count) => {
      if (count === 1) socket.end(STREAMED);
    });
    const clock = testClock();
    const client = clientFor(server.url, { clock });
    const ends = await sendInTurn(client, server.url, 40, clock);
    expect(ends.filter((end) => end !== 'ok').length).toBeLessThanOrEqual(3);
    expect(ends.slice(8).every((end) => end === 'ok')).toBe(true);
    expect(client.counters.retries).toBe(0);
    expect(client.takeWarnings().join()).toMatch(
      /127\.0\.0\.1:\d+ closes its connections right behind streamed answers/,
    );
    expect(client.takeWarnings()).toEqual([]);
  });

  it('R016 learns it from connections that were closed while they were idle, too', async () => {
    let closed = 0;
    const server = await serve((_request, socket) => {
      socket.once('close', () => {
        closed += 1;
      });
      socket.end(STREAMED);
    });
    const clock = testClock();
    const client = clientFor(server.url, { clock });
    let sent = 0;
    const ends = await sendInTurn(client, server.url, 5, clock, async () => {
      sent += 1;
      // A server's socket is closed once the client has closed as well.
      await expect.poll(() => closed).toBe(sent);
    });
    expect(ends).toEqual(Array(5).fill('ok'));
    expect(client.takeWarnings()).toHaveLength(1);
  });

  it('uses a connection that lived through its rest, and trusts the server again after ten of them', async () => {
    let closes = true;
    const server = await serve((_request, socket) => {
      if (closes) socket.end(STREAMED);
      else socket.write(STREAMED);
    });
    const clock = testClock();
    const client = clientFor(server.url, { clock });
    await sendInTurn(client, server.url, 10, clock);
    expect(client.takeWarnings()).toHaveLength(1);
    closes = false;
    await sendInTurn(client, server.url, 3, clock);
    const before = server.sockets.length;
    await sendInTurn(client, server.url, 2, clock);
    expect(server.sockets.length).toBe(before + 2);
    for (let index = 0; index < 12; index += 1) {
      clock.pass(100 * MS);
      await sendInTurn(client, server.url, 1, clock);
    }
    expect(server.sockets.length).toBe(before + 2);
    expect(client.takeWarnings().join()).toContain('used again at once');
    await sendInTurn(client, server.url, 20, clock);
    expect(server.sockets.length).toBe(before + 2);
  });

  it('a connection that rests makes room at the limit of connections', async () => {
    const server = await serve((_request, socket, count) => {
      if (server.sockets.length > 6) socket.write(STREAMED);
      else if (count === 1) socket.end(STREAMED);
    });
    const clock = testClock();
    const client = clientFor(server.url, { clock, connectionsMax: 1 });
    const ends = await sendInTurn(client, server.url, 20, clock);
    expect(client.takeWarnings()).toHaveLength(1);
    expect(ends.slice(8).every((end) => end === 'ok')).toBe(true);
    const together = Array.from({ length: 5 }, () => sendRecorded(client, { url: server.url }).sink.done);
    for (const outcome of await Promise.all(together)) expect(outcome).toMatchObject({ kind: 'ok' });
  });

  it('goes on using connections behind answers of another kind', async () => {
    const server = await serve((request, socket) => {
      if (request.includes('/sized')) socket.write(OK);
      else socket.end(STREAMED);
    });
    const clock = testClock();
    const client = clientFor(server.url, { clock });
    await sendInTurn(client, server.url, 10, clock);
    await sendInTurn(client, `${server.url}/sized`, 1, clock);
    const before = server.sockets.length;
    await sendInTurn(client, `${server.url}/sized`, 10, clock);
    expect(server.sockets.length).toBe(before);
  });

  it('connections that the client itself closes, ahead of an advertised limit, are no reason', async () => {
    const server = await serve((_request, socket) => socket.write(OK.replace('\r\n', '\r\nKeep-Alive: timeout=1\r\n')));
    const clock = testClock();
    const client = clientFor(server.url, { clock });
    const ends = await sendInTurn(
      client,
      server.url,
      10,
      clock,
      () => new Promise((resolve) => setTimeout(resolve, 5)),
    );
    expect(ends).toEqual(Array(10).fill('ok'));
    expect(client.takeWarnings()).toEqual([]);
  });

  it('a deploy that closes all connections at once is no reason', async () => {
    const server = await serve((_request, socket) => socket.write(OK));
    const clock = testClock();
    const client = clientFor(server.url, { clock });
    const together = Array.from({ length: 20 }, () => sendRecorded(client, { url: server.url }).sink.done);
    await Promise.all(together);
    clock.pass(MS);
    // A server's socket is closed once the client has closed as well.
    const closed = server.sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of server.sockets) socket.end();
    await Promise.all(closed);
    expect(client.takeWarnings()).toEqual([]);
    const before = server.sockets.length;
    await sendInTurn(client, server.url, 5, clock);
    expect(server.sockets.length).toBe(before + 1);
  });
});
