/** What the HTTP/2 client does when a server breaks RFC 9113: what fails, as what, and what the server is told. */
import { afterEach, describe, expect, it } from 'vitest';
import { H2Client } from '../../../agent/client/h2/h2-client.ts';
import { H2_BREACHES, type H2Breach, oversized } from '../../support/h2-breaches.ts';
import {
  CODE,
  data,
  END_STREAM,
  FLAG,
  FRAME,
  frame,
  okHead,
  rstStream,
  SETTING,
  windowUpdate,
} from '../../support/h2-frames.ts';
import { clientOptions, closeOpened, keepOpened } from '../../support/opened.ts';
import { type RawH2Connection, type RawH2Server, startRawH2Server } from '../../support/raw-h2-server.ts';
import { type RecordingSink, sendRecorded } from '../../support/recording-sink.ts';

afterEach(closeOpened);

/** Two requests on one connection, on the streams 1 and 3, neither answered. */
interface Pair {
  readonly server: RawH2Server;
  readonly client: H2Client;
  readonly connection: RawH2Connection;
  readonly sinks: readonly [RecordingSink, RecordingSink];
  /** One more request; its server answers it at once. */
  another(): Promise<RecordingSink>;
}

/** Later connections, and later requests on the first, are answered with 200 and `later`. */
async function pair(method = 'GET'): Promise<Pair> {
  const server = keepOpened(
    await startRawH2Server((stream, _socket, requests, connection) => {
      if (connection !== server.connections[0] || requests > 2)
        connection.write(okHead(stream, 5), data(stream, 'later', END_STREAM));
    }),
  );
  const client = keepOpened(new H2Client(clientOptions(server.url, { connectionsMax: 1 })));
  const [first, second] = [1, 2].map(() => sendRecorded(client, { url: server.url, method }).sink);
  await expect.poll(() => server.connections[0]?.streams).toEqual([1, 3]);
  return {
    server,
    client,
    connection: server.connections[0] as RawH2Connection,
    sinks: [first as RecordingSink, second as RecordingSink],
    another: async () => {
      const { sink } = sendRecorded(client, { url: server.url });
      await sink.done;
      return sink;
    },
  };
}

function rowsOf(level: H2Breach['level']): [string, H2Breach][] {
  return H2_BREACHES.filter((breach) => breach.level === level).map((breach) => [breach.name, breach]);
}

/** The connection of `asked` still serves: the other request gets its answer on it, and one more request too. */
async function expectAlive({ server, connection, sinks, another }: Pair): Promise<void> {
  connection.write(okHead(3, 4), data(3, 'fine', END_STREAM));
  expect(await sinks[1].done).toEqual({ kind: 'ok', status: 200 });
  expect(sinks[1].body).toBe('fine');
  expect((await another()).outcome).toEqual({ kind: 'ok', status: 200 });
  expect(connection.goawayCode()).toBeNull();
  expect(server.connections).toHaveLength(1);
}

/** The connection of `asked` is over: the other request, whose head had come, failed by it, and one more request goes elsewhere. */
async function expectOver({ server, connection, sinks, another }: Pair): Promise<void> {
  expect(await sinks[1].done).toMatchObject({ kind: 'failed', class: 'protocol', status: 200 });
  await expect.poll(() => connection.over).toBe(true);
  expect((await another()).outcome).toEqual({ kind: 'ok', status: 200 });
  expect(server.connections).toHaveLength(2);
}

describe('a breach on one stream fails its request alone, and the server is told by RST_STREAM', () => {
  it.each(rowsOf('stream'))('%s', async (_name, breach) => {
    const asked = await pair();
    const { connection, sinks } = asked;
    if (breach.at === 'answering') connection.write(okHead(1, null), data(1, 'some'));
    connection.write(breach.bytes(1));
    expect(await sinks[0].done).toMatchObject({ kind: 'failed', class: 'protocol' });
    await expectAlive(asked);
    expect(breach.codes).toContain(connection.resetCode(1));
  });

  it('content in the answer to HEAD', async () => {
    const asked = await pair('HEAD');
    asked.connection.write(okHead(1, 4), data(1, 'some'));
    asked.connection.write(okHead(3, 4, END_STREAM));
    expect(await asked.sinks[1].done).toEqual({ kind: 'ok', status: 200 });
    expect(await asked.sinks[0].done).toMatchObject({ class: 'protocol', status: 200 });
    expect(asked.sinks[0].body).toBe('');
  });

  it('keeps the status that had come', async () => {
    const { connection, sinks } = await pair();
    connection.write(okHead(1, null), data(1, 'some'), okHead(1, null));
    expect(await sinks[0].done).toMatchObject({ class: 'protocol', status: 200 });
    expect(sinks[0].body).toBe('some');
  });

  it('DATA above the largest frame that we take', async () => {
    const asked = await pair();
    const { connection, sinks } = asked;
    connection.write(okHead(1, null), okHead(3, null));
    connection.write(oversized(FRAME.data, 1, connection.firstSetting(SETTING.maxFrameSize)));
    expect(await sinks[0].done).toMatchObject({ class: 'protocol', status: 200 });
    // A frame that is too large may cost its stream or the whole connection (RFC 9113 §4.2).
    await expect
      .poll(() => connection.goawayCode() ?? connection.resetCode(1), { message: 'GOAWAY or RST_STREAM' })
      .toBe(CODE.frameSize);
  });

  it('DATA too short for its own pad length', async () => {
    const { connection, sinks } = await pair();
    connection.write(okHead(1, null), frame(FRAME.data, FLAG.padded, 1));
    expect(await sinks[0].done).toMatchObject({ class: 'protocol', status: 200 });
    await expect
      .poll(() => [CODE.frameSize, CODE.protocol].includes((connection.goawayCode() ?? connection.resetCode(1)) as 1))
      .toBe(true);
  });
});

