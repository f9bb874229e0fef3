/** What the HTTP/2 client owes a server on every connection: greeting, answers to PING and SETTINGS, credit for what came, GOAWAY. */
import { afterEach, describe, expect, it } from 'vitest';
import { H2Client, type H2ClientOptions } from '../../../agent/client/h2/h2-client.ts';
import { hostClock } from '../../../shared/time/monotonic-clock.ts';
import { CODE, data, DEFAULT_WINDOW, END_STREAM, FLAG, FRAME, frame, goaway } from '../../support/h2-frames.ts';
import { okHead, SETTING, settings, WINDOW_MAX } from '../../support/h2-frames.ts';
import { H2SendWindow } from '../../support/h2-send-window.ts';
import { clientOptions, closeOpened, keepOpened } from '../../support/opened.ts';
import {
  type FrameScript,
  type RawH2Connection,
  type RawH2Options,
  type RawH2Server,
  startRawH2Server,
} from '../../support/raw-h2-server.ts';
import { type RecordingSink, sendRecorded } from '../../support/recording-sink.ts';

afterEach(closeOpened);

const GIVEN_UP = { kind: 'failed', class: 'timeout', status: null, detail: 'given up' } as const;

async function start(
  script: FrameScript,
  serverOptions: RawH2Options = {},
  options: Partial<H2ClientOptions> = {},
): Promise<{ server: RawH2Server; client: H2Client }> {
  const server = keepOpened(await startRawH2Server(script, serverOptions));
  const client = keepOpened(new H2Client(clientOptions(server.url, { connectionsMax: 1, ...options })));
  return { server, client };
}

/** A connection with `requests` open on it, none answered. */
async function ready(requests: number, connectionsMax = 1) {
  const { server, client } = await start(() => undefined, {}, { connectionsMax });
  await client.prepare(1);
  const sent = Array.from({ length: requests }, () => sendRecorded(client, { url: server.url }));
  await expect.poll(() => server.connections[0]?.streams.length).toBe(requests);
  const connection = server.connections[0] as RawH2Connection;
  return { server, client, connection, sent, sinks: sent.map(({ sink }) => sink) };
}

function ping(payload: string, flags = 0): Buffer {
  return frame(FRAME.ping, flags, 0, payload);
}

/** Payloads of the client's acknowledgements of PING. */
function pongs(connection: RawH2Connection): string[] {
  return connection.framesOf(FRAME.ping).map(({ flags, payload }) => `${flags} ${payload.toString('latin1')}`);
}

