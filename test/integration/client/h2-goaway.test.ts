/** Connections that a server has said goodbye on: what goes where, and how many connections there are meanwhile (R021). */
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { H2Client } from '../../../agent/client/h2/h2-client.ts';
import {
  CODE,
  data,
  END_STREAM,
  goaway,
  okHead,
  rstStream,
  SETTING,
  settings,
  windowUpdate,
  WINDOW_MAX,
} from '../../support/h2-frames.ts';
import { clientOptions, closeOpened, keepOpened } from '../../support/opened.ts';
import { type RawH2Connection, startRawH2Server } from '../../support/raw-h2-server.ts';
import { RecordingSink, sendRecorded } from '../../support/recording-sink.ts';

afterEach(closeOpened);

const OK = { kind: 'ok', status: 200 } as const;
const GIVEN_UP = { kind: 'failed', class: 'timeout', status: null, detail: 'given up' } as const;

/** The first connection is answered by the test; streams of later ones at once. */
async function start(connectionsMax: number, greeting = settings()) {
  const server = keepOpened(
    await startRawH2Server(
      (stream, _socket, _requests, connection) => {
        if (connection !== server.connections[0]) connection.write(okHead(stream, null, END_STREAM));
      },
      { greeting },
    ),
  );
  const client = keepOpened(new H2Client(clientOptions(server.url, { connectionsMax })));
  return { server, client };
}

/** Two requests open on the first connection, the other one with a body where given; `whenFirstEnds` is called inside the read that brings the answer to the first. */
async function withTwo(
  connectionsMax: number,
  whenFirstEnds: (client: H2Client, url: string) => void,
  bodyOfOther: Buffer | null = null,
) {
  const { server, client } = await start(connectionsMax);
  await client.prepare(1);
  class First extends RecordingSink {
    override onEnd(...end: Parameters<RecordingSink['onEnd']>): void {
      super.onEnd(...end);
      whenFirstEnds(client, server.url);
    }
  }
  const request = { template: 0, method: 'GET', url: server.url, headers: [], body: null, identity: null };
  client.send(request, new First());
  const method = bodyOfOther === null ? 'GET' : 'POST';
  const other = sendRecorded(client, { url: server.url, method, body: bodyOfOther }).sink;
  await expect.poll(() => server.connections[0]?.streams).toEqual([1, 3]);
  return { server, client, other, connection: server.connections[0] as RawH2Connection };
}

describe('R021 a request that has not left when its connection says goodbye', () => {
  it.each([
    ['GOAWAY that still takes all', goaway(WINDOW_MAX, CODE.noError), OK],
    ['GOAWAY', goaway(3, CODE.noError), OK],
    ['GOAWAY for an error', goaway(3, CODE.protocol), { class: 'reset', detail: 'GOAWAY 1' }],
    ['a breach of the protocol', data(0, ''), { class: 'protocol' }],
  ])('opens no stream behind it, and is answered on the next connection: %s', async (_name, goodbye, endOfOther) => {
    const sinks: RecordingSink[] = [];
    const { server, client, other, connection } = await withTwo(2, (to, url) => {
      for (let index = 0; index < 3; index += 1) sinks.push(sendRecorded(to, { url }).sink);
    });
    connection.write(okHead(1, null, END_STREAM), goodbye);
    await expect.poll(() => sinks.length).toBe(3);
    for (const sink of sinks) expect(await sink.done).toEqual(OK);
    connection.write(okHead(3, null, END_STREAM));
    expect(await other.done).toMatchObject(endOfOther);
    await expect.poll(() => connection.over).toBe(true);
    expect(server.connections.map(({ streams }) => streams)).toEqual([
      [1, 3],
      [1, 3, 5],
    ]);
    expect(client.counters.retries).toBe(0);
  });

  it('says nothing more of it when it was given up before', async () => {
    const given: RecordingSink[] = [];
    const { server, other, connection } = await withTwo(2, (to, url) => {
      const { sink, exchange } = sendRecorded(to, { url });
      exchange.abort(GIVEN_UP, 0);
      given.push(sink);
    });
    connection.write(okHead(1, null, END_STREAM), goaway(WINDOW_MAX, CODE.noError));
    await expect.poll(() => given[0]?.outcome).toEqual(GIVEN_UP);
    connection.write(okHead(3, null, END_STREAM));
    expect(await other.done).toEqual(OK);
    await expect.poll(() => connection.over).toBe(true);
    expect(connection.streams).toEqual([1, 3]);
    expect(connection.resetCode(5)).toBeNull();
    expect(server.connections).toHaveLength(1);
  });
});