describe('a breach of the connection fails all of it, and the server is told by GOAWAY', () => {
  it.each(rowsOf('connection'))('%s', async (_name, breach) => {
    const asked = await pair();
    const { connection, sinks } = asked;
    connection.write(okHead(3, null), data(3, 'some'));
    if (breach.at === 'answering') connection.write(okHead(1, null));
    connection.write(breach.bytes(1));
    const status = breach.at === 'answering' ? 200 : null;
    expect(await sinks[0].done).toMatchObject({ kind: 'failed', class: 'protocol', status });
    await expectOver(asked);
    expect(breach.codes).toContain(connection.goawayCode());
  });

  it('HEADERS above the largest frame that we take', async () => {
    const asked = await pair();
    const { connection, sinks } = asked;
    connection.write(okHead(3, null));
    connection.write(oversized(FRAME.headers, 1, connection.firstSetting(SETTING.maxFrameSize)));
    expect(await sinks[0].done).toMatchObject({ class: 'protocol', status: null });
    await expectOver(asked);
    expect(connection.goawayCode()).toBe(CODE.frameSize);
  });

  it.each([
    ['PING', frame(FRAME.ping, 0, 0, Buffer.alloc(8))],
    ['the acknowledgement of ours', frame(FRAME.settings, FLAG.ack, 0)],
    ['WINDOW_UPDATE', windowUpdate(0, 1000)],
  ])('a server whose first frame is not SETTINGS but %s', async (_name, greeting) => {
    const server = keepOpened(await startRawH2Server(() => undefined, { greeting }));
    const client = keepOpened(new H2Client(clientOptions(server.url, { connectionsMax: 1 })));
    const { sink } = sendRecorded(client, { url: server.url });
    expect(await sink.done).toMatchObject({ kind: 'failed', class: 'protocol', status: null });
    await expect.poll(() => server.connections.every(({ over }) => over)).toBe(true);
    // It is not tried again and again for one request.
    expect(server.connections).toHaveLength(1);
  });

  it('an answer that comes in the very read that lets its request go', async () => {
    const { server, client, connection, sinks } = await pair();
    const next = new Promise<RecordingSink>((resolve) => {
      sinks[0].onEnd = () => resolve(sendRecorded(client, { url: server.url }).sink);
    });
    connection.write(okHead(1, null, END_STREAM), okHead(5, null, END_STREAM));
    // That one has not left: it is none of the server's yet.
    expect(await (await next).done).toEqual({ kind: 'ok', status: 200 });
    expect(await sinks[1].done).toMatchObject({ kind: 'failed', class: 'protocol', status: null });
    await expect.poll(() => connection.goawayCode()).toBe(CODE.protocol);
  });

  it('a server that answers in HTTP/1.1', async () => {
    const greeting = Buffer.from('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    const server = keepOpened(await startRawH2Server(() => undefined, { greeting }));
    const client = keepOpened(new H2Client(clientOptions(server.url, { connectionsMax: 1 })));
    const { sink } = sendRecorded(client, { url: server.url });
    expect(await sink.done).toMatchObject({ kind: 'failed', class: 'protocol', status: null });
  });
});

describe('frames on a stream whose answer has ended', () => {
  it.each<[string, Buffer]>([
    ['HEADERS', okHead(1, null)],
    ['HEADERS that end it again', okHead(1, null, END_STREAM)],
    ['DATA', data(1, 'more')],
    ['RST_STREAM', rstStream(1, CODE.cancel)],
  ])('%s: the answer stands, and what follows is served', async (_name, late) => {
    const { connection, sinks, another } = await pair();
    connection.write(okHead(1, 4), data(1, 'some', END_STREAM));
    expect(await sinks[0].done).toEqual({ kind: 'ok', status: 200 });
    connection.write(late);
    connection.write(okHead(3, 4), data(3, 'fine', END_STREAM));
    // It may be taken as a breach of the connection (RFC 9113 §5.1), or for nothing.
    const outcome = await sinks[1].done;
    if (outcome.kind === 'failed') expect(outcome).toMatchObject({ class: 'protocol', status: null });
    else expect(sinks[1].body).toBe('fine');
    expect((await another()).outcome).toEqual({ kind: 'ok', status: 200 });
    expect(sinks[0].body).toBe('some');
  });
});