describe('the greeting', () => {
  it('is the preface and SETTINGS without push; streams are odd and ascend from 1', async () => {
    const { server, client } = await start((stream, _socket, _requests, connection) => {
      connection.write(okHead(stream, null, END_STREAM));
    });
    for (let round = 0; round < 3; round += 1) {
      const sinks = Array.from({ length: 4 }, () => sendRecorded(client, { url: server.url }).sink);
      for (const sink of sinks) expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    }
    const [connection] = server.connections as [RawH2Connection];
    expect(connection.preface).toBe('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    expect(connection.frames[0]).toMatchObject({ type: FRAME.settings, flags: 0, stream: 0 });
    expect(connection.firstSetting(SETTING.enablePush)).toBe(0);
    expect(connection.streams).toEqual(Array.from({ length: 12 }, (_, index) => 2 * index + 1));
  });

  it('waits for the SETTINGS of the server, and keeps to the streams that they allow', async () => {
    let greeted = false;
    const early: number[] = [];
    const { server, client } = await start((stream) => (greeted ? undefined : early.push(stream)), {
      greeting: null,
    });
    const sinks = Array.from({ length: 5 }, () => sendRecorded(client, { url: server.url }).sink);
    await expect.poll(() => server.connections[0]?.framesOf(FRAME.settings).length).toBeGreaterThan(0);
    // Long enough for a client that does not wait to show itself.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const [connection] = server.connections as [RawH2Connection];
    greeted = true;
    connection.write(settings([SETTING.maxConcurrentStreams, 2]), frame(FRAME.settings, FLAG.ack, 0));
    for (let served = 0; served < 5; served += 1) {
      await expect.poll(() => connection.streams.length).toBe(Math.min(5, served + 2));
      connection.write(okHead(connection.streams[served] as number, null, END_STREAM));
    }
    for (const sink of sinks) expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(early).toEqual([]);
    expect(client.streamsPeak).toBe(2);
  });
});

describe('the limit on making a connection', () => {
  it('R017 holds until the SETTINGS of the server: one that sends none is a connect timeout', async () => {
    const { client, server } = await start(() => undefined, { greeting: null }, { connectTimeoutNs: 150e6 });
    const { sink } = sendRecorded(client, { url: server.url });
    expect(await sink.done).toMatchObject({ kind: 'failed', class: 'connect-timeout' });
    expect(sink.sendNs).toBeNull();
  });

  it('R017 is not used up by a loop of ours that was busy', async () => {
    const { client, server } = await start(
      (stream, _socket, _requests, connection) => connection.write(okHead(stream, null, END_STREAM)),
      { greeting: null },
      { connectTimeoutNs: 400e6 },
    );
    const { sink } = sendRecorded(client, { url: server.url });
    await expect.poll(() => server.connections[0]?.framesOf(FRAME.settings).length).toBe(1);
    server.connections[0]?.write(settings());
    const untilNs = hostClock.nowNs() + 600e6;
    while (hostClock.nowNs() < untilNs);
    expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
  });

  it('is over when they are there', async () => {
    const { client, server } = await start(() => undefined, {}, { connectTimeoutNs: 500e6 });
    const { sink } = sendRecorded(client, { url: server.url });
    await expect.poll(() => server.connections[0]?.streams).toEqual([1]);
    await new Promise((resolve) => setTimeout(resolve, 600));
    server.connections[0]?.write(okHead(1, null, END_STREAM));
    expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
  });
});

describe('frames of the connection', () => {
  it('answers PING with its payload', async () => {
    const { connection } = await ready(1);
    connection.write(ping('payload1'), ping('\0\xff\x80\x01abcd'));
    await expect.poll(() => pongs(connection)).toEqual(['1 payload1', '1 \0\xff\x80\x01abcd']);
  });

  it('answers no acknowledgement of a PING, also of one that it has not sent', async () => {
    const { connection, sinks } = await ready(1);
    connection.write(ping('payload1', FLAG.ack), ping('payload2'), okHead(1, null, END_STREAM));
    expect(await sinks[0]?.done).toEqual({ kind: 'ok', status: 200 });
    await expect.poll(() => pongs(connection)).toEqual(['1 payload2']);
  });

  it.each([
    ['PING', frame(FRAME.ping, 0, 0, 'payload1')],
    ['SETTINGS', settings()],
  ])('R004 keeps no end of acknowledgements for a server that sends %s and does not read', async (_name, one) => {
    const { connection, sinks } = await ready(1);
    connection.socket.pause();
    const block = Buffer.concat(Array.from({ length: 10_000 }, () => one));
    // More than all buffers between the two take.
    for (let blocks = 0; blocks < 400 && sinks[0]?.outcome === null && !connection.socket.destroyed; blocks += 1)
      await new Promise<void>((resolve) => connection.socket.write(block, () => resolve()));
    expect(sinks[0]?.outcome).toMatchObject({ kind: 'failed', class: 'protocol' });
  });

  it('acknowledges every SETTINGS, also with settings that it does not know', async () => {
    const { connection } = await ready(1);
    const acks = (): number => connection.framesOf(FRAME.settings).filter(({ flags }) => flags === FLAG.ack).length;
    await expect.poll(acks).toBe(1);
    connection.write(settings([0x99, 7], [SETTING.maxConcurrentStreams, 50]), settings([SETTING.headerTableSize, 0]));
    await expect.poll(acks).toBe(3);
  });

  it('R021 a request that GOAWAY meets before it has left is sent by its next connection alone', async () => {
    const { server, client } = await start(() => undefined, { greeting: null });
    const first = sendRecorded(client, { url: server.url }).sink;
    await expect.poll(() => server.connections.length).toBe(1);
    server.connections[0]?.write(settings());
    await expect.poll(() => server.connections[0]?.streams).toEqual([1]);
    const next = new Promise<RecordingSink>((resolve) => {
      first.onEnd = () => resolve(sendRecorded(client, { url: server.url }).sink);
    });
    server.connections[0]?.write(okHead(1, null, END_STREAM), goaway(1, CODE.noError));
    const sink = await next;
    await expect.poll(() => server.connections[1]?.framesOf(FRAME.settings).length).toBe(1);
    expect(sink.sendNs).toBeNull();
    expect(sink.waits).toEqual(['connect']);
    server.connections[1]?.write(settings());
    await expect.poll(() => server.connections[1]?.streams).toEqual([1]);
    expect(sink.sendNs).not.toBeNull();
    server.connections[1]?.write(okHead(1, null, END_STREAM));
    expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
  });

  it('opens no stream after a first GOAWAY, and moves what the second one leaves out', async () => {
    const { server, client, connection, sinks } = await ready(4, 2);
    connection.write(goaway(WINDOW_MAX, CODE.noError), ping('goaway 1'));
    await expect.poll(() => pongs(connection).length).toBe(1);
    const late = sendRecorded(client, { url: server.url }).sink;
    await expect.poll(() => server.connections[1]?.streams).toEqual([1]);
    connection.write(goaway(3, CODE.noError));
    await expect.poll(() => server.connections[1]?.streams).toEqual([1, 3, 5]);
    const second = server.connections[1] as RawH2Connection;
    second.write(...second.streams.map((stream) => okHead(stream, null, END_STREAM)));
    for (const sink of [late, ...sinks.slice(2)]) expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    connection.write(...[1, 3].map((stream) => okHead(stream, null, END_STREAM)));
    for (const sink of sinks.slice(0, 2)) expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(connection.streams).toEqual([1, 3, 5, 7]);
    expect(client.counters.retries).toBe(2);
    await expect.poll(() => connection.over).toBe(true);
    expect(client.streamsPeak).toBe(4);
  });

  it('R021 does not move a request whose answer has begun, whatever the GOAWAY says', async () => {
    const { server, client, connection, sinks } = await ready(2, 2);
    connection.write(okHead(3, 4), goaway(1, CODE.noError), data(3, 'some', END_STREAM), okHead(1, null, END_STREAM));
    for (const sink of sinks) expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    expect([server.connections.length, client.counters.retries]).toEqual([1, 0]);
  });
});

describe('credit for what came', () => {
  it.each([
    ['2.5 times in whole frames', 2.5, 16_384, null],
    ['1.2 times in frames that are nearly all padding', 1.2, 1, 255],
  ])('a body larger than the windows never stalls: %s', async (_name, windows, chunk, padding) => {
    const { connection, sinks } = await ready(1);
    const window = connection.firstSetting(SETTING.initialWindowSize) ?? DEFAULT_WINDOW;
    const frames = Math.ceil((windows * window) / (chunk + (padding ?? -1) + 1));
    connection.write(okHead(1, frames * chunk));
    await new H2SendWindow(connection).send(1, { bytes: frames * chunk, chunk, padding });
    expect(await sinks[0]?.done).toEqual({ kind: 'ok', status: 200 });
    expect(sinks[0]?.body.length).toBe(frames * chunk);
  });

  it('what comes on a stream that we gave up is credited to the connection', async () => {
    const { client, server, connection, sent } = await ready(4);
    const window = connection.firstSetting(SETTING.initialWindowSize) ?? DEFAULT_WINDOW;
    const sender = new H2SendWindow(connection);
    connection.write(okHead(7, null));
    await expect.poll(() => sent[3]?.sink.firstByteNs).not.toBeNull();
    for (const { exchange } of sent.slice(0, 3)) exchange.abort(GIVEN_UP, hostClock.nowNs());
    await expect.poll(() => connection.framesOf(FRAME.rstStream).length).toBe(3);
    const bytes = window - (window % 16_384);
    for (const stream of [1, 3, 5]) await sender.send(stream, { bytes, chunk: 16_384, padding: null });
    await sender.send(7, { bytes: 100, chunk: 100, padding: null });
    expect(await sent[3]?.sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(sent[3]?.sink.body.length).toBe(100);
    expect(sent[0]?.sink).toMatchObject({ body: '', outcome: GIVEN_UP });
    const { sink } = sendRecorded(client, { url: server.url });
    await expect.poll(() => connection.streams).toEqual([1, 3, 5, 7, 9]);
    connection.write(okHead(9, null, END_STREAM));
    expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
  });
});

describe('a request that is given up', () => {
  /** HEADERS that put `content-length: 4` into the dynamic table, and HEADERS that take it from there. */
  const teach = (stream: number): Buffer => frame(FRAME.headers, FLAG.endHeaders, stream, '\x88\x5c\x014');
  const recall = (stream: number): Buffer => frame(FRAME.headers, FLAG.endHeaders, stream, '\x88\xbe');

  it('is cancelled by RST_STREAM; its late head is unheard, but the next heads build on it', async () => {
    const { connection, sent } = await ready(3);
    connection.write(okHead(3, null));
    await expect.poll(() => sent[1]?.sink.firstByteNs).not.toBeNull();
    sent[0]?.exchange.abort(GIVEN_UP, hostClock.nowNs());
    await expect.poll(() => connection.resetCode(1)).toBe(CODE.cancel);
    connection.write(teach(1), data(1, 'late', END_STREAM), recall(5), data(5, 'four', END_STREAM), data(3, 'x', 1));
    for (const { sink } of sent.slice(1)) expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(sent.map(({ sink }) => sink.body)).toEqual(['', 'x', 'four']);
    expect(sent[0]?.sink.outcome).toEqual(GIVEN_UP);
    expect(connection.goawayCode()).toBeNull();
  });

  it('inside its answer: late DATA and trailers are unheard, but the next heads build on them', async () => {
    const { connection, sent } = await ready(2);
    connection.write(okHead(1, null), data(1, 'so'));
    await expect.poll(() => sent[0]?.sink.body).toBe('so');
    sent[0]?.exchange.abort(GIVEN_UP, hostClock.nowNs());
    await expect.poll(() => connection.resetCode(1)).toBe(CODE.cancel);
    const trailers = frame(FRAME.headers, FLAG.endHeaders | END_STREAM, 1, '\x5c\x014');
    connection.write(data(1, 'me'), trailers, recall(3), data(3, 'four', END_STREAM));
    expect(await sent[1]?.sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(sent.map(({ sink }) => sink.body)).toEqual(['so', 'four']);
    expect(sent[0]?.sink.outcome).toEqual({ ...GIVEN_UP, status: 200 });
    expect(connection.framesOf(FRAME.rstStream)).toHaveLength(1);
  });

  it('R022 leaves its stream to one that waits, on a connection that is heard', async () => {
    const { server, client } = await start(() => undefined, { greeting: settings([SETTING.maxConcurrentStreams, 1]) });
    const [given, waiting] = [1, 2].map(() => sendRecorded(client, { url: server.url }));
    await expect.poll(() => server.connections[0]?.streams).toEqual([1]);
    const [connection] = server.connections as [RawH2Connection];
    connection.write(okHead(1, null));
    await expect.poll(() => given?.sink.firstByteNs).not.toBeNull();
    given?.exchange.abort(GIVEN_UP, hostClock.nowNs());
    await expect.poll(() => connection.streams).toEqual([1, 3]);
    connection.write(okHead(3, null, END_STREAM));
    expect(await waiting?.sink.done).toEqual({ kind: 'ok', status: 200 });
  });

  it('RST_STREAM and WINDOW_UPDATE that crossed with ours break nothing', async () => {
    const { connection, sent } = await ready(2);
    connection.write(okHead(1, null));
    await expect.poll(() => sent[0]?.sink.firstByteNs).not.toBeNull();
    sent[0]?.exchange.abort(GIVEN_UP, hostClock.nowNs());
    await expect.poll(() => connection.resetCode(1)).toBe(CODE.cancel);
    const update = frame(FRAME.windowUpdate, 0, 1, Buffer.of(0, 0, 0, 9));
    connection.write(update, frame(FRAME.rstStream, 0, 1, Buffer.of(0, 0, 0, 8)), okHead(3, null, END_STREAM));
    expect(await sent[1]?.sink.done).toEqual({ kind: 'ok', status: 200 });
  });
});

describe('traffic', () => {
  it('R030 is counted in bytes on the wire, all of both directions', async () => {
    const { server, client } = await start((stream, _socket, _requests, connection) => {
      connection.write(okHead(stream, 4), data(stream, 'some', END_STREAM));
    });
    const bodies = [null, Buffer.alloc(10), Buffer.alloc(40_000)];
    for (const [template, body] of bodies.entries())
      await sendRecorded(client, { url: server.url, template, method: body === null ? 'GET' : 'POST', body }).sink.done;
    await client.close();
    const [connection] = server.connections as [RawH2Connection];
    await expect.poll(() => connection.over).toBe(true);
    expect(client.counters.bytesSent).toBe(connection.socket.bytesRead);
    expect(client.counters.bytesReceived).toBe(connection.socket.bytesWritten);
  });
});

describe('field blocks that come again', () => {
  it('an empty one is trailers without a field, not the head before', async () => {
    const { connection, sinks } = await ready(3);
    const empty = (stream: number): Buffer => frame(FRAME.headers, FLAG.endHeaders | END_STREAM, stream);
    for (const stream of [1, 3, 5]) connection.write(okHead(stream, null), data(stream, 'some'), empty(stream));
    for (const sink of sinks) expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(sinks.map(({ body }) => body)).toEqual(['some', 'some', 'some']);
  });

  it('each adds its fields to the table, however often it comes', async () => {
    const { connection, sinks } = await ready(5);
    const head = (stream: number, block: string): Buffer => frame(FRAME.headers, FLAG.endHeaders, stream, block);
    // content-length 1, then 2, as new entries; then, of the entries 1 2 1 1, the newest but two.
    const blocks = ['\x88\x5c\x011', '\x88\x5c\x012', '\x88\x5c\x011', '\x88\x5c\x011', '\x88\xc0'];
    for (const [index, block] of blocks.entries()) {
      const content = index === 1 || index === 4 ? 'ab' : 'a';
      connection.write(head(2 * index + 1, block), data(2 * index + 1, content, END_STREAM));
    }
    for (const sink of sinks) expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
  });
});