describe('R021 what a server said before it broke the connection', () => {
  it.each([
    ['a head', null],
    ['a head and its body', Buffer.alloc(200_000)],
  ])('is read though %s was refused first: answers count, and what GOAWAY leaves out is moved', async (_what, body) => {
    const { server, client } = await start(2);
    await client.prepare(1);
    const sinks = [1, 3].map(() => sendRecorded(client, { url: server.url }).sink);
    await expect.poll(() => server.connections[0]?.streams).toEqual([1, 3]);
    const connection = server.connections[0] as RawH2Connection;
    connection.write(okHead(1, null, END_STREAM), goaway(1, CODE.noError));
    connection.socket.resetAndDestroy();
    // In the same turn of the loop, so that the client cannot have read any of it.
    sinks.push(sendRecorded(client, { url: server.url, method: 'POST', body }).sink);
    for (const sink of sinks) expect(await sink.done).toEqual(OK);
    expect(server.connections[1]?.streams).toHaveLength(2);
  });

  it('is read though more of a body was refused first', async () => {
    const ends: (() => void)[] = [];
    const { other, connection } = await withTwo(2, () => ends.pop()?.(), Buffer.alloc(200_000));
    // Inside the read that brings room for the body, of which more is sent at its end.
    ends.push(() => {
      connection.write(rstStream(3, 11));
      connection.socket.resetAndDestroy();
    });
    connection.write(windowUpdate(0, 1_000_000), windowUpdate(3, 1_000_000), okHead(1, null, END_STREAM));
    expect(await other.done).toMatchObject({ class: 'reset', detail: 'RST_STREAM 11' });
  });

  it('fails what it left unanswered without GOAWAY', async () => {
    const { server, client } = await start(2);
    await client.prepare(1);
    const sinks = [1, 3].map(() => sendRecorded(client, { url: server.url }).sink);
    await expect.poll(() => server.connections[0]?.streams).toEqual([1, 3]);
    const connection = server.connections[0] as RawH2Connection;
    connection.write(okHead(1, null, END_STREAM));
    connection.socket.resetAndDestroy();
    sinks.push(sendRecorded(client, { url: server.url }).sink);
    expect(await sinks[0]?.done).toEqual(OK);
    for (const sink of sinks.slice(1)) expect(await sink.done).toMatchObject({ kind: 'failed', class: 'reset' });
    expect(await sendRecorded(client, { url: server.url }).sink.done).toEqual(OK);
  });
});

describe('connections that take no more requests', () => {
  it('R033 count against the limit until they are closed', async () => {
    const { server, client } = await start(2, settings([SETTING.maxConcurrentStreams, 1]));
    await client.prepare(1);
    const long = sendRecorded(client, { url: server.url }).sink;
    await expect.poll(() => server.connections[0]?.streams).toEqual([1]);
    const first = server.connections[0] as RawH2Connection;
    first.write(goaway(1, CODE.noError));
    const sinks = Array.from({ length: 10 }, () => sendRecorded(client, { url: server.url }).sink);
    for (const sink of sinks) expect(await sink.done).toEqual(OK);
    expect(server.connections.map(({ over }) => over)).toEqual([false, false]);
    first.write(okHead(1, null, END_STREAM));
    expect(await long.done).toEqual(OK);
    await expect.poll(() => first.over).toBe(true);
    const more = Array.from({ length: 10 }, () => sendRecorded(client, { url: server.url }).sink);
    for (const sink of more) expect(await sink.done).toEqual(OK);
    expect(server.connections).toHaveLength(3);
  });

  it('R021 do not keep requests from the one connection that there may be', async () => {
    const { server, client } = await start(1);
    await client.prepare(1);
    const long = sendRecorded(client, { url: server.url }).sink;
    await expect.poll(() => server.connections[0]?.streams).toEqual([1]);
    server.connections[0]?.write(goaway(1, CODE.noError));
    const sinks = Array.from({ length: 3 }, () => sendRecorded(client, { url: server.url }).sink);
    for (const sink of sinks) expect(await sink.done).toEqual(OK);
    expect(long.outcome).toBeNull();
    expect(server.connections).toHaveLength(2);
  });

  it('are closed with the client', async () => {
    const { server, client } = await start(1);
    await client.prepare(1);
    const { sink } = sendRecorded(client, { url: server.url });
    await expect.poll(() => server.connections[0]?.streams).toEqual([1]);
    server.connections[0]?.write(goaway(1, CODE.noError));
    expect(await sendRecorded(client, { url: server.url }).sink.done).toEqual(OK);
    await client.close();
    expect(await sink.done).toMatchObject({ class: 'generator' });
    await expect.poll(() => server.connections.map(({ over }) => over)).toEqual([true, true]);
  });
});

describe('a connection that cannot be made', () => {
  it('R033 fails what waits for it where the others take no streams', async () => {
    const greeting = settings([SETTING.maxConcurrentStreams, 0]);
    const listener = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write(greeting);
      keepOpened({ close: () => Promise.resolve(void socket.destroy()) });
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    const client = keepOpened(new H2Client(clientOptions(url, { connectionsMax: 2 })));
    await client.prepare(1);
    listener.close();
    const sinks = Array.from({ length: 5 }, () => sendRecorded(client, { url }).sink);
    for (const sink of sinks) expect(await sink.done).toMatchObject({ class: 'connect-refused' });
  });
});
